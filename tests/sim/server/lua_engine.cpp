#include "sim/server/lua_engine.hpp"

#include "sim/server/command.hpp"
#include "sim/server/lua_sandbox.hpp"
#include "sim/server/lua_values.hpp"
#include "sim/server/reply.hpp"
#include "sim/server/routing.hpp"

#include <stdexcept>

namespace redlatch::sim {
namespace {

void append_error(lua_State* lua, std::string_view sha1, std::string& out) {
    std::string text = "ERR Error running script";
    if (lua_istable(lua, -1)) {
        text = lua::text_field(lua, "err");
        auto const source = lua::text_field(lua, "source");
        lua_getfield(lua, -1, "line");
        if (source.data() != nullptr && lua_isnumber(lua, -1) != 0) {
            text.append(" script: ").append(sha1).append(", on ").append(source).append(":");
            text.append(lua::text_at(lua, -1)).append(".");
        }
        lua_pop(lua, 1);
    }
    reply::error(out, text);
}

// Globals are set anew for each run; what the last one had is garbage.
void set_words(lua_State* lua, char const* name, std::span<std::string_view const> words) {
    lua_createtable(lua, static_cast<int>(words.size()), 0);
    for (std::size_t i = 0; i < words.size(); ++i) {
        lua_pushlstring(lua, words[i].data(), words[i].size());
        lua_rawseti(lua, -2, static_cast<int>(i) + 1);
    }
    lua::set_global(lua, name);
}

// Empty: a script may run it now.
std::string_view refusal(call const& caller, command const* which, std::size_t words, bool wrote) {
    if (which == nullptr || (which->run == nullptr && words > 1)) return "ERR Unknown Redis command called from script";
    if (!has_arity(*which, words)) return "ERR Wrong number of args calling Redis command from script";
    if ((which->traits & not_in_scripts) != 0) return "ERR This Redis command is not allowed from script";
    auto const* const who = caller.node.user_of(caller.from);
    if (who != nullptr && !permitted(*who, *which))
        return "ERR The user executing the script can't run this command or subcommand";
    if ((which->traits & writes) != 0 && caller.node.read_only)
        return "READONLY You can't write against a read only replica.";
    if ((which->traits & grows) != 0 && caller.node.out_of_memory && !wrote)
        return "OOM command not allowed when used memory > 'maxmemory'.";
    // What a script has begun it may end.
    if ((which->traits & writes) != 0 && caller.node.disk_error && !wrote) return refused::disk_error;
    if ((which->traits & writes) != 0 && caller.node.no_replicas && !wrote) return refused::no_replicas;
    return {};
}

lua_engine& engine_of(lua_State* lua) {
    return *static_cast<lua_engine*>(lua_touserdata(lua, lua_upvalueindex(1)));
}

} // namespace

void lua_engine::closer::operator()(lua_State* lua) const noexcept {
    lua_close(lua);
}

lua_engine::lua_engine(redis_node::state& node) : node_(node) {
    flush();
}

lua_engine::~lua_engine() = default;

void lua_engine::flush() {
    functions_.clear();
    lua_.reset(luaL_newstate());
    if (!lua_) throw std::bad_alloc();
    lua::enter_sandbox(lua_.get(), {this, redis_call, redis_pcall, &random_});
}

bool lua_engine::knows(std::string_view sha1) const {
    return functions_.find(sha1) != functions_.end();
}

std::string lua_engine::load(std::string_view sha1, std::string_view text) {
    if (knows(sha1)) return {};
    if (luaL_loadbuffer(lua_.get(), text.data(), text.size(), "@user_script") != 0) {
        auto const problem = "ERR Error compiling script (new function): " + std::string(lua::text_at(lua_.get(), -1));
        lua_pop(lua_.get(), 1);
        return problem;
    }
    functions_.emplace(sha1, luaL_ref(lua_.get(), LUA_REGISTRYINDEX));
    return {};
}

void lua_engine::run(std::string_view sha1, call& one, std::size_t keys) {
    auto* const lua = lua_.get();
    auto const words = one.argv.subspan(3);
    set_words(lua, "KEYS", words.first(keys));
    set_words(lua, "ARGV", words.subspan(keys));
    lua_pushcfunction(lua, lua::describe_error);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, functions_.find(sha1)->second);
    running_ = {&one, one.database, false};
    bool const failed = lua_pcall(lua, 0, 1, -2) != 0;
    running_.caller = nullptr;
    if (failed) {
        append_error(lua, sha1, one.out);
    } else {
        lua::pop_reply(lua, one.out);
    }
    lua_settop(lua, 0);
}

int lua_engine::redis_call(lua_State* lua) {
    engine_of(lua).execute_for_script(lua);
    // An error of the command ends the script; what it wrote before stays.
    if (lua_istable(lua, -1) && lua::text_field(lua, "err").data() != nullptr) return lua_error(lua);
    return 1;
}

int lua_engine::redis_pcall(lua_State* lua) {
    engine_of(lua).execute_for_script(lua);
    return 1;
}

void lua_engine::execute_for_script(lua_State* lua) {
    int const words = lua_gettop(lua);
    if (words == 0) return lua::push_error(lua, "Please specify at least one argument for this redis lib call");
    argv_.clear();
    for (int i = 1; i <= words; ++i) {
        if (!lua::make_text(lua, i))
            return lua::push_error(lua, "Lua redis lib command arguments must be strings or integers");
        argv_.push_back(lua::text_at(lua, i));
    }
    reply_.clear();
    execute_words(argv_, reply_);
    std::string_view resp = reply_;
    lua::push_reply(lua, resp);
}

std::string lua_engine::told_to_script(std::string_view misplaced, std::string_view command) const {
    if (misplaced.empty()) return {};
    if (!node_.settings.is_newer || !misplaced.starts_with("TRYAGAIN"))
        return "ERR Script attempted to access a non local key in a cluster node";
    return "ERR Unable to execute command '" + std::string(command)
           + "' in script because undeclared keys were accessed during rehashing of the slot";
}

void lua_engine::execute_words(std::span<std::string_view const> argv, std::string& out) {
    auto& caller = *running_.caller;
    auto const* const which = find_command(argv, node_.settings.removed);
    auto problem = std::string(refusal(caller, which, argv.size(), running_.wrote));
    if (problem.empty()) problem = told_to_script(misplaced(node_, caller.from, *which, argv), argv.front());
    if (!problem.empty()) {
        reply::error(out, problem);
    } else {
        running_.wrote = running_.wrote || (which->traits & writes) != 0;
        call one{node_, caller.from, running_.database, argv, out, true};
        which->run(one);
    }
    if (node_.observer) node_.observer({caller.from.id, caller.from.address, argv, out, node_.now_ms, 1});
}

} // namespace redlatch::sim
