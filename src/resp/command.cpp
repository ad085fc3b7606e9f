#include "resp/command.hpp"

#include <algorithm>
#include <charconv>

namespace redlatch::resp {
namespace {

// One length line: "*3\r\n" or "$5\r\n".
char* put_length(char* at, char type, std::size_t length) noexcept {
    *at++ = type;
    if (length < 10)
        *at++ = static_cast<char>('0' + length);
    else
        at = std::to_chars(at, at + room_around_argument, length).ptr;
    *at++ = '\r';
    *at++ = '\n';
    return at;
}

} // namespace

char* put_header(char* at, std::size_t arguments) noexcept {
    return put_length(at, '*', arguments);
}

char* put_argument(char* at, std::string_view argument) noexcept {
    at = put_length(at, '$', argument.size());
    at = std::copy(argument.begin(), argument.end(), at);
    *at++ = '\r';
    *at++ = '\n';
    return at;
}

void append_command(std::string& out, std::span<std::string_view const> arguments) {
    auto const before = out.size();
    auto most = room_around_argument;
    for (auto const& one : arguments) most += one.size() + room_around_argument;
    out.resize(before + most);
    auto* at = put_header(out.data() + before, arguments.size());
    for (auto const& one : arguments) at = put_argument(at, one);
    out.resize(static_cast<std::size_t>(at - out.data()));
}

void append_command(std::string& out, std::initializer_list<std::string_view> arguments) {
    append_command(out, std::span(arguments.begin(), arguments.size()));
}

} // namespace redlatch::resp
