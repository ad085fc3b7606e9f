// A cluster that speaks TLS only, among its nodes too; a master that is lost.
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
        write_file(folder.path() / "ca.pem", authority.pem());
        write_file(folder.path() / "node.pem", papers.certificate_pem());
        write_file(folder.path() / "node.key", papers.key_pem());
        for (std::size_t i = 0; i < masters; ++i) nodes.push_back(started(i));
        for (std::size_t i = 0; i < masters; ++i) {
            auto const first = std::to_string(first_slot(i));
            auto const last = std::to_string(first_slot(i + 1) - 1);
            ASSERT_EQ(nodes[i]->run("CLUSTER", "ADDSLOTSRANGE", first, last).text, "OK");
        }
        ASSERT_TRUE(becomes_whole());
        settings = quick("rediss-cluster://127.0.0.1:" + std::to_string(ports[0].number()));
        settings.timeout = 5s;
        settings.connect_timeout = 10s;
        settings.tls.ca_file = file("ca.pem");
    }

    std::string file(char const* file_name) const { return (folder.path() / file_name).string(); }

    std::unique_ptr<redis_server> started(std::size_t which) const {
        server_options options;
        auto const add = [&](char const* setting, std::string const& value) {
            options.arguments.insert(options.arguments.end(), {setting, value});
        };
        add("--cluster-enabled", "yes");
        add("--cluster-config-file", "nodes.conf");
        add("--cluster-node-timeout", "1000");
        add("--cluster-replica-validity-factor", "0");
        add("--cluster-port", std::to_string(bus_ports.at(which).number()));
        add("--repl-diskless-sync-delay", "0");
        add("--tls-cluster", "yes");
        add("--tls-replication", "yes");
        add("--tls-port", std::to_string(ports.at(which).number()));
        add("--tls-auth-clients", "no");
        add("--tls-ca-cert-file", file("ca.pem"));
        add("--tls-cert-file", file("node.pem"));
        add("--tls-key-file", file("node.key"));
        return std::make_unique<redis_server>(std::move(options));
    }
    void meet(std::size_t which) const {
        auto const met = nodes[0]->run("CLUSTER", "MEET", "127.0.0.1", std::to_string(ports[which].number()),
                                       std::to_string(bus_ports[which].number()));
        EXPECT_EQ(met.text, "OK");
    }
    bool is_whole() const {
        return std::all_of(nodes.begin(), nodes.end(), [this](auto const& node) {
            auto const text = node->run("CLUSTER", "INFO").text;
            return text.find("cluster_state:ok") != std::string::npos
                   && text.find("cluster_known_nodes:" + std::to_string(nodes.size())) != std::string::npos;
        });
    }
    bool becomes_whole() const {
        constexpr auto longest_handshake = 3s; // a node forgets another one that has not answered by then
        auto meet_again = test_clock::now();
        return wait_until(
            [&] {
                if (test_clock::now() >= meet_again) {
                    for (std::size_t i = 1; i < nodes.size(); ++i) meet(i);
                    meet_again += longest_handshake;
                }
                return is_whole();
            },
            3 * patience);
    }
    /// A further node, which replicates the first one.
    redis_server& add_replica_of_first() {
        auto& replica = *nodes.emplace_back(started(masters));
        EXPECT_TRUE(becomes_whole());
        auto const id = nodes[0]->run("CLUSTER", "MYID").text;
        EXPECT_TRUE(
            wait_until([&] { return replica.run("CLUSTER", "REPLICATE", id).text == "OK"; })); // once it is known
        EXPECT_TRUE(wait_until(
            [&] { return replica.run("INFO", "replication").text.find("link_status:up") != std::string::npos; },
            3 * patience));
        return replica;
    }
    redis_server& owner_of(std::string const& name) const {
        std::size_t owner = 0;
        while (first_slot(owner + 1) <= redis_cluster::slot_of(name)) ++owner;
        return *nodes.at(owner);
    }
    static std::size_t first_slot(std::size_t master) { return base::hash_slots * master / masters; }

    temporary_folder folder;
    certificate_authority authority;
    std::array<reserved_port, masters + 1> ports;
    std::array<reserved_port, masters + 1> bus_ports;
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

TEST_F(cluster_tls_test, a_hold_and_a_waiter_survive_the_loss_of_their_master) {
    auto& replica = add_replica_of_first();
    int number = 0;
    auto name = "lock" + std::to_string(number);
    while (&owner_of(name) != nodes[0].get()) name = "lock" + std::to_string(++number);
    client other(settings);
    settings.watched_holds = 0;            // who listens is the waiter
    settings.lock_watchdog_timeout = 120s; // nobody renews before there is another master
    client user(settings);
    event_log const events(user);
    hold mine = user.get_lock(name).acquire();
    auto waiter = in_thread([&] { other.get_lock(name).acquire({.wait = 3 * patience}).release(); });
    auto const is_waited_for = [&](redis_server const& node) {
        return !node.run("PUBSUB", "SHARDCHANNELS", channel_of(name)).items.empty();
    };
    ASSERT_TRUE(wait_until([&] { return is_waited_for(*nodes[0]); }));
    ASSERT_TRUE(wait_until([&] { return replica.run("DBSIZE").integer == 1; })) << "the replica has the lock";
    renewal_watch const lease(*nodes[0], name);
    nodes[0]->kill9();
    ASSERT_TRUE(wait_until([&] { return redis_cluster::is_master(replica); }, 2 * patience));
    ASSERT_TRUE(wait_until([&] { return is_waited_for(replica); }, 2 * patience));
    EXPECT_TRUE(wait_until([&] { return lease.is_renewed_on(replica); })) << "it is not renewed on the new master";
    EXPECT_EQ(mine.status(), hold_status::held);
    EXPECT_EQ(holders(replica, name).count(mine.owner_id()), 1U);
    EXPECT_FALSE(is_ready(waiter));
    mine.release();
    waiter.get();
    EXPECT_EQ(replica.run("EXISTS", name).integer, 0);
    EXPECT_EQ(events.count(event::kind::hold_lost), 0U);
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
