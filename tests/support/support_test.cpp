// The instruments are tested too: a proxy that does not hold back would make every test behind it pass.
#include "support/byte_proxy.hpp"
#include "support/fake_server.hpp"
#include "support/lock_helpers.hpp"
#include "support/monitor.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

namespace redlatch::test {
namespace {

using transport = server_options::transport;

class byte_proxy_test : public ::testing::TestWithParam<transport> {
protected:
    redis_server server{{.over = GetParam()}};
    byte_proxy proxy{server.address()};
    raw_client client{proxy.address()};
};

TEST_P(byte_proxy_test, passes_commands_and_replies_and_records_them) {
    EXPECT_EQ(client.command("SET", "a", "1").text, "OK");
    EXPECT_EQ(client.command("GET", "a").text, "1");
    EXPECT_EQ(proxy.commands(), (std::vector<words>{{"SET", "a", "1"}, {"GET", "a"}}));
    EXPECT_EQ(proxy.count(a_command("get")), 1U);
    EXPECT_EQ(proxy.connections(), 1U);
}

TEST_P(byte_proxy_test, delivers_a_held_tail_late_after_the_client_was_cut) {
    auto const trap = proxy.hold_tail(a_command("INCR"), 10);
    client.send(resp::command("INCR", "n"));
    ASSERT_TRUE(trap.wait());
    trap.cut_client();
    EXPECT_THROW(client.receive(), connection_ended);
    EXPECT_EQ(server.run("GET", "n").type, resp::value::kind::nil);
    EXPECT_EQ(trap.what_happened(), proxy_trap::fate::open);
    server.run("SET", "n", "41");
    trap.deliver();
    EXPECT_EQ(trap.wait_fate(), proxy_trap::fate::answered);
    EXPECT_EQ(server.run("GET", "n").text, "42");
}

TEST_P(byte_proxy_test, a_killed_connection_never_delivers_its_tail) {
    auto const id = std::to_string(client.command("CLIENT", "ID").integer);
    auto const trap = proxy.hold_tail(a_command("INCR"), 10);
    client.send(resp::command("INCR", "n"));
    ASSERT_TRUE(trap.wait());
    EXPECT_EQ(server.run("CLIENT", "KILL", "ID", id).integer, 1);
    EXPECT_EQ(trap.wait_fate(), proxy_trap::fate::ended);
    trap.deliver();
    EXPECT_EQ(server.run("GET", "n").type, resp::value::kind::nil);
}

TEST_P(byte_proxy_test, cuts_before_a_command_and_after_it) {
    auto const before = proxy.cut_before(a_command("INCR"));
    client.send(resp::command("INCR", "n"));
    ASSERT_TRUE(before.wait());
    EXPECT_THROW(client.receive(), connection_ended);
    EXPECT_EQ(server.run("GET", "n").type, resp::value::kind::nil);

    raw_client second(proxy.address());
    auto const after = proxy.cut_after(a_command("INCR"), cut::reset);
    second.send(resp::command("INCR", "n"));
    ASSERT_TRUE(after.wait());
    EXPECT_EQ(after.what_happened(), proxy_trap::fate::answered);
    EXPECT_THROW(second.receive(), connection_ended);
    EXPECT_EQ(server.run("GET", "n").text, "1");
}

TEST_P(byte_proxy_test, holds_a_reply_until_told) {
    auto const trap = proxy.hold_reply(a_command("INCR"));
    client.send(resp::command("INCR", "n"));
    ASSERT_TRUE(trap.wait());
    EXPECT_EQ(server.run("GET", "n").text, "1");
    EXPECT_FALSE(client.receive_if_any(std::chrono::milliseconds(20)));
    trap.deliver();
    EXPECT_EQ(client.receive().integer, 1);
    EXPECT_EQ(client.command("PING").text, "PONG");
}

TEST_P(byte_proxy_test, puts_other_bytes_in_place_of_a_reply) {
    proxy.replace_reply(a_command("INCR"), ":77\r\n");
    EXPECT_EQ(client.command("INCR", "n").integer, 77);
    EXPECT_EQ(client.command("GET", "n").text, "1");
}

TEST_P(byte_proxy_test, holds_drops_and_delays_a_direction) {
    proxy.hold(direction::to_server);
    client.send(resp::command("PING"));
    EXPECT_FALSE(client.receive_if_any(std::chrono::milliseconds(20)));
    proxy.pass(direction::to_server);
    EXPECT_EQ(client.receive().text, "PONG");

    proxy.drop(direction::to_client);
    client.send(resp::command("INCR", "n"));
    ASSERT_TRUE(wait_until([&] { return server.run("GET", "n").text == "1"; }));
    EXPECT_FALSE(client.receive_if_any(std::chrono::milliseconds(20)));
    proxy.pass(direction::to_client);

    proxy.delay(direction::to_client, std::chrono::milliseconds(60));
    auto const start = std::chrono::steady_clock::now();
    EXPECT_EQ(client.command("INCR", "n").integer, 2);
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(59));
}

TEST_P(byte_proxy_test, refuses_connections_and_cuts_all) {
    EXPECT_EQ(client.command("PING").text, "PONG");
    proxy.cut_all();
    EXPECT_THROW(client.receive(), connection_ended);
    proxy.refuse_connections(true);
    raw_client refused(proxy.address());
    EXPECT_THROW(refused.command("PING"), connection_ended);
    proxy.refuse_connections(false);
    raw_client again(proxy.address());
    EXPECT_EQ(again.command("PING").text, "PONG");
}

TEST_P(byte_proxy_test, leads_new_connections_elsewhere) {
    redis_server elsewhere({.over = GetParam()});
    elsewhere.run("SET", "n", "elsewhere");
    proxy.redirect(elsewhere.address());
    EXPECT_TRUE(client.command("GET", "n").is_nil()) << "an open connection stays where it is";
    EXPECT_EQ(raw_client(proxy.address()).command("GET", "n").text, "elsewhere");
}

TEST_P(byte_proxy_test, passes_messages_of_a_subscriber) {
    client.send(resp::command("SUBSCRIBE", "c"));
    EXPECT_EQ(client.receive().items.at(0).text, "subscribe");
    server.run("PUBLISH", "c", "0");
    EXPECT_EQ(client.receive().items.at(0).text, "message");
    auto const trap = proxy.hold_reply(a_command("UNSUBSCRIBE"));
    client.send(resp::command("UNSUBSCRIBE", "c"));
    ASSERT_TRUE(trap.wait());
    EXPECT_FALSE(client.receive_if_any(std::chrono::milliseconds(20)));
}

INSTANTIATE_TEST_SUITE_P(by_transport, byte_proxy_test, ::testing::Values(transport::unix_socket, transport::tcp),
                         [](auto const& over) { return over.param == transport::tcp ? "tcp" : "unix"; });

TEST(redis_server_test, keeps_or_loses_its_data_over_a_crash) {
    redis_server server{{.persistent = true}};
    server.run("SET", "a", "1");
    server.kill9();
    EXPECT_THROW(server.run("PING"), connection_ended);
    server.restart(redis_server::data::kept);
    EXPECT_EQ(server.run("GET", "a").text, "1");
    server.restart(redis_server::data::lost);
    EXPECT_EQ(server.run("GET", "a").type, resp::value::kind::nil);
}

TEST(redis_server_test, is_silent_while_paused) {
    redis_server server;
    auto client = server.admin();
    server.pause();
    client.send(resp::command("PING"));
    EXPECT_FALSE(client.receive_if_any(std::chrono::milliseconds(50)));
    server.resume();
    EXPECT_EQ(client.receive().text, "PONG");
}

TEST(monitor_test, records_commands_with_any_bytes_and_tells_those_of_scripts) {
    redis_server server;
    monitor watch(server);
    // That of Valkey 8.1 escapes neither quotes nor backslashes.
    bool const escapes = server.run("INFO", "server").text.find("valkey_version:8.1") == std::string::npos;
    auto const odd = (escapes ? "a\"\\" : "a\"") + std::string("\n\0\xff", 3);
    watch.forget();
    server.run("SET", odd, "1");
    server.run("EVAL", "return redis.call('get', KEYS[1])", "1", odd);
    auto const commands = watch.commands();
    ASSERT_EQ(commands.size(), 2U);
    EXPECT_EQ(commands[0], (words{"SET", odd, "1"}));
    EXPECT_EQ(watch.entries().size(), 3U);
    EXPECT_EQ(watch.count(a_command("set")), 1U);
    watch.forget();
    EXPECT_EQ(watch.commands().size(), 0U);
    EXPECT_EQ(command_counts(server).at("set"), 1U);
}

TEST(fake_server_test, says_what_it_is_told) {
    fake_server server([](fake_connection& client) {
        if (client.read().find("PING") != std::string::npos) client.write("+nonsense\r\n");
    });
    raw_client client(server.address());
    EXPECT_EQ(client.command("PING").text, "nonsense");
    EXPECT_THROW(client.receive(), connection_ended);
    EXPECT_EQ(server.accepted(), 1);
}

} // namespace
} // namespace redlatch::test
