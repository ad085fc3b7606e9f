#include "sim/server/lua_sandbox.hpp"

#include "sim/server/lua_values.hpp"
#include "sim/server/sha1.hpp"

#include <cstdint>
#include <limits>

// Lua's errors jump over C++ frames: where one may be raised, no object with a destructor is alive.
namespace redlatch::sim::lua {
namespace {

char const globals_key = 0;

int raise(lua_State* lua, char const* text) {
    push_error(lua, text);
    return lua_error(lua);
}

int refuse_write(lua_State* lua) {
    return luaL_error(lua, "Attempt to modify a readonly table");
}

int refuse_read(lua_State* lua) {
    char const* const name = lua_tostring(lua, 2);
    return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'", name != nullptr ? name : "?");
}

// Replaces the table on top by an empty one that shows its contents and cannot be written.
void protect(lua_State* lua) {
    lua_newtable(lua);
    lua_createtable(lua, 0, 2);
    lua_pushvalue(lua, -3);
    lua_setfield(lua, -2, "__index");
    lua_pushcfunction(lua, refuse_write);
    lua_setfield(lua, -2, "__newindex");
    lua_setmetatable(lua, -2);
    lua_remove(lua, -2);
}

void open(lua_State* lua, char const* name, lua_CFunction library) {
    lua_pushcfunction(lua, library);
    lua_pushstring(lua, name);
    lua_call(lua, 1, 0);
}

// The generator of drand48(), which Redis gives scripts instead of the machine's; its state is the upvalue of both functions.
std::uint64_t& random_state(lua_State* lua) {
    return *static_cast<std::uint64_t*>(lua_touserdata(lua, lua_upvalueindex(1)));
}

int random_number(lua_State* lua) {
    auto& state = random_state(lua);
    constexpr std::uint64_t bits48 = (std::uint64_t{1} << 48) - 1;
    state = (state * 0x5deece66d + 0xb) & bits48;
    constexpr auto most = std::numeric_limits<std::int32_t>::max();
    double const number = static_cast<double>((state >> 17) % most) / most;
    switch (lua_gettop(lua)) {
    case 0: lua_pushnumber(lua, number); break;
    case 1: {
        int const high = luaL_checkint(lua, 1);
        luaL_argcheck(lua, 1 <= high, 1, "interval is empty");
        lua_pushnumber(lua, static_cast<double>(static_cast<std::int64_t>(number * high)) + 1);
        break;
    }
    case 2: {
        int const low = luaL_checkint(lua, 1);
        int const high = luaL_checkint(lua, 2);
        luaL_argcheck(lua, low <= high, 2, "interval is empty");
        double const span = static_cast<double>(high) - low + 1;
        lua_pushnumber(lua, static_cast<double>(static_cast<std::int64_t>(number * span)) + low);
        break;
    }
    default: return luaL_error(lua, "wrong number of arguments");
    }
    return 1;
}

int random_seed(lua_State* lua) {
    constexpr std::uint64_t low_bits = 0x330e;
    auto const seed = static_cast<std::uint32_t>(luaL_checkint(lua, 1));
    random_state(lua) = static_cast<std::uint64_t>(seed) << 16 | low_bits;
    return 0;
}

// A failed redis.call is a table; scripts have always seen a text.
int pcall_with_text(lua_State* lua) {
    luaL_checkany(lua, 1);
    int const status = lua_pcall(lua, lua_gettop(lua) - 1, LUA_MULTRET, 0);
    lua_pushboolean(lua, status == 0 ? 1 : 0);
    lua_insert(lua, 1);
    if (status != 0 && lua_istable(lua, -1)) lua_getfield(lua, -1, "err");
    if (status != 0 && lua_gettop(lua) == 3) lua_remove(lua, 2);
    return lua_gettop(lua);
}

int sha1hex(lua_State* lua) {
    if (lua_gettop(lua) != 1) return raise(lua, "wrong number of arguments");
    std::size_t size = 0;
    char const* const bytes = lua_tolstring(lua, 1, &size);
    {
        auto const hex = sha1_hex({bytes, size});
        lua_pushlstring(lua, hex.data(), hex.size());
    }
    return 1;
}

// error_reply and status_reply: the name of the field is their upvalue.
int single_field(lua_State* lua) {
    if (lua_gettop(lua) != 1 || lua_type(lua, 1) != LUA_TSTRING) {
        push_error(lua, "wrong number or type of arguments");
        return 1;
    }
    if (lua_toboolean(lua, lua_upvalueindex(1)) != 0) {
        if (!text_at(lua, 1).starts_with('-')) {
            lua_pushliteral(lua, "-");
            lua_insert(lua, 1);
            lua_concat(lua, 2);
        }
        push_error(lua, text_at(lua, 1));
        return 1;
    }
    lua_createtable(lua, 0, 1);
    lua_pushvalue(lua, 1);
    lua_setfield(lua, -2, "ok");
    return 1;
}

int set_protocol(lua_State* lua) {
    if (lua_gettop(lua) != 1) return raise(lua, "redis.setresp() requires one argument.");
    if (lua_tonumber(lua, 1) != 2)
        return raise(lua, "RESP version must be 2 or 3."); // 3 is refused too: it is not here
    return 0;
}

int log(lua_State* lua) {
    if (lua_gettop(lua) < 2) return raise(lua, "redis.log() requires two arguments or more.");
    if (lua_isnumber(lua, 1) == 0) return raise(lua, "First argument must be a number (log level).");
    if (lua_tonumber(lua, 1) < 0 || lua_tonumber(lua, 1) > 3) return raise(lua, "Invalid debug level.");
    return 0;
}

int replicate_commands(lua_State* lua) {
    lua_pushboolean(lua, 1);
    return 1;
}

void make_redis_table(lua_State* lua, from_engine const& given) {
    lua_newtable(lua);
    auto const add = [&](char const* name, lua_CFunction function) {
        lua_pushcclosure(lua, function, 1);
        lua_setfield(lua, -2, name);
    };
    lua_pushlightuserdata(lua, given.engine);
    add("call", given.call);
    lua_pushlightuserdata(lua, given.engine);
    add("pcall", given.pcall);
    lua_pushboolean(lua, 1);
    add("error_reply", single_field);
    lua_pushboolean(lua, 0);
    add("status_reply", single_field);
    luaL_Reg const plain[] = {{"log", log},
                              {"replicate_commands", replicate_commands},
                              {"setresp", set_protocol},
                              {"sha1hex", sha1hex},
                              {nullptr, nullptr}};
    luaL_register(lua, nullptr, plain);
    int level = 0;
    for (char const* const name : {"LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING"}) {
        lua_pushinteger(lua, level++);
        lua_setfield(lua, -2, name);
    }
}

} // namespace

void enter_sandbox(lua_State* lua, from_engine const& given) {
    open(lua, "", luaopen_base);
    open(lua, LUA_TABLIBNAME, luaopen_table);
    open(lua, LUA_STRLIBNAME, luaopen_string);
    open(lua, LUA_MATHLIBNAME, luaopen_math);
    for (char const* const name : {"print", "dofile", "loadfile"}) {
        lua_pushnil(lua);
        lua_setglobal(lua, name);
    }
    lua_pushcfunction(lua, pcall_with_text);
    lua_setglobal(lua, "pcall");

    lua_getglobal(lua, LUA_MATHLIBNAME);
    lua_pushlightuserdata(lua, given.random);
    lua_pushcclosure(lua, random_number, 1);
    lua_setfield(lua, -2, "random");
    lua_pushlightuserdata(lua, given.random);
    lua_pushcclosure(lua, random_seed, 1);
    lua_setfield(lua, -2, "randomseed");
    lua_pop(lua, 1);

    for (char const* const name : {LUA_TABLIBNAME, LUA_STRLIBNAME, LUA_MATHLIBNAME}) {
        lua_getglobal(lua, name);
        protect(lua);
        lua_setglobal(lua, name);
    }
    make_redis_table(lua, given);
    protect(lua);
    lua_setglobal(lua, "redis");

    // The true globals go where only the server reaches them; chunks get the protected ones.
    lua_pushlightuserdata(lua, const_cast<char*>(&globals_key));
    lua_pushvalue(lua, LUA_GLOBALSINDEX);
    lua_rawset(lua, LUA_REGISTRYINDEX);
    lua_pushvalue(lua, LUA_GLOBALSINDEX);
    lua_createtable(lua, 0, 1);
    lua_pushcfunction(lua, refuse_read);
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, -2);
    protect(lua);
    lua_pushvalue(lua, -1);
    set_global(lua, "_G");
    lua_replace(lua, LUA_GLOBALSINDEX);
}

void set_global(lua_State* lua, char const* name) {
    lua_pushlightuserdata(lua, const_cast<char*>(&globals_key));
    lua_rawget(lua, LUA_REGISTRYINDEX);
    lua_insert(lua, -2);
    lua_pushstring(lua, name);
    lua_insert(lua, -2);
    lua_rawset(lua, -3);
    lua_pop(lua, 1);
}

int describe_error(lua_State* lua) {
    if (!lua_istable(lua, 1)) {
        lua_pushliteral(lua, "ERR ");
        if (lua_isstring(lua, 1) != 0) {
            lua_pushvalue(lua, 1);
        } else {
            lua_pushstring(lua, luaL_typename(lua, 1)); // error(nil)
        }
        lua_concat(lua, 2);
        lua_createtable(lua, 0, 3);
        lua_insert(lua, -2);
        lua_setfield(lua, -2, "err");
        lua_replace(lua, 1);
    }
    lua_Debug place{};
    // Level 1 raised it; if that is a function of ours, the script is above it.
    bool found = lua_getstack(lua, 1, &place) != 0 && lua_getinfo(lua, "nSl", &place) != 0;
    if (found && *place.what == 'C') found = lua_getstack(lua, 2, &place) != 0 && lua_getinfo(lua, "nSl", &place) != 0;
    if (found) {
        lua_pushstring(lua, place.source);
        lua_setfield(lua, 1, "source");
        lua_pushinteger(lua, place.currentline);
        lua_setfield(lua, 1, "line");
    }
    lua_settop(lua, 1);
    return 1;
}

} // namespace redlatch::sim::lua
