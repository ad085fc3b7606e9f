// `${NAME}` in a configuration, as Redisson and Spring read it.
#pragma once

#include <string>
#include <string_view>

namespace redlatch {

/// Replaces `${NAME}`, `${NAME:-default}` (Redisson) and `${NAME:default}` (Spring) from the environment, once: what comes in
/// is not looked at again. Throws error(bad_config) where a variable is neither set nor has a default.
std::string with_environment(std::string_view text);

} // namespace redlatch
