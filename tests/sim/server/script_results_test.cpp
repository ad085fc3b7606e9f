// What scripts return and how they fail, as a table: the simulated and a real server give the same bytes. The simulated one is
// Redis 7.0; what later versions say otherwise is compared with that version only.
#include "sim/server/node_client.hpp"
#include "support/redis_server.hpp"
#include "support/resp_scanner.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

namespace redlatch::sim {
namespace {

// A real server's reply as it came.
class wire {
public:
    explicit wire(test::endpoint const& where) : socket_(test::connect_to(where)) {}

    template <class... Words> std::string operator()(Words const&... words) {
        auto const bytes = encoded({std::string_view(words)...});
        EXPECT_EQ(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
        std::string reply;
        while (reply.empty() || !test::value_length(reply)) {
            char piece[4096];
            auto const got = ::recv(socket_.get(), piece, sizeof piece, 0);
            if (got <= 0) return reply + "<the end>";
            reply.append(piece, static_cast<std::size_t>(got));
        }
        return reply;
    }

private:
    test::descriptor socket_;
};

class script_results : public testing::Test {
protected:
    // Each script sees a string "s", a hash "h" and two keys and two arguments.
    void expect_same(std::initializer_list<std::string_view> scripts) {
        for (auto const script : scripts) {
            SCOPED_TRACE(script);
            for (auto const* const setting : {"DEL", "SET", "HSET"}) prepare(setting);
            EXPECT_EQ(simulated_("EVAL", script, "2", "s", "h", "first", "12"),
                      real_("EVAL", script, "2", "s", "h", "first", "12"));
        }
    }

    void expect_same_as_7_0(std::initializer_list<std::string_view> scripts) {
        if (real_("INFO", "server").find("redis_version:7.0.") != std::string::npos) expect_same(scripts);
    }

private:
    void prepare(std::string_view name) {
        auto const both = [&](auto const&... words) { EXPECT_EQ(simulated_(words...), real_(words...)); };
        if (name == "DEL") both("DEL", "s", "h", "n");
        if (name == "SET") both("SET", "s", "text");
        if (name == "HSET") both("HSET", "h", "field", "1", "word", "x");
    }

    test::redis_server server_;
    wire real_{server_.address()};
    redis_node node_{{}};
    node_client simulated_{node_};
};

TEST_F(script_results, convert_lua_values_to_replies) {
    expect_same({
        "return 1",
        "return 3.99",
        "return -3.99",
        "return -0.5",
        "return 1e15",
        "return 9007199254740993",
        "return 1e300",
        "return -1e300",
        "return 0/0",
        "return 1/0",
        "return true",
        "return false",
        "return nil",
        "return",
        "return ''",
        "return 'text'",
        "return 'a\\0b'",
        "return 'a\\r\\nb'",
        "return 1, 2",
        "return {}",
        "return {{}}",
        "return {1, 2, nil, 4}",
        "return {nil, 1}",
        "return {1, {2, 'x'}, 3.5, true, false, 'y'}",
        "return {1, false, 2}",
        "return {a = 1}",
        "return {1, 2, a = 3}",
        "return {ok = 'fine'}",
        "return {ok = ''}",
        "return {ok = 1}",
        "return {ok = 'a\\r\\nb'}",
        "return {err = 'MY error'}",
        "return {err = 'lonely'}",
        "return {err = 'a\\r\\nb'}",
        "return {err = 'line end\\r\\n'}",
        "return {err = 1}",
        "return {err = 1, 5}",
        "return {{err = 'MY error'}, {ok = 'fine'}}",
        "return {double = 2}",
        "return {double = 1e20}",
        "return {double = 'x'}",
        "return redis.status_reply('S')",
        "return redis.status_reply('a b')",
        "return redis.error_reply('MY x')",
        "return redis.error_reply('-MY x')",
        "return redis.error_reply('lonely')",
        "return redis.error_reply('-lonely')",
        "return redis.error_reply('')",
        "return redis.error_reply('a b\\r\\n')",
        "return redis.error_reply()",
        "return redis.error_reply(1)",
        "return redis.status_reply(1)",
        "return redis.status_reply('a', 'b')",
        "return function() end",
        "return coroutine.create(function() end)",
        "return setmetatable({}, {__index = function(t, i) if i < 4 then return i end end})",
    });
    expect_same_as_7_0({
        // the shortest number that reads the same, later
        "return {double = 3.3}",
    });
}

TEST_F(script_results, convert_replies_to_lua_values) {
    expect_same({
        "return redis.call('get', KEYS[1])",
        "return {type(redis.call('get', 'nobody')), redis.call('get', 'nobody')}",
        "return redis.call('get', 'nobody') == false",
        "return type(redis.call('exists', KEYS[1]))",
        "return type(redis.call('set', KEYS[1], 'x'))",
        "return redis.call('set', KEYS[1], 'x').ok",
        "return redis.call('set', KEYS[1], 'x')",
        "return redis.call('hgetall', KEYS[2])",
        "return #redis.call('hgetall', KEYS[2])",
        "return #redis.call('hgetall', 'nobody')",
        "return redis.call('ping')",
        "return redis.call('ping', 'x')",
        "return redis.call('pttl', 'nobody') + 0.5",
        "return redis.call('scan', '0', 'match', 'nobody')",
        "return type(redis.call('scan', '0')[1])",
        "return redis.pcall('hget', KEYS[1], 'f').err",
        "local t = {} for k, v in pairs(redis.pcall('hget', KEYS[1], 'f')) do t[#t + 1] = k .. '=' .. tostring(v) end "
        "table.sort(t) return t",
        "return redis.call('select', 3)",
        "redis.call('select', 3) return redis.call('exists', KEYS[1])",
        "return redis.call('exists', KEYS[1])",
    });
}

TEST_F(script_results, convert_arguments_of_commands) {
    expect_same({
        "redis.call('set', KEYS[1], 1.5) return redis.call('get', KEYS[1])",
        "redis.call('set', KEYS[1], 1e20) return redis.call('get', KEYS[1])",
        "redis.call('set', KEYS[1], 1e15) return redis.call('get', KEYS[1])",
        "redis.call('set', KEYS[1], 123456789012345) return redis.call('get', KEYS[1])",
        "redis.call('set', KEYS[1], 12345678901234567) return redis.call('get', KEYS[1])",
        "redis.call('set', KEYS[1], -3) return redis.call('get', KEYS[1])",
        "redis.call('set', KEYS[1], tonumber(ARGV[2]) + 1) return redis.call('get', KEYS[1])",
        "redis.call('set', KEYS[1], ARGV[2] * 2) return redis.call('get', KEYS[1])",
        "redis.call('set', KEYS[1], tostring(1e15)) return redis.call('get', KEYS[1])",
        "redis.call('set', KEYS[1], '') return redis.call('get', KEYS[1])",
        "redis.call('SeT', KEYS[1], 'mixed case') return redis.call('GET', KEYS[1])",
        "return redis.call('get', true)",
        "return redis.call('get', nil)",
        "return redis.call('get', {})",
        "return redis.pcall('get', {})",
        "return redis.call({})",
        "return redis.call()",
        "return redis.pcall()",
        "return redis.call('')",
        "return redis.call(1)",
        "return {KEYS[1], KEYS[2], KEYS[3], ARGV[1]}",
        "return {#KEYS, #ARGV, ARGV[2]}",
    });
    expect_same_as_7_0({
        // the shortest number that reads the same, later
        "redis.call('set', KEYS[1], 0.1) return redis.call('get', KEYS[1])",
        "redis.call('set', KEYS[1], 1e17) return redis.call('get', KEYS[1])",
        "redis.call('set', KEYS[1], -0) return redis.call('get', KEYS[1])",
        "redis.call('set', KEYS[1], 0 * -1) return redis.call('get', KEYS[1])",
    });
}

TEST_F(script_results, fail_in_the_same_words) {
    expect_same({
        "return redis.call('hget', KEYS[1], 'f')",
        "return redis.pcall('hget', KEYS[1], 'f')",
        "return redis.call('nosuch', 's')",
        "return redis.pcall('nosuch', 's')",
        "return redis.call('get')",
        "return redis.call('hget', 's', 'f', 'g')",
        "return redis.call('hset', 'h', 'f')",
        "return redis.call('hset', 'h', 'f', 1, 'g')",
        "return redis.call('subscribe', 'x')",
        "return redis.call('eval', 'return 1', 0)",
        "return redis.call('client')",
        "return redis.call('client', 'id')",
        "return redis.call('client', 'nosuch')",
        "return redis.call('client|id')",
        "return redis.call('script', 'load', 'x')",
        "return redis.call('auth', 'x')",
        "return redis.call('quit')",
        "\n\nreturn redis.call('hget', KEYS[1], 'f')",
        "local function deep() return redis.call('hget', KEYS[1], 'f') end\nreturn deep()",
        "return nosuch",
        "return nosuch.field",
        "nosuch = 1",
        "KEYS = {}",
        "redis.foo = 1",
        "redis.call = nil",
        "string.foo = 1",
        "_G.x = 1",
        "return _G.x",
        "return redis.foo",
        "return io",
        "return print",
        "return require",
        "return debug",
        "return tonumber(nil) + 1",
        "return 'a' < 1",
        "return #5",
        "local t = nil return t.x",
        "return ('x'):nosuch()",
        "error('boom')",
        "error('boom', 0)",
        "error('boom', 2)",
        "error(7)",
        "error({err = 'boom'})",
        "error({err = 'BOOM x'})",
        "error({err = 'BOOM x', line = '7'})",
        "error('a\\r\\nb')",
        "error('line end\\r\\n')",
        "assert(false)",
        "assert(false, 'told')",
        "return pcall(redis.call, 'hget', KEYS[1], 'f')",
        "local ok, problem = pcall(redis.call, 'hget', KEYS[1], 'f') return {type(problem), problem}",
        "local ok, problem = pcall(error, 'boom') return {tostring(ok), problem}",
        "local ok, problem = pcall(error) return {tostring(ok), type(problem)}",
        "return {pcall(function() return 1, 2 end)}",
        "return {xpcall(function() return 1, 2 end, tostring)}",
        "x x",
        "return redis.call('get'",
        "\n\nreturn 'open",
        "return redis.sha1hex()",
        "return redis.setresp(4)",
        "return redis.setresp()",
        "return redis.setresp(2)",
        "redis.log('x')",
        "redis.log('x', 'y')",
        "redis.log(redis.LOG_WARNING, 'y')",
        "local t = {} t[1] = t return t",
    });
    expect_same_as_7_0({
        // later there is a clock, and another word for a level
        "return os",
        "redis.log(9, 'y')",
    });
}

TEST_F(script_results, see_the_same_libraries) {
    expect_same({
        "return redis.sha1hex('')",
        "return redis.sha1hex('The quick brown fox jumps over the lazy dog')",
        "return redis.sha1hex(string.rep('a', 119))",
        "return redis.sha1hex(12)",
        "return _VERSION",
        "return table.concat({'a', 1, 2.5}, ',')",
        "return string.format('%5.1f|%d|%s|%q', 2, 3, 'x', 'y')",
        "return ('abc'):upper()",
        "return {string.find('WRONGTYPE x', 'TYPE', 1, true)}",
        "return tostring(nil) .. tostring(true) .. tostring(12) .. tostring(1.5)",
        "return tonumber('0x10')",
        "return tonumber(' 12 ')",
        "return tonumber('12a')",
        "return tonumber('1e2')",
        "return tonumber('ff', 16)",
        "return select('#', 1, 2, 3)",
        "return {unpack({1, 2, 3})}",
        "return {math.floor(2.7), math.max(1, 5), math.huge}",
        "return tostring(math.random())",
        "math.randomseed(17) return {tostring(math.random()), math.random(100), math.random(5, 9)}",
        "return math.random(0)",
        "return {math.random(1, 1000000), math.random(1, 1000000)}",
        "local t = {5, 3, 9} table.sort(t) return t",
        "local t = {} for k in pairs({a = 1}) do t[#t + 1] = k end return t",
        "return loadstring('return 5')()",
        "return type(redis.call) .. type(redis.replicate_commands())",
        "local t = {} for k in string.gmatch('a,b', '%a') do t[#t + 1] = k end return t",
    });
}

TEST_F(script_results, keep_what_was_written_before_a_failure) {
    expect_same({
        "redis.call('set', KEYS[1], 'changed') return redis.call('hget', KEYS[1], 'f')",
        "redis.call('set', 'n', 'made') error('boom')",
        "return {redis.call('get', KEYS[1]), redis.call('get', 'n')}",
    });
}

} // namespace
} // namespace redlatch::sim
