#include "sim/server/reply.hpp"

#include <charconv>
#include <limits>

namespace redlatch::sim::reply {
namespace {

void line(std::string& out, char type, std::int64_t number) {
    char text[std::numeric_limits<std::int64_t>::digits10 + 5];
    text[0] = type;
    char* end = std::to_chars(text + 1, text + sizeof text - 2, number).ptr;
    *end++ = '\r';
    *end++ = '\n';
    out.append(text, end);
}

} // namespace

void status(std::string& out, std::string_view text) {
    out.append("+").append(text).append("\r\n");
}

void error(std::string& out, std::string_view text) {
    while (text.ends_with('\r') || text.ends_with('\n')) text.remove_suffix(1);
    out += '-';
    for (char const byte : text) out += byte == '\r' || byte == '\n' ? ' ' : byte;
    out += "\r\n";
}

void integer(std::string& out, std::int64_t number) {
    line(out, ':', number);
}

void bulk(std::string& out, std::string_view bytes) {
    line(out, '$', static_cast<std::int64_t>(bytes.size()));
    out.append(bytes).append("\r\n");
}

void nil(std::string& out) {
    out += "$-1\r\n";
}

void array(std::string& out, std::size_t items) {
    line(out, '*', static_cast<std::int64_t>(items));
}

} // namespace redlatch::sim::reply
