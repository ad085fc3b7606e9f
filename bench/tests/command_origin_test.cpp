#include "floor/raw_connection.hpp"
#include "measure/command_origin.hpp"
#include "measure/server.hpp"

#include <gtest/gtest.h>

namespace redlatch::bench {
namespace {

TEST(command_origin, commands_of_scripts_are_not_sent_by_clients) {
    command_origin origin;
    origin.add(R"(1700000000.000001 [0 127.0.0.1:5000] "EVALSHA" "abc" "1" "name")");
    origin.add(R"(1700000000.000002 [0 lua] "del" "name")");
    origin.add(R"(1700000000.000003 [0 unix:/tmp/socket] "del" "other")");
    EXPECT_EQ(origin.sent_by_clients({{"evalsha", 10}, {"del", 20}}), 20);
    EXPECT_EQ(origin.sent_by_clients({{"del", 3}}), 1.5);
}

TEST(command_origin, what_was_never_seen_counts_as_sent) {
    command_origin origin;
    origin.add(R"(1700000000.000001 [0 lua] "client" "id")");
    EXPECT_EQ(origin.sent_by_clients({{"ping", 3}}), 3);
    EXPECT_EQ(origin.sent_by_clients({{"client|id", 3}}), 0); // INFO names subcommands, MONITOR does not
}

TEST(command_origin, a_bracket_in_an_argument_is_no_client) {
    command_origin origin;
    origin.add(R"(1700000000.000001 [0 lua] "set" "a [0 127.0.0.1:1] \"get\"" "b")");
    EXPECT_EQ(origin.sent_by_clients({{"set", 1}, {"get", 1}}), 1);
}

TEST(command_origin, a_real_server_is_observed) {
    server const at("redis-server");
    raw_connection asks(at.tcp());
    auto const before = at.work();
    auto const origin = observe(at.tcp(), [&] {
        asks.ask(raw_command({"SET", "a", "1"}));
        asks.ask(raw_command({"EVAL", "redis.call('set', 'b', 1) redis.call('set', 'c', 1) return 1", "0"}));
    });
    auto const after = at.work();
    EXPECT_EQ(after.calls.at("set") - (before.calls.contains("set") ? before.calls.at("set") : 0), 3);
    EXPECT_DOUBLE_EQ(origin.sent_by_clients({{"set", 3}, {"eval", 1}}), 2);
}

TEST(command_origin, an_exception_of_what_is_observed_passes) {
    server const at("redis-server");
    EXPECT_THROW(observe(at.tcp(), [] { throw std::runtime_error("broken"); }), std::runtime_error);
}

} // namespace
} // namespace redlatch::bench
