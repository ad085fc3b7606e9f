// Connections of the simulated server: bytes in pieces, broken streams, messages, and their ends.
#include "sim/server/node_client.hpp"

#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

constexpr auto confirmed = "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n";
constexpr auto told = "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n";

TEST(node_connections, execute_a_command_with_its_last_byte) {
    redis_node node({});
    node_client client(node);
    auto const bytes = encoded({"SET", "k", "a\r\nb"}) + encoded({"GET", "k"});
    std::string output;
    for (std::size_t i = 0; i + 1 < bytes.size(); ++i) output += client.send(bytes.substr(i, 1));
    EXPECT_EQ(output, "+OK\r\n");
    EXPECT_EQ(client.send(bytes.substr(bytes.size() - 1)), "$4\r\na\r\nb\r\n");
}

TEST(node_connections, answer_a_pipeline_in_order) {
    redis_node node({});
    node_client client(node);
    EXPECT_EQ(client.send(encoded({"PING", "1"}) + "PING 2\r\n\r\n*0\r\n" + encoded({"PING", "3"}) + "*1\r\n$4\r\nPI"),
              "$1\r\n1\r\n$1\r\n2\r\n$1\r\n3\r\n");
    EXPECT_EQ(client.send("NG\r\n"), "+PONG\r\n");
}

TEST(node_connections, end_after_a_protocol_error) {
    struct {
        std::string bytes;
        std::string_view problem;
    } const cases[] = {
        {"*x\r\n", "invalid multibulk length"},
        {"*01\r\n", "invalid multibulk length"},
        {"*2147483648\r\n", "invalid multibulk length"},
        {"*1\r\n+PING\r\n", "expected '$', got '+'"},
        {"*1\r\n\r\n", "expected '$', got ' '"},
        {"*1\r\n$x\r\n", "invalid bulk length"},
        {"*1\r\n$-1\r\n", "invalid bulk length"},
        {"*1\r\n$536870913\r\n", "invalid bulk length"},
        {"*" + std::string(70'000, '1'), "too big mbulk count string"},
        {"*1\r\n$" + std::string(70'000, '1'), "too big bulk count string"},
        {std::string(70'000, 'x'), "too big inline request"},
    };
    for (auto const& [bytes, problem] : cases) {
        redis_node node({});
        node_client client(node);
        EXPECT_EQ(client.send(encoded({"PING"}) + bytes),
                  "+PONG\r\n-ERR Protocol error: " + std::string(problem) + "\r\n");
        EXPECT_TRUE(client.ended());
        EXPECT_EQ(node.take_active(), std::vector{client.id()});
        EXPECT_EQ(client("PING"), "");
        EXPECT_EQ(node.clients(), 0u);
    }
}

TEST(node_connections, take_small_commands_only_before_authentication) {
    node_settings const locked{.users = {{"default", {.password = "secret"}}}};
    for (std::string const bytes : {"*11\r\n", "*1\r\n$16385\r\n"}) {
        redis_node node(locked);
        node_client stranger(node);
        EXPECT_NE(stranger.send(bytes).find("-ERR Protocol error: unauthenticated"), std::string::npos);
        node_client user(node);
        EXPECT_EQ(user("AUTH", "secret"), "+OK\r\n");
        EXPECT_EQ(user.send(bytes), "");
        EXPECT_FALSE(user.ended());
    }
}

TEST(node_messages, reach_every_listener_in_order) {
    redis_node node({});
    node_client one(node);
    node_client other(node);
    node_client speaker(node);
    EXPECT_EQ(one("SUBSCRIBE", "c"), confirmed);
    EXPECT_EQ(other("PSUBSCRIBE", "[a-c]", "d*"),
              "*3\r\n$10\r\npsubscribe\r\n$5\r\n[a-c]\r\n:1\r\n*3\r\n$10\r\npsubscribe\r\n$2\r\nd*\r\n:2\r\n");
    node.take_active();
    EXPECT_EQ(speaker("PUBLISH", "c", "m"), ":2\r\n");
    EXPECT_EQ(speaker("PUBLISH", "d", "n"), ":1\r\n");
    EXPECT_EQ(speaker("PUBLISH", "e", "m"), ":0\r\n");
    EXPECT_EQ(speaker("EVAL", "return redis.call('publish', 'c', 'm')", "0"), ":2\r\n");
    EXPECT_EQ(node.take_active(), (std::vector{one.id(), other.id(), speaker.id()}));
    EXPECT_EQ(one.received(), std::string(told) + told);
    EXPECT_EQ(other.received(), "*4\r\n$8\r\npmessage\r\n$5\r\n[a-c]\r\n$1\r\nc\r\n$1\r\nm\r\n"
                                "*4\r\n$8\r\npmessage\r\n$2\r\nd*\r\n$1\r\nd\r\n$1\r\nn\r\n"
                                "*4\r\n$8\r\npmessage\r\n$5\r\n[a-c]\r\n$1\r\nc\r\n$1\r\nm\r\n");
}

TEST(node_messages, do_not_reach_who_has_left) {
    redis_node node({});
    node_client left(node);
    node_client gone(node);
    node_client speaker(node);
    left("SUBSCRIBE", "c");
    gone("SUBSCRIBE", "c");
    EXPECT_EQ(left("UNSUBSCRIBE"), "*3\r\n$11\r\nunsubscribe\r\n$1\r\nc\r\n:0\r\n");
    node.disconnect(gone.id());
    EXPECT_EQ(speaker("PUBLISH", "c", "m"), ":0\r\n");
    EXPECT_EQ(left("GET", "k"), "$-1\r\n") << "an ordinary connection again";
}

TEST(node_messages, a_listener_may_do_little_else) {
    redis_node node({});
    node_client client(node);
    client("SUBSCRIBE", "c");
    EXPECT_EQ(client("GET", "k"),
              "-ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in "
              "this context\r\n");
    EXPECT_EQ(client("PING", "x"), "*2\r\n$4\r\npong\r\n$1\r\nx\r\n");
}

TEST(node_kill, needs_the_id_and_the_address_where_both_are_given) {
    redis_node node({});
    node_client old(node, "10.0.0.2:1");
    node_client fresh(node, "10.0.0.2:2");
    EXPECT_EQ(fresh("CLIENT", "KILL", "ID", "1", "ADDR", "10.0.0.2:9"), ":0\r\n");
    EXPECT_FALSE(old.ended());
    EXPECT_EQ(fresh("CLIENT", "KILL", "ID", "1", "ADDR", "10.0.0.2:1"), ":1\r\n");
    EXPECT_TRUE(old.ended());
    EXPECT_EQ(fresh("CLIENT", "KILL", "ID", "1", "ADDR", "10.0.0.2:1"), ":0\r\n") << "there is nobody any more";
}

TEST(node_kill, drops_what_was_sent_before_and_comes_later) {
    redis_node node({});
    node_client old(node, "10.0.0.2:1");
    node_client fresh(node, "10.0.0.2:2");
    auto const late = encoded({"SET", "k", "v"});
    old.send(late.substr(0, late.size() - 1));
    EXPECT_EQ(fresh("CLIENT", "KILL", "ID", "1"), ":1\r\n");
    EXPECT_EQ(old.send(late.substr(late.size() - 1)), "");
    EXPECT_EQ(fresh("EXISTS", "k"), ":0\r\n");
    EXPECT_EQ(node.take_active(), (std::vector{old.id(), fresh.id()}));
    node.disconnect(old.id());
    EXPECT_EQ(node.clients(), 1u);
}

TEST(node_kill, ends_a_listener_with_its_subscriptions) {
    redis_node node({});
    node_client listener(node);
    node_client other(node);
    listener("SUBSCRIBE", "c");
    EXPECT_EQ(other.send(encoded({"PUBLISH", "c", "m"}) + encoded({"CLIENT", "KILL", "ID", "1"})
                         + encoded({"PUBLISH", "c", "m"})),
              ":1\r\n:1\r\n:0\r\n");
    EXPECT_EQ(listener.received(), "") << "the message was not on its way yet";
}

TEST(node_kill, of_oneself_is_answered_first) {
    redis_node node({});
    node_client client(node, "10.0.0.2:1");
    EXPECT_EQ(client("CLIENT", "KILL", "ADDR", "10.0.0.2:1"), ":0\r\n");
    EXPECT_FALSE(client.ended());
    EXPECT_EQ(client.send(encoded({"CLIENT", "KILL", "10.0.0.2:1"}) + encoded({"PING"})), "+OK\r\n");
    EXPECT_TRUE(client.ended());
}

} // namespace
} // namespace redlatch::sim
