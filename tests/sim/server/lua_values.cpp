#include "sim/server/lua_values.hpp"

#include "sim/server/reply.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

namespace redlatch::sim::lua {
namespace {

constexpr double two_to_63 = 9223372036854775808.0;
constexpr double exact_integers = 1e15; // "%.17g" shows an integer below this in full

// As the processors of Redis' servers do it: toward zero, and one value for all that does not fit.
std::int64_t truncated(double number) noexcept {
    if (!(number >= -two_to_63 && number < two_to_63)) return std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(number);
}

std::size_t write_number(double number, char (&text)[32]) {
    if (std::abs(number) < exact_integers && std::trunc(number) == number && !(number == 0 && std::signbit(number)))
        return static_cast<std::size_t>(std::to_chars(text, text + sizeof text, truncated(number)).ptr - text);
    return static_cast<std::size_t>(std::snprintf(text, sizeof text, "%.17g", number));
}

std::string_view take_line(std::string_view& resp) {
    auto const end = resp.find("\r\n");
    auto const line = resp.substr(0, end);
    resp.remove_prefix(end + 2);
    return line;
}

std::int64_t number_in(std::string_view line) {
    std::int64_t number = 0;
    std::from_chars(line.data(), line.data() + line.size(), number);
    return number;
}

void push_field(lua_State* lua, char const* name, std::string_view text) {
    lua_createtable(lua, 0, 1);
    lua_pushlstring(lua, text.data(), text.size());
    lua_setfield(lua, -2, name);
}

// Raw: a script's metatables have no say, and no error of theirs can come up here.
void push_field_of_top(lua_State* lua, char const* name) {
    lua_pushstring(lua, name);
    lua_rawget(lua, -2);
}

void table_to_reply(lua_State* lua, std::string& out) {
    if (auto const text = text_field(lua, "err"); text.data() != nullptr) return reply::error(out, text);
    if (auto const text = text_field(lua, "ok"); text.data() != nullptr) {
        std::string line(text);
        for (char& byte : line) {
            if (byte == '\r' || byte == '\n') byte = ' ';
        }
        return reply::status(out, line);
    }
    push_field_of_top(lua, "double");
    bool const is_double = lua_type(lua, -1) == LUA_TNUMBER;
    double const number = lua_tonumber(lua, -1);
    lua_pop(lua, 1);
    if (is_double) {
        char text[32];
        return reply::bulk(out, {text, write_number(number, text)});
    }
    // The array ends at the first nil; how long it is, is known only then.
    std::string items;
    std::size_t count = 0;
    for (;; ++count) {
        lua_rawgeti(lua, -1, static_cast<int>(count) + 1);
        if (lua_isnil(lua, -1)) break;
        pop_reply(lua, items);
    }
    lua_pop(lua, 1);
    reply::array(out, count);
    out += items;
}

} // namespace

std::string_view text_at(lua_State* lua, int place) {
    std::size_t size = 0;
    char const* const text = lua_tolstring(lua, place, &size);
    return {text, size};
}

std::string_view text_field(lua_State* lua, char const* name) {
    push_field_of_top(lua, name);
    auto const text = lua_type(lua, -1) == LUA_TSTRING ? text_at(lua, -1) : std::string_view();
    lua_pop(lua, 1);
    return text;
}

bool make_text(lua_State* lua, int place) {
    int const type = lua_type(lua, place);
    if (type == LUA_TSTRING) return true;
    if (type != LUA_TNUMBER) return false;
    char text[32];
    lua_pushlstring(lua, text, write_number(lua_tonumber(lua, place), text));
    lua_replace(lua, place);
    return true;
}

void push_reply(lua_State* lua, std::string_view& resp) {
    luaL_checkstack(lua, 4, nullptr);
    auto const line = take_line(resp);
    auto const rest = line.substr(1);
    switch (line.front()) {
    case '+': return push_field(lua, "ok", rest);
    case '-':
        push_error(lua, line);
        lua_pushboolean(lua, 1);
        return lua_setfield(lua, -2, "ignore_error_stats_update"); // scripts see it in pairs()
    case ':': return lua_pushnumber(lua, static_cast<double>(number_in(rest)));
    case '$': {
        auto const size = number_in(rest);
        if (size < 0) return lua_pushboolean(lua, 0);
        lua_pushlstring(lua, resp.data(), static_cast<std::size_t>(size));
        return resp.remove_prefix(static_cast<std::size_t>(size) + 2);
    }
    default: break; // '*', the last one
    }
    auto const items = static_cast<int>(number_in(rest));
    lua_createtable(lua, items, 0);
    for (int item = 1; item <= items; ++item) {
        push_reply(lua, resp);
        lua_rawseti(lua, -2, item);
    }
}

void push_error(lua_State* lua, std::string_view text) {
    while (text.ends_with('\r') || text.ends_with('\n')) text.remove_suffix(1);
    bool const has_code = text.starts_with('-') && text.find(' ') != std::string_view::npos;
    if (text.starts_with('-')) text.remove_prefix(1);
    if (has_code) return push_field(lua, "err", text);
    // Joined by Lua: its errors unwind no C++ object.
    lua_createtable(lua, 0, 1);
    lua_pushliteral(lua, "ERR ");
    lua_pushlstring(lua, text.data(), text.size());
    lua_concat(lua, 2);
    lua_setfield(lua, -2, "err");
}

void pop_reply(lua_State* lua, std::string& out) {
    if (lua_checkstack(lua, 4) == 0) {
        reply::error(out, "ERR reached lua stack limit");
        return lua_pop(lua, 1);
    }
    switch (lua_type(lua, -1)) {
    case LUA_TSTRING: reply::bulk(out, text_at(lua, -1)); break;
    case LUA_TBOOLEAN: lua_toboolean(lua, -1) != 0 ? reply::integer(out, 1) : reply::nil(out); break;
    case LUA_TNUMBER: reply::integer(out, truncated(lua_tonumber(lua, -1))); break;
    case LUA_TTABLE: table_to_reply(lua, out); break;
    default: reply::nil(out);
    }
    lua_pop(lua, 1);
}

} // namespace redlatch::sim::lua
