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

class tls_of_sentinels : public ::testing::Test {
protected:
    static topology_options with(std::string const& address) {
        return {.mode = server_mode::sentinel, .nodes = {address}, .master_name = "orders"};
    }
    static tls_options trusting(std::string file) { return {.ca_file = std::move(file)}; }

    config plain{.topology = with("redis://a:1")};
    config encrypted{.topology = with("rediss://a:1")};
};

TEST_F(tls_of_sentinels, is_that_of_the_servers_unless_something_else_is_said) {
    EXPECT_FALSE(resolve_servers(plain).master.tls);
    EXPECT_TRUE(resolve_servers(encrypted).master.tls);
    EXPECT_TRUE(resolve_servers(encrypted).nodes[0].tls);
    plain.topology.servers_use_tls = true;
    EXPECT_TRUE(resolve_servers(plain).master.tls);
    EXPECT_FALSE(resolve_servers(plain).nodes[0].tls);
    encrypted.topology.servers_use_tls = false;
    EXPECT_FALSE(resolve_servers(encrypted).master.tls);
    EXPECT_TRUE(resolve_servers(encrypted).nodes[0].tls);
    config const by_address{.address = "redis-sentinel://a#orders", .topology = {.servers_use_tls = true}};
    EXPECT_TRUE(resolve_servers(by_address).master.tls);
}

TEST_F(tls_of_sentinels, makes_no_options_pass_that_nobody_uses) {
    plain.tls = trusting("ca.pem");
    EXPECT_THAT(refusal_of(plain),
                HasSubstr("does not use it; write rediss://host:port, or set topology.servers_use_tls"));
    plain.topology.servers_use_tls = true;
    EXPECT_TRUE(resolve_servers(plain).master.tls);
    plain.topology.sentinel_tls = trusting("other.pem");
    EXPECT_THAT(refusal_of(plain),
                HasSubstr("topology.sentinel_tls has options for TLS, but the address of the Sentinel "
                          "redis://a:1 does not use it"));

    encrypted.tls = trusting("ca.pem");
    encrypted.topology.servers_use_tls = false;
    EXPECT_FALSE(resolve_servers(encrypted).master.tls) << "the Sentinels use them";
    encrypted.topology.sentinel_tls = trusting("other.pem");
    EXPECT_THAT(refusal_of(encrypted), HasSubstr("has its own, and topology.servers_use_tls is false"));

    config const none{.address = "rediss://a", .topology = {.servers_use_tls = true}};
    EXPECT_THAT(refusal_of(none), HasSubstr("topology.servers_use_tls is for Sentinels, and there are none"));
    config const neither{.address = "rediss://a", .topology = {.sentinel_tls = trusting("other.pem")}};
    EXPECT_THAT(refusal_of(neither), HasSubstr("topology.sentinel_tls is for Sentinels, and there are none"));
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
}

TEST(server_set, of_a_cluster_may_have_a_database) {
    auto settings = of_topology({.mode = server_mode::cluster, .nodes = {"redis://a", "redis://b"}});
    settings.database = 3;
    for (auto const& one : resolve_servers(settings).nodes) EXPECT_EQ(one.database, 3) << "Valkey 9 has them";
    EXPECT_EQ(resolve_servers({.address = "redis-cluster://a,b/2"}).nodes.back().database, 2);
}

} // namespace
} // namespace redlatch::io
