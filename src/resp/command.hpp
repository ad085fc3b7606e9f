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

/// The same piece by piece: the number of arguments, then each of them.
void append_header(std::string& out, std::size_t arguments);
void append_argument(std::string& out, std::string_view argument);

/// The same as a string of its own: command("CLIENT", "SETNAME", name).
template <std::convertible_to<std::string_view>... Arguments> std::string command(Arguments const&... arguments) {
    std::string out;
    append_command(out, {std::string_view(arguments)...});
    return out;
}

} // namespace redlatch::resp
