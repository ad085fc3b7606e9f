#include "resp/command.hpp"

#include <algorithm>
#include <charconv>

namespace redlatch::resp {
namespace {

constexpr std::size_t most_digits = 20;                      // of 64 bits
constexpr std::size_t room_around = 1 + most_digits + 2 + 2; // the type, the length, two line ends

// One length line: "*3\r\n" or "$5\r\n". Returns its end.
char* put_length(char* at, char type, std::size_t length) noexcept {
    *at++ = type;
    at = std::to_chars(at, at + most_digits, length).ptr;
    *at++ = '\r';
    *at++ = '\n';
    return at;
}

} // namespace

command_writer::command_writer(std::string& out, std::size_t arguments, std::size_t bytes) : out_(out) {
    auto const before = out.size();
    out.resize(before + bytes + (arguments + 1) * room_around); // with the header
    at_ = put_length(out.data() + before, '*', arguments);
}

void command_writer::argument(std::string_view bytes) noexcept {
    auto* at = put_length(at_, '$', bytes.size());
    at = std::copy(bytes.begin(), bytes.end(), at);
    *at++ = '\r';
    *at++ = '\n';
    at_ = at;
}

void append_command(std::string& out, std::span<std::string_view const> arguments) {
    std::size_t bytes = 0;
    for (auto const& one : arguments) bytes += one.size();
    command_writer line(out, arguments.size(), bytes);
    for (auto const& one : arguments) line.argument(one);
}

void append_command(std::string& out, std::initializer_list<std::string_view> arguments) {
    append_command(out, std::span(arguments.begin(), arguments.size()));
}

} // namespace redlatch::resp
