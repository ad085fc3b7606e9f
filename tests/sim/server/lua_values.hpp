// Between Lua's values and replies of the server, both ways, as Redis converts them.
#pragma once

#include <lua.hpp>
#include <string>
#include <string_view>

namespace redlatch::sim::lua {

/// Pushes the first reply of `resp`, which is consumed: integers as numbers, nil as false, errors as {err=...}.
void push_reply(lua_State* lua, std::string_view& resp);

/// Pushes {err=TEXT}. TEXT is "-CODE words", or words that get the code ERR.
void push_error(lua_State* lua, std::string_view text);

/// Appends the value on top of the stack as a reply, and pops it.
void pop_reply(lua_State* lua, std::string& out);

/// Replaces a number at this place of the stack by its text. False: it is neither a string nor a number.
bool make_text(lua_State* lua, int place);

/// The text of a string at this place of the stack; it lives as long as it is there.
std::string_view text_at(lua_State* lua, int place);

/// The string in field `name` of the table on top of the stack; empty view with a null pointer if there is none.
/// It lives as long as the table holds it.
std::string_view text_field(lua_State* lua, char const* name);

} // namespace redlatch::sim::lua
