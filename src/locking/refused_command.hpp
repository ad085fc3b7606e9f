// Which command a script may not run, and which keys or channels a user may not use. Redis 6.2 and 7.0 say the script and the
// line; later ones, and Valkey, name the command. None names a key or a channel.
#pragma once

#include <string>
#include <string_view>

namespace redlatch::locking {

/// What the server said, and behind it the command, where only the line of one of our scripts is in it.
std::string naming_command(std::string_view server_said);

/// The same; and where the user may not use one of the keys, behind it those of the call, as words of an ACL rule: "~jobs:a".
/// `call`: its bytes.
std::string naming_right(std::string_view server_said, std::string_view call);

/// What the server said to a SUBSCRIBE; and where the user may not use the channel, behind it that one: "&jobs:a".
std::string naming_channel(std::string_view server_said, std::string_view channel);

/// A key or a channel as a word of an ACL rule, for messages: behind '~' or '&' a pattern that fits this one alone.
std::string word_of_rule(char sign, std::string_view name);

} // namespace redlatch::locking
