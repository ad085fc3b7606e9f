// Locks that replicas have confirmed: where the master is another one afterwards, and where their slot moves meanwhile.
#include "integration/fixture.hpp"
#include "support/redis_cluster.hpp"
#include "support/sentinel_set.hpp"

#include <gmock/gmock.h>
#include <optional>

namespace redlatch::test {
namespace {

using ::testing::HasSubstr;

lock_options confirmed_by_one() {
    return {.replicas = replica_policy::at_least(1, patience)};
}

int blocked_clients_of(redis_server const& server) {
    auto const text = server.run("INFO", "clients").text;
    std::string_view const field = "blocked_clients:";
    auto const at = text.find(field);
    return at == std::string::npos ? -1 : std::stoi(text.substr(at + field.size()));
}

void break_connections(redis_server const& server) {
    server.run("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
}

TEST(sentinel_replicas, a_lock_that_was_confirmed_is_held_on_the_next_master) {
    sentinel_set all{{.replicas = 1, .down_after = 1s}};
    auto settings = quick(all.uri());
    settings.topology.scan_interval = 500ms;
    settings.lock_watchdog_timeout = 2 * sentinel_set::longest_failover; // nobody renews before there is a master
    client user(settings);
    std::optional<std::size_t> old;
    ASSERT_TRUE(wait_until([&] { return (old = all.named_master()).has_value(); }));
    hold mine = user.get_lock("orders", confirmed_by_one()).acquire({.wait = sentinel_set::longest_failover});
    all.servers()[*old].kill9(); // at once
    auto const now = all.wait_for_another_than(*old);
    EXPECT_EQ(holders(all.servers()[now], "orders"), (std::map<std::string, std::string>{{mine.owner_id(), "1"}}));
    user.get_lock("another").acquire({.wait = sentinel_set::longest_failover}).release();
    EXPECT_EQ(mine.status(), hold_status::held);
    auto const without = outcome_of(
        [&] { (void)user.get_lock("third", {.replicas = replica_policy::at_least(1, 300ms)}).acquire({.wait = 5s}); });
    EXPECT_EQ(without.reason, errc::not_replicated) << "the new master has no replica";
    EXPECT_THAT(without.message, HasSubstr("of the server " + all.servers().uri(now)));
    mine.release();
}

class cluster_replicas : public ::testing::Test {
protected:
    redis_cluster cluster{2, 1};
    std::string const name = cluster.name_on(0);
    std::uint16_t const slot = redis_cluster::slot_of(name);
    client user{[this] {
        config settings;
        settings.address = cluster.uri();
        settings.timeout = 10s; // a test that passes never waits so long
        settings.retry_delay = 20ms;
        settings.topology.scan_interval = 1000ms;
        return settings;
    }()};
    ~cluster_replicas() override { cluster.replica_of(0).resume(); }

    /// Valkey moves a slot only when the replicas of its master have heard of that.
    bool asks_replicas_before_it_moves_slots() {
        return cluster.node(0).run("INFO", "server").text.find("server_name:valkey") != std::string::npos;
    }
    static constexpr char const* replica_is_silent = "here the replica of the master is silent";
    /// The replica of the first master is silent, and the lock waits for it.
    std::future<hold> waiting() {
        cluster.replica_of(0).pause();
        auto waiter = in_thread([&] { return user.get_lock(name, confirmed_by_one()).acquire(); });
        EXPECT_TRUE(wait_until([&] { return blocked_clients_of(cluster.node(0)) > 0; }));
        return waiter;
    }
    /// Who has the lock, as a replica knows it.
    std::string on_replica(std::size_t master) {
        auto admin = cluster.replica_of(master).admin();
        admin.command("READONLY");
        resp::value fields;
        // It has the key before the bus tells it that its master has the slot.
        wait_until([&] { return !(fields = admin.command("HKEYS", name)).text.starts_with("MOVED"); });
        return fields.items.empty() ? fields.text : fields.items.front().text;
    }
};

TEST_F(cluster_replicas, each_node_has_the_locks_of_its_slots_confirmed_by_its_own_replica) {
    for (std::size_t i = 0; i < 2; ++i) {
        auto const here = cluster.name_on(i);
        hold const mine = user.get_lock(here, confirmed_by_one()).acquire({.owner = owner()});
        EXPECT_EQ(mine.confirmed_by(), 1);
        auto admin = cluster.replica_of(i).admin();
        admin.command("READONLY");
        EXPECT_EQ(admin.command("HEXISTS", here, mine.owner_id()).integer, 1);
    }
}

TEST_F(cluster_replicas, a_lock_whose_slot_has_moved_meanwhile_is_confirmed_by_the_other_replica) {
    if (asks_replicas_before_it_moves_slots()) GTEST_SKIP() << replica_is_silent;
    auto waiter = waiting();
    cluster.begin_move(slot, 0, 1);
    cluster.move_keys(slot, 0, 1);
    cluster.end_move(slot, 0, 1);
    break_connections(cluster.node(0)); // what was asked there is asked anew
    hold const mine = waiter.get();
    EXPECT_EQ(mine.confirmed_by(), 1);
    EXPECT_EQ(on_replica(1), mine.owner_id());
}

TEST_F(cluster_replicas, a_lock_whose_slot_is_being_moved_is_asked_for_where_it_is) {
    if (asks_replicas_before_it_moves_slots()) GTEST_SKIP() << replica_is_silent;
    auto waiter = waiting();
    cluster.begin_move(slot, 0, 1);
    cluster.move_keys(slot, 0, 1);
    break_connections(cluster.node(0));
    hold const mine = waiter.get();
    EXPECT_EQ(mine.confirmed_by(), 1);
    EXPECT_EQ(holders(cluster.node(0), name).size(), 0U);
    cluster.end_move(slot, 0, 1);
    EXPECT_EQ(on_replica(1), mine.owner_id());
}

} // namespace
} // namespace redlatch::test
