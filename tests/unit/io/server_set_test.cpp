#include "io/server_set.hpp"
#include "scripted/refusal.hpp"

#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace redlatch::io {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(config const& settings) {
    return test::refusal([&] { resolve_servers(settings); });
}

config of_topology(topology_options topology) {
    return {.username = "alice", .password = "secret", .topology = std::move(topology)};
}

TEST(server_set, of_one_server_is_its_endpoint) {
    auto const servers = resolve_servers({.address = "redis://host:1/2"});
    EXPECT_EQ(servers.mode, server_mode::single);
    ASSERT_EQ(servers.nodes.size(), 1U);
    EXPECT_EQ(servers.nodes[0].database, 2);
    EXPECT_EQ(servers.display(), "redis://host:1");
}

TEST(server_set, gives_the_sentinels_their_own_user) {
    auto settings = of_topology({.mode = server_mode::sentinel,
                                 .nodes = {"redis://a:1", "redis://b:2"},
                                 .master_name = "orders",
                                 .sentinel_username = "watch",
                                 .sentinel_password = "hidden"});
    settings.database = 3;
    auto const servers = resolve_servers(settings);
    ASSERT_EQ(servers.nodes.size(), 2U);
    EXPECT_EQ(servers.nodes[1].host_or_path, "b");
    EXPECT_EQ(servers.nodes[1].username, "watch");
    EXPECT_EQ(servers.nodes[1].password, "hidden");
    EXPECT_EQ(servers.nodes[1].database, 0);
    EXPECT_EQ(servers.master.username, "alice");
    EXPECT_EQ(servers.master.password, "secret");
    EXPECT_EQ(servers.master.database, 3);
    EXPECT_EQ(servers.display(), "the master 'orders' of the Sentinels redis://a:1, redis://b:2");
}

TEST(server_set, of_an_address_with_sentinels_has_the_same) {
    auto const servers = resolve_servers({.address = "redis-sentinel://alice:secret@a,b:2/3#orders"});
    EXPECT_EQ(servers.mode, server_mode::sentinel);
    EXPECT_EQ(servers.master_name, "orders");
    ASSERT_EQ(servers.nodes.size(), 2U);
    EXPECT_EQ(servers.nodes[0].port, 26379);
    EXPECT_EQ(servers.nodes[0].password, "");
    EXPECT_EQ(servers.master.password, "secret");
    EXPECT_EQ(servers.master.database, 3);
}

TEST(server_set, has_one_user_for_all_servers) {
    for (std::vector<std::string> const& nodes :
         {std::vector<std::string>{"redis://u:hunter2@a:1", "redis://u:two@b:2"},
          std::vector<std::string>{"redis://u:hunter2@a:1", "redis://v:hunter2@b:2"},
          std::vector<std::string>{"redis://a:1", "redis://u:hunter2@b:2"}}) {
        auto const message = refusal_of(of_topology({.mode = server_mode::cluster, .nodes = nodes}));
        EXPECT_THAT(message, HasSubstr("different users or passwords")) << nodes[1];
        EXPECT_THAT(message, ::testing::Not(HasSubstr("hunter2"))) << message;
    }
    EXPECT_EQ(resolve_servers(
                  of_topology({.mode = server_mode::cluster, .nodes = {"redis://alice:secret@a:1", "redis://b:2"}}))
                  .nodes.size(),
              2U)
        << "those of the fields are the same";
}

TEST(server_set, of_a_cluster_has_its_nodes) {
    auto const servers = resolve_servers({.address = "rediss-cluster://:secret@a:1,b:2"});
    EXPECT_EQ(servers.mode, server_mode::cluster);
    EXPECT_EQ(servers.display(), "rediss://a:1, rediss://b:2");
    EXPECT_EQ(servers.nodes[1].password, "secret");
}

TEST(server_set, knows_where_what_servers_tell_is_reached) {
    auto const servers =
        resolve_servers(of_topology({.mode = server_mode::sentinel,
                                     .nodes = {"redis://a:1"},
                                     .master_name = "orders",
                                     .address_map = {{"10.0.0.1:6379", "host:7000"}, {"[::1]:1", "host:7001"}}}));
    EXPECT_EQ(servers.reached_at({"10.0.0.1", 6379}).display(), "host:7000");
    EXPECT_EQ(servers.reached_at({"::1", 1}).display(), "host:7001");
    EXPECT_EQ(servers.reached_at({"10.0.0.2", 6379}).display(), "10.0.0.2:6379");
}

TEST(server_set, says_what_is_wrong_with_it) {
    EXPECT_THAT(refusal_of(of_topology({.mode = server_mode::cluster})), HasSubstr("topology.nodes is empty"));
    EXPECT_THAT(refusal_of(of_topology({.mode = server_mode::sentinel, .nodes = {"redis://a"}})),
                HasSubstr("topology.master_name is empty"));
    EXPECT_THAT(refusal_of(of_topology({.mode = server_mode::cluster, .nodes = {"redis://a", "rediss://b"}})),
                HasSubstr("with TLS and without it"));
    EXPECT_THAT(refusal_of(of_topology({.mode = server_mode::cluster, .nodes = {"unix:///a"}})),
                HasSubstr("each is written redis://host:port"));
    for (auto const* const odd : {"host", "host:0", "", "a:b:1", "redis://host:1"})
        EXPECT_THAT(refusal_of(of_topology(
                        {.mode = server_mode::cluster, .nodes = {"redis://a"}, .address_map = {{odd, "host:1"}}})),
                    HasSubstr("topology.address_map has '" + std::string(odd) + "'"));
    EXPECT_THAT(
        refusal_of({.address = "redis://a", .topology = {.mode = server_mode::cluster, .nodes = {"redis://b"}}}),
        HasSubstr("address is for a single server"));
    auto settings = of_topology({.mode = server_mode::cluster, .nodes = {"redis://a"}});
    settings.database = 1;
    EXPECT_THAT(refusal_of(settings), HasSubstr("a cluster has no databases but 0"));
}

} // namespace
} // namespace redlatch::io
