// The world that a script sees: the harmless libraries, the table `redis`, and globals that it cannot change.
#pragma once

#include <cstdint>
#include <lua.hpp>

namespace redlatch::sim::lua {

struct from_engine {
    void* engine; ///< the upvalue of both functions
    lua_CFunction call;
    lua_CFunction pcall;
    std::uint64_t* random; ///< the state of math.random, 48 bits
};

/// Makes every script that is compiled from now on see the sandbox.
void enter_sandbox(lua_State* lua, from_engine const& given);

/// Pops a value and makes it the global `name`, as only the server may.
void set_global(lua_State* lua, char const* name);

/// The handler for lua_pcall: makes an error a table {err, source, line}.
int describe_error(lua_State* lua);

} // namespace redlatch::sim::lua
