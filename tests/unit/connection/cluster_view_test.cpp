#include "connection/cluster_view.hpp"
#include "connection/redirect.hpp"

#include <gtest/gtest.h>

namespace redlatch::connection {
namespace {

constexpr auto* three_nodes =
    "07c3 127.0.0.1:30004@31004,hostname4 slave e7d1 0 1426238317239 4 connected\n"
    "67ed 127.0.0.1:30002@31002,hostname2 master - 0 1426238316232 2 connected 5461-10922\n"
    "292f 127.0.0.1:30003@31003,hostname3,shard-id=69bc master - 0 1426238318243 3 connected 10923-16383\n"
    "e7d1 127.0.0.1:30001@31001,hostname1 myself,master - 0 0 1 connected 0-5459 5460 [77->-292f] [93-<-292f]\n";

TEST(cluster_view, has_the_masters_with_their_slots) {
    auto const view = read_cluster_view(three_nodes, "seed", false);
    ASSERT_TRUE(view);
    ASSERT_EQ(view->masters.size(), 3U);
    EXPECT_EQ(view->masters[0].where, (node_address{"127.0.0.1", 30002}));
    EXPECT_EQ(view->masters[0].epoch, 2U);
    EXPECT_EQ(view->masters[2].where, (node_address{"127.0.0.1", 30001}));
    ASSERT_EQ(view->masters[2].slots.size(), 2U);
    EXPECT_EQ(view->masters[2].slots[0].first, 0);
    EXPECT_EQ(view->masters[2].slots[0].last, 5459);
    EXPECT_EQ(view->masters[2].slots[1].first, 5460);
    EXPECT_EQ(view->masters[2].slots[1].last, 5460);
}

TEST(cluster_view, has_the_replicas_that_have_an_address) {
    auto const view = read_cluster_view("a 127.0.0.1:1@2 master - 0 0 1 connected 5\n"
                                        "b 127.0.0.1:2@3,name myself,slave a 0 0 1 connected\n"
                                        "c 127.0.0.1:3@4,other slave,fail a 0 0 1 disconnected\n"
                                        "d :0@0 slave,noaddr a 0 0 1 disconnected\n"
                                        "e nonsense slave a 0 0 1 disconnected\n",
                                        "seed", false);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->replicas, (std::vector<node_address>{{"127.0.0.1", 2}, {"127.0.0.1", 3}}));
    EXPECT_EQ(view->masters.size(), 1U);
}

TEST(cluster_view, has_the_names_of_hosts_where_they_are_wanted) {
    auto const view = read_cluster_view(three_nodes, "seed", true);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->masters[0].where.host, "hostname2");
    EXPECT_EQ(view->masters[1].where.host, "hostname3");
}

TEST(cluster_view, takes_the_asked_host_for_a_node_that_does_not_know_its_own) {
    auto const view = read_cluster_view("e7d1 :30001@31001 myself,master - 0 0 1 connected 0-16383\r\n", "seed", false);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->masters.at(0).where, (node_address{"seed", 30001}));
}

TEST(cluster_view, has_ipv6_addresses_and_those_of_old_servers) {
    auto const view = read_cluster_view("e7d1 ::1:30001@31001 master - 0 0 1 connected 0\n"
                                        "e7d2 10.0.0.7:6379 master - 0 0 1 connected 1\n",
                                        "seed", false);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->masters.at(0).where, (node_address{"::1", 30001}));
    EXPECT_EQ(view->masters.at(1).where, (node_address{"10.0.0.7", 6379}));
}

TEST(cluster_view, leaves_out_who_has_no_slots_or_no_address) {
    auto const view = read_cluster_view("a 127.0.0.1:1@2 master - 0 0 1 connected\n"
                                        "b :0@0 master,noaddr - 0 0 1 disconnected 5\n"
                                        "c 127.0.0.1:2@3 master,fail - 0 0 1 disconnected 7\n",
                                        "seed", false);
    ASSERT_TRUE(view);
    ASSERT_EQ(view->masters.size(), 1U) << "a failed master has its slots until another one has them";
    EXPECT_EQ(view->masters[0].slots.at(0).first, 7);
}

TEST(cluster_view, is_none_of_what_is_not_understood) {
    for (auto const* text :
         {"hello\n", "a 127.0.0.1:1 master - 0 0 1\n", "a 127.0.0.1:x master - 0 0 1 connected 5\n",
          "a 127.0.0.1:1 master - 0 0 x connected 5\n", "a 127.0.0.1:1 master - 0 0 1 connected 5-4\n",
          "a 127.0.0.1:1 master - 0 0 1 connected 0-16384\n", "a 127.0.0.1:1 master - 0 0 1 connected 5-\n",
          "a 127.0.0.1:1 master - 0 0 1 connected -5\n", "a 127.0.0.1:70000 master - 0 0 1 connected 5\n",
          "a 127.0.0.1:0 master - 0 0 1 connected 5\n", "a 127.0.0.1:1 master - 0 0 1 connected 0-16383 0\n",
          "a 127.0.0.1:1 master - 0 0 1 connected 0-16383\nb 127.0.0.1:2 master - 0 0 2 connected 7\n"})
        EXPECT_FALSE(read_cluster_view(text, "seed", false)) << text;
}

resp::value error_reply(std::string text) {
    resp::value reply;
    reply.type = resp::value::kind::error;
    reply.text = std::move(text);
    return reply;
}

TEST(redirect, says_where_a_slot_is) {
    auto const moved = read_redirect(error_reply("MOVED 3999 127.0.0.1:6381"));
    ASSERT_TRUE(moved);
    EXPECT_EQ(moved->what, redirect::kind::moved);
    EXPECT_EQ(moved->slot, 3999);
    EXPECT_EQ(moved->where, (node_address{"127.0.0.1", 6381}));
    auto const ask = read_redirect(error_reply("ASK 0 ::1:7"));
    ASSERT_TRUE(ask);
    EXPECT_EQ(ask->what, redirect::kind::ask);
    EXPECT_EQ(ask->where, (node_address{"::1", 7}));
    EXPECT_EQ(read_redirect(error_reply("MOVED 1 :6381"))->where, (node_address{"", 6381}));
}

TEST(redirect, of_a_node_that_is_gone_names_the_slot_alone) {
    auto const away = read_redirect(moved_away(16383));
    ASSERT_TRUE(away);
    EXPECT_EQ(away->what, redirect::kind::moved);
    EXPECT_EQ(away->slot, 16383);
    EXPECT_EQ(away->where.port, 0);
}

TEST(redirect, is_none_of_anything_else) {
    for (auto const* text :
         {"MOVED", "MOVED ", "MOVED x 127.0.0.1:1", "MOVED 16384 127.0.0.1:1", "MOVED 1", "MOVED 1 ", "MOVED 1 host",
          "MOVED 1 host:x", "MOVED -1 host:1", "MOVEDX 1 host:1", "ERR MOVED 1 host:1"})
        EXPECT_FALSE(read_redirect(error_reply(text))) << text;
    resp::value text;
    text.type = resp::value::kind::string;
    text.text = "MOVED 1 host:1";
    EXPECT_FALSE(read_redirect(text));
}

} // namespace
} // namespace redlatch::connection
