// Commands, encoded for the wire: an array of bulk strings.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace redlatch::resp {

/// Appends one command to `out`. Arguments are arbitrary bytes.
void append_command(std::string& out, std::span<std::string_view const> arguments);
void append_command(std::string& out, std::initializer_list<std::string_view> arguments);

/// The same piece by piece, into memory of the caller's: the number of arguments, then each of them. Needed is the room for all
/// arguments, and for each of them and the header what stands around them. Returns the end.
inline constexpr std::size_t room_around_argument = 1 + 20 + 2 + 2; // the type, 64 bits in digits, two line ends
char* put_header(char* at, std::size_t arguments) noexcept;
char* put_argument(char* at, std::string_view argument) noexcept;

/// The same as a string of its own: command("CLIENT", "SETNAME", name).
template <std::convertible_to<std::string_view>... Arguments> std::string command(Arguments const&... arguments) {
    std::string out;
    append_command(out, {std::string_view(arguments)...});
    return out;
}

} // namespace redlatch::resp
