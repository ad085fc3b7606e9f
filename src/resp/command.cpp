#include "resp/command.hpp"

#include <charconv>
#include <limits>

namespace redlatch::resp {
namespace {

// One length line: "*3\r\n" or "$5\r\n".
void append_length(std::string& out, char type, std::size_t length) {
    char line[std::numeric_limits<std::size_t>::digits10 + 4];
    line[0] = type;
    char* end = std::to_chars(line + 1, line + sizeof line - 2, length).ptr;
    *end++ = '\r';
    *end++ = '\n';
    out.append(line, end);
}

} // namespace

void append_command(std::string& out, std::span<std::string_view const> arguments) {
    append_header(out, arguments.size());
    for (auto const& argument : arguments) append_argument(out, argument);
}

void append_header(std::string& out, std::size_t arguments) {
    append_length(out, '*', arguments);
}

void append_argument(std::string& out, std::string_view argument) {
    append_length(out, '$', argument.size());
    out.append(argument);
    out.append("\r\n", 2);
}

void append_command(std::string& out, std::initializer_list<std::string_view> arguments) {
    append_command(out, std::span(arguments.begin(), arguments.size()));
}

} // namespace redlatch::resp
