// `${NAME}` in a configuration, as Redisson and Spring read it.
#pragma once

#include "base/function_ref.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace redlatch {

/// Replaces `${NAME}`, `${NAME:-default}` (Redisson) and `${NAME:default}` (Spring) from the environment, once: what comes from
/// there is not looked at again; a default may have references of its own. Throws error(bad_config) where a variable is neither
/// set nor has a default. In a program that has more rights than its caller no variable is set.
std::string with_environment(std::string_view text);

/// What stands in the text itself: without the references, but with their defaults.
std::string without_environment(std::string_view text);

/// The value of a name in the same document; none: it has no such name.
using own_value = base::function_ref<std::optional<std::string>(std::string_view name)>;

/// Replaces the references that are no variables of the environment by the values of their names in the document, else by their
/// defaults. What is left is for with_environment(). Throws error(bad_config) where one leads to itself, or to another one more
/// than 20 times.
std::string with_own_values(std::string_view text, own_value own);

} // namespace redlatch
