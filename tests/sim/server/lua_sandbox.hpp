// The world that a script sees: the harmless libraries, the table `redis`, and globals that it cannot change.
#pragma once

#include <lua.hpp>

namespace redlatch::sim::lua {

/// Makes every script that is compiled from now on see the sandbox. `engine` becomes the first upvalue of both functions.
void enter_sandbox(lua_State* lua, void* engine, lua_CFunction call, lua_CFunction pcall);

/// Pops a value and makes it the global `name`, as only the server may.
void set_global(lua_State* lua, char const* name);

/// math.random begins anew, as at the start of each script.
void restart_random(lua_State* lua);

/// The handler for lua_pcall: makes an error a table {err, source, line}.
int describe_error(lua_State* lua);

} // namespace redlatch::sim::lua
