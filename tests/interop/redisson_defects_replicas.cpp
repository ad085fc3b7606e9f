// A master with replicas: one that joins late, that lags, that does not answer while a hold is given back.
#include "redisson_defects_test.hpp"
#include "support/lock_helpers.hpp"
#include "support/sentinel_set.hpp"

namespace redlatch::test {
namespace {

class redisson_defects_replicas : public redisson_defects_test {
protected:
    /// A file for Redisson: a master, whose replicas it does not read from.
    static std::string at_master_of(replica_set const& servers) {
        return settings_of(servers) + "  readMode: \"MASTER\"\n  subscriptionMode: \"MASTER\"\n";
    }
    /// Its replica is read from, as by default.
    static std::string at_master_and_replica_of(replica_set const& servers) {
        return settings_of(servers) + "  slaveAddresses:\n    - \"" + servers.uri(1) + "\"\n";
    }
    static bool replicates(redis_server const& master) {
        return master.run("INFO", "replication").text.find("state=online") != std::string::npos;
    }
    void lock_and_unlock(java_peer& peer) const {
        peer.value("a", "lock", {name});
        peer.value("a", "unlock", {name});
    }

private:
    static std::string settings_of(replica_set const& servers) {
        return "masterSlaveServersConfig:\n  masterAddress: \"" + servers.uri(0)
               + "\"\n  masterConnectionMinimumIdleSize: 2\n  masterConnectionPoolSize: 16\n";
    }
};

TEST_F(redisson_defects_replicas, java_waits_for_no_replica_of_a_master_that_had_none) {
    replica_set const servers(0);
    auto const waits = [&] { return command_counts(servers[0])["wait"]; };
    java_with_settings early(at_master_of(servers));
    lock_and_unlock(early);
    redis_server const joins({.over = server_options::transport::tcp});
    joins.run("REPLICAOF", "127.0.0.1", std::to_string(servers.port(0)));
    ASSERT_TRUE(wait_until([&] { return replicates(servers[0]); }, sentinel_set::longest_failover));
    auto const before = waits();
    lock_and_unlock(early);
    EXPECT_EQ(waits(), before);
    java_with_settings late(at_master_of(servers));
    lock_and_unlock(late);
    auto const known = waits();
    lock_and_unlock(late);
    EXPECT_EQ(waits() - known, 2U) << "as it does where there was one from the beginning";
}

TEST_F(redisson_defects_replicas, java_asks_for_everything_and_waits_for_a_second_in_each_call_beside_a_slow_replica) {
    replica_set const servers(2);
    java_with_settings peer(at_master_of(servers));
    lock_and_unlock(peer);
    servers[2].pause();
    lock_and_unlock(peer); // by which it learns that one does not confirm
    auto const questions = [&] { return command_counts(servers[0])["info"]; };
    auto const before = questions();
    auto const begin = std::chrono::steady_clock::now();
    lock_and_unlock(peer);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 1900ms) << "for two calls";
    EXPECT_EQ(questions() - before, 1U + 2U) << "ours among them";
    servers[2].resume();
}

TEST_F(redisson_defects_replicas, java_does_not_know_a_held_lock_whose_replica_lags) {
    replica_set const servers(1);
    java_with_settings peer(at_master_and_replica_of(servers));
    servers[1].run("REPLICAOF", "127.0.0.1", "1"); // where nobody is: it hears no more
    client user(as_variant(config{.address = servers.uri(0)}));
    hold const held = user.get_lock(name).acquire();
    EXPECT_FALSE(peer.yes("a", "tryLock", {name})) << "it is held";
    EXPECT_FALSE(peer.yes("a", "isLocked", {name}));
    EXPECT_EQ(peer.number("a", "ttl", {name}), -2);
}

TEST_F(redisson_defects_replicas, java_renews_a_hold_no_more_whose_inner_unlock_it_has_repeated) {
    replica_set const servers(1);
    constexpr auto watchdog = 3s;
    java_with_settings peer("slavesSyncTimeout: 200\n" + at_master_of(servers), watchdog);
    auto const beside = name + ": beside";
    peer.value("b", "lock", {beside});
    for (int level = 0; level < 2; ++level) peer.value("a", "lock", {name});
    servers[1].pause();
    auto const attempts = [&] { return command_counts(servers[0])["get"]; }; // each asks for its latch
    auto const before = attempts();
    auto const unlocks = peer.start("a", "unlock", {name});
    ASSERT_TRUE(wait_until([&] { return attempts() >= before + 2; }));
    servers[1].resume();
    EXPECT_TRUE(peer.end_of(unlocks).ok);
    auto const held = holders(servers[0], name);
    ASSERT_EQ(held.size(), 1U);
    EXPECT_EQ(held.begin()->second, "1") << "it was locked twice";
    EXPECT_TRUE(wait_until([&] { return pttl(servers[0], name) < 0; }, 2 * watchdog)) << "and unlocked once";
    EXPECT_GT(pttl(servers[0], beside), 0) << "which is renewed";
    EXPECT_FALSE(peer.ask("a", "unlock", {name}).ok);
    peer.value("b", "unlock", {beside});
}

} // namespace
} // namespace redlatch::test
