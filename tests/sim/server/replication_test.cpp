// ROLE and WAIT of the simulated server, whose replicas the test plays.
#include "sim/server/node_client.hpp"

#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

class replication_of : public testing::Test {
protected:
    redis_node node{node_settings{}};
    node_client me{node};

    void all_have_everything() {
        for (int i = 0; i < 2; ++i) node.acknowledge(i, node.writes());
    }
};

TEST_F(replication_of, a_server_without_replicas_waits_until_the_time_is_over) {
    me("SET", "k", "v");
    EXPECT_EQ(me("WAIT", "0", "100"), ":0\r\n");
    EXPECT_EQ(me("WAIT", "1", "100"), "");
    auto const begun = node.take_waits();
    ASSERT_EQ(begun.size(), 1U);
    EXPECT_EQ(begun.front().ms, 100);
    node.end_wait(begun.front().number);
    EXPECT_EQ(me.received(), ":0\r\n");
    node.end_wait(begun.front().number); // once only
    EXPECT_EQ(me.received(), "");
}

TEST_F(replication_of, wait_ends_when_enough_have_what_this_connection_wrote) {
    all_have_everything();
    me("SET", "k", "v");
    EXPECT_EQ(me("WAIT", "2", "100"), "");
    node.acknowledge(0, node.writes());
    EXPECT_EQ(me.received(), "");
    node.acknowledge(1, node.writes());
    EXPECT_EQ(me.received(), ":2\r\n");
}

TEST_F(replication_of, what_another_connection_writes_does_not_matter) {
    me("SET", "k", "v");
    all_have_everything();
    node_client other(node);
    other("SET", "k", "w");
    EXPECT_EQ(me("WAIT", "2", "100"), ":2\r\n");
    EXPECT_EQ(other("WAIT", "2", "100"), "");
}

TEST_F(replication_of, nothing_else_is_answered_meanwhile) {
    me("SET", "k", "v");
    EXPECT_EQ(me("WAIT", "1", "100"), "");
    EXPECT_EQ(me("GET", "k"), "");
    EXPECT_EQ(me("PING"), "");
    node.acknowledge(0, node.writes());
    EXPECT_EQ(me.received(), ":1\r\n$1\r\nv\r\n+PONG\r\n");
}

TEST_F(replication_of, a_client_that_has_gone_is_not_answered) {
    {
        node_client other(node);
        other("SET", "k", "v");
        other("WAIT", "1", "100");
        node.disconnect(other.id());
    }
    node.acknowledge(0, node.writes());
    EXPECT_TRUE(node.take_active().empty());
}

TEST_F(replication_of, role_names_the_replicas_that_are_connected) {
    EXPECT_EQ(me("ROLE"), "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n");
    all_have_everything();
    node.disconnect_replica(0);
    EXPECT_EQ(me("ROLE"), "*3\r\n$6\r\nmaster\r\n:0\r\n*1\r\n*3\r\n$8\r\n10.0.1.2\r\n$4\r\n6379\r\n$1\r\n0\r\n");
}

TEST_F(replication_of, who_waits_is_told_when_it_becomes_a_replica) {
    all_have_everything();
    me("SET", "k", "v");
    EXPECT_EQ(me("WAIT", "2", "100"), "");
    node.set_read_only(true);
    EXPECT_EQ(me.received(),
              "-UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)\r\n");
    EXPECT_EQ(me("PING"), "+PONG\r\n");
}

TEST_F(replication_of, a_replica_is_no_master) {
    node.set_read_only(true);
    EXPECT_TRUE(me("ROLE").starts_with("*5\r\n$5\r\nslave\r\n"));
    EXPECT_TRUE(me("WAIT", "1", "100").starts_with("-ERR WAIT cannot be used with replica instances"));
}

TEST_F(replication_of, bad_words_are_refused) {
    EXPECT_EQ(me("WAIT", "x", "100"), "-ERR value is not an integer or out of range\r\n");
    EXPECT_EQ(me("WAIT", "1", "x"), "-ERR timeout is not an integer or out of range\r\n");
    EXPECT_EQ(me("WAIT", "1", "-1"), "-ERR timeout is negative\r\n");
}

} // namespace
} // namespace redlatch::sim
