// What a server says to AUTH, as it may be shown: some repeat what they were given.
#pragma once

#include <string>
#include <string_view>

namespace redlatch::connection {

/// The error without the arguments that Redis quotes of a command that it does not know. Nothing of an error that has the
/// password in it, or the beginning of a long one, is shown, but for the texts that say the same to every password.
std::string shown_refusal(std::string_view error, std::string_view password);

} // namespace redlatch::connection
