// Which command a script may not run. Redis 6.2 and 7.0 say the script and the line; later ones, and Valkey, name it.
#pragma once

#include <string>
#include <string_view>

namespace redlatch::locking {

/// What the server said, and behind it the command, where only the line of one of our scripts is in it.
std::string naming_command(std::string_view server_said);

} // namespace redlatch::locking
