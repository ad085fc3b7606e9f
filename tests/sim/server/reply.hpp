// Replies, encoded in RESP2.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace redlatch::sim::reply {

void status(std::string& out, std::string_view text);
/// `text` begins with its code: "ERR no such key". Line ends within it become blanks.
void error(std::string& out, std::string_view text);
void integer(std::string& out, std::int64_t number);
void bulk(std::string& out, std::string_view bytes);
void nil(std::string& out);
/// The items follow.
void array(std::string& out, std::size_t items);

inline void ok(std::string& out) {
    status(out, "OK");
}
inline void wrong_type(std::string& out) {
    error(out, "WRONGTYPE Operation against a key holding the wrong kind of value");
}
inline void syntax_error(std::string& out) {
    error(out, "ERR syntax error");
}
inline void not_an_integer(std::string& out) {
    error(out, "ERR value is not an integer or out of range");
}

} // namespace redlatch::sim::reply
