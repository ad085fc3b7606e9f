// Scripts in Lua 5.1, with what Redis gives them: KEYS, ARGV, redis.call and its kin, and nothing of the machine.
//
// Not here: cjson, cmsgpack, struct and bit, script flags ("#!lua flags=..."), RESP3 within scripts, and time limits.
#pragma once

#include "sim/server/redis_node.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct lua_State;

namespace redlatch::sim {

struct call;

class lua_engine {
public:
    explicit lua_engine(redis_node::state& node);
    ~lua_engine();

    bool knows(std::string_view sha1) const;
    auto const& known() const noexcept { return functions_; }
    /// Compiles the text unless it is known; what is wrong with it, or nothing.
    std::string load(std::string_view sha1, std::string_view text);
    /// Runs a known script for EVAL or EVALSHA, whose words are SCRIPT, NUMBER, KEYS, ARGV, and answers.
    void run(std::string_view sha1, call& one, std::size_t keys);
    /// Forgets every script and all that they may have left behind.
    void flush();

private:
    struct closer {
        void operator()(lua_State* lua) const noexcept;
    };
    struct running {
        call* caller;
        std::size_t database;
        bool wrote; ///< from the first write on, memory is given
    };

    static int redis_call(lua_State* lua);
    static int redis_pcall(lua_State* lua);
    void execute_for_script(lua_State* lua);
    void execute_words(std::span<std::string_view const> argv, std::string& out);
    std::string told_to_script(std::string_view misplaced, std::string_view command) const;

    redis_node::state& node_;
    std::unique_ptr<lua_State, closer> lua_;
    std::map<std::string, int, std::less<>> functions_; ///< in Lua's registry, by SHA-1
    running running_{};
    std::uint64_t random_ =
        0x1234abcd330e; ///< as the generator begins without a seed; it goes on from script to script
    std::vector<std::string_view> argv_;
    std::string reply_;
};

} // namespace redlatch::sim
