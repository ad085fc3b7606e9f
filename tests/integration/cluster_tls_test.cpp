// A cluster that speaks TLS only, among its nodes too.
#include "base/hash_slot.hpp"
#include "integration/fixture.hpp"
#include "support/certificates.hpp"
#include "support/redis_cluster.hpp"
#include "support/tls_server.hpp"

#include <algorithm>
#include <array>
#include <gmock/gmock.h>
#include <set>

namespace redlatch::test {
namespace {

using ::testing::HasSubstr;

class cluster_tls_test : public ::testing::Test {
protected:
    static constexpr std::size_t masters = 3;

    void SetUp() override {
        if (!test_server_has_tls()) GTEST_SKIP() << "this server was built without TLS";
        if (test_server_is_before_7()) GTEST_SKIP() << "the port of the bus can be chosen from Redis 7.0 on";
        auto const papers = authority.issue();
        auto const ca = write_file(folder.path() / "ca.pem", authority.pem());
        auto const certificate = write_file(folder.path() / "node.pem", papers.certificate_pem());
        auto const key = write_file(folder.path() / "node.key", papers.key_pem());
        for (std::size_t i = 0; i < masters; ++i)
            nodes.push_back(
                std::make_unique<redis_server>(server_options{.arguments = {"--cluster-enabled",
                                                                            "yes",
                                                                            "--cluster-config-file",
                                                                            "nodes.conf",
                                                                            "--cluster-node-timeout",
                                                                            "1000",
                                                                            "--cluster-port",
                                                                            std::to_string(bus_ports[i].number()),
                                                                            "--tls-cluster",
                                                                            "yes",
                                                                            "--tls-replication",
                                                                            "yes",
                                                                            "--tls-port",
                                                                            std::to_string(ports[i].number()),
                                                                            "--tls-auth-clients",
                                                                            "no",
                                                                            "--tls-ca-cert-file",
                                                                            ca,
                                                                            "--tls-cert-file",
                                                                            certificate,
                                                                            "--tls-key-file",
                                                                            key}}));
        for (std::size_t i = 0; i < masters; ++i) {
            auto const first = std::to_string(first_slot(i));
            auto const last = std::to_string(first_slot(i + 1) - 1);
            ASSERT_EQ(nodes[i]->run("CLUSTER", "ADDSLOTSRANGE", first, last).text, "OK");
            if (i > 0) {
                auto const met = nodes[0]->run("CLUSTER", "MEET", "127.0.0.1", std::to_string(ports[i].number()),
                                               std::to_string(bus_ports[i].number()));
                ASSERT_EQ(met.text, "OK");
            }
        }
        ASSERT_TRUE(wait_until([&] { return is_whole(); }, 3 * patience));
        settings = quick("rediss-cluster://127.0.0.1:" + std::to_string(ports[0].number()));
        settings.timeout = 5s;
        settings.connect_timeout = 10s;
        settings.tls.ca_file = ca;
    }

    bool is_whole() const {
        return std::all_of(nodes.begin(), nodes.end(), [](auto const& node) {
            auto const text = node->run("CLUSTER", "INFO").text;
            return text.find("cluster_state:ok") != std::string::npos
                   && text.find("cluster_known_nodes:3") != std::string::npos;
        });
    }
    redis_server& owner_of(std::string const& name) const {
        std::size_t owner = 0;
        while (first_slot(owner + 1) <= redis_cluster::slot_of(name)) ++owner;
        return *nodes.at(owner);
    }
    static std::size_t first_slot(std::size_t master) { return base::hash_slots * master / masters; }

    temporary_folder folder;
    certificate_authority authority;
    std::array<reserved_port, masters> ports;
    std::array<reserved_port, masters> bus_ports;
    std::vector<std::unique_ptr<redis_server>> nodes;
    config settings;
};

TEST_F(cluster_tls_test, locks_are_on_every_node_and_waiters_are_woken) {
    client user(settings);
    client other(settings);
    std::set<redis_server*> used;
    for (int i = 0; used.size() < masters; ++i) {
        auto const name = "lock" + std::to_string(i);
        if (!used.insert(&owner_of(name)).second) continue;
        hold mine = user.get_lock(name).acquire();
        EXPECT_EQ(holders(owner_of(name), name).size(), 1U);
        auto waiting = in_thread([&] { other.get_lock(name).acquire({.wait = 20s}).release(); });
        ASSERT_TRUE(wait_until([&] { return other.stats().waiters == 1; }));
        mine.release();
        waiting.get();
    }
    for (auto const& node : nodes) EXPECT_EQ(node->run("DBSIZE").integer, 0);
}

TEST_F(cluster_tls_test, a_slot_that_has_moved_is_followed_with_tls) {
    client user(settings);
    std::string const name = "lock0";
    auto const slot = std::to_string(redis_cluster::slot_of(name));
    auto& from = owner_of(name);
    auto& to = *nodes[&from == nodes[0].get() ? 1 : 0];
    { hold const before = user.get_lock(name).acquire(); }
    auto const id = to.run("CLUSTER", "MYID").text;
    ASSERT_FALSE(to.run("CLUSTER", "BUMPEPOCH").is_error()); // its claim is the latest
    for (auto* const each : {&to, &from}) ASSERT_EQ(each->run("CLUSTER", "SETSLOT", slot, "NODE", id).text, "OK");
    hold const mine = user.get_lock(name).acquire();
    EXPECT_EQ(holders(to, name).size(), 1U);
}

TEST_F(cluster_tls_test, nodes_that_are_not_trusted_are_an_error_that_names_one) {
    settings.retry_attempts = 0;
    settings.tls.ca_file = write_file(folder.path() / "stranger.pem", certificate_authority("a stranger").pem());
    auto const failed = outcome_of([&] { client user(settings); });
    EXPECT_EQ(failed.reason, errc::server_refused) << failed;
    EXPECT_THAT(failed.message, HasSubstr("rediss://127.0.0.1:" + std::to_string(ports[0].number())));
}

} // namespace
} // namespace redlatch::test
