// `${NAME}` in a configuration, as Redisson and Spring read it.
#pragma once

#include <string>
#include <string_view>

namespace redlatch {

/// Replaces `${NAME}`, `${NAME:-default}` (Redisson) and `${NAME:default}` (Spring) from the environment, once: what comes in
/// is not looked at again. Throws error(bad_config) where a variable is neither set nor has a default. In a program that has
/// more rights than its caller no variable is set.
std::string with_environment(std::string_view text);

/// What stands in the text itself: without the references, but with their defaults.
std::string without_environment(std::string_view text);

} // namespace redlatch
