// Nodes that join a cluster and leave it while locks are held and waited for.
#include "integration/cluster_fixture.hpp"

#include <redlatch/redlatch.hpp>

namespace redlatch::test {
namespace {

/// Longer than it takes until a node has joined on a machine that is busy.
constexpr duration longest_wait = 10 * patience;
constexpr std::chrono::milliseconds short_lease{2000};

class cluster_members : public ::testing::Test {
protected:
    redis_cluster cluster;
    std::string const name = cluster.name_on(0);

    config settings() const {
        auto made = of_cluster(cluster);
        made.lock_watchdog_timeout = short_lease;
        return made;
    }
    /// Who is told of this node only.
    config settings_with(std::size_t index) {
        auto made = settings();
        made.address = "redis-cluster://127.0.0.1:" + std::to_string(cluster.node(index).address().port);
        return made;
    }
    /// That of the lock, with its keys.
    void move_slot(std::size_t from, std::size_t to) {
        auto const slot = redis_cluster::slot_of(name);
        cluster.begin_move(slot, from, to);
        cluster.move_keys(slot, from, to);
        cluster.end_move(slot, from, to);
    }
    bool is_connected(client const& user, std::size_t index) {
        return cluster.node(index).run("CLIENT", "LIST").text.find(user.id()) != std::string::npos;
    }
    std::future<hold> wait_for_lock(client& user) {
        return in_thread([&] { return user.get_lock(name).acquire({.wait = longest_wait, .owner = owner()}); });
    }
    /// Each of the first nodes but node 0, whose lock is `name`.
    void expect_locks_on_all_nodes(client& user) {
        std::vector<hold> held;
        for (auto const& lock : {name, cluster.name_on(1), cluster.name_on(2)})
            held.push_back(user.get_lock(lock).acquire({.wait = patience, .owner = owner()}));
        EXPECT_EQ(user.list_locks().size(), held.size());
    }
};

TEST_F(cluster_members, one_that_joins_gets_a_lock_that_is_held_renewed_and_waited_for) {
    if (test_server_is_before_7()) GTEST_SKIP() << messages_of_shards;
    client holder(settings());
    client other(settings());
    auto held = holder.get_lock(name).acquire({.owner = owner()});
    auto waiter = wait_for_lock(other);
    EXPECT_TRUE(wait_until([&] { return somebody_listens(cluster.node(0), name); }));

    auto const joined = cluster.join();
    EXPECT_TRUE(is_renewed(held, short_lease));
    EXPECT_EQ(fields_of(cluster.node(0), name), 1U);
    EXPECT_FALSE(is_connected(holder, joined)) << "it has no slots";

    move_slot(0, joined);
    EXPECT_TRUE(wait_until([&] { return somebody_listens(cluster.node(joined), name); }));
    EXPECT_TRUE(is_renewed(held, short_lease)) << "where it would have expired";
    EXPECT_TRUE(is_connected(holder, joined));
    EXPECT_EQ(fields_of(cluster.node(joined), name), 1U);
    EXPECT_FALSE(is_ready(waiter));

    held.release();
    auto next = waiter.get();
    EXPECT_EQ(next.status(), hold_status::held);
    EXPECT_EQ(fields_of(cluster.node(joined), name), 1U);
    EXPECT_EQ(holder.stats().lost, 0U);
    EXPECT_EQ(keys_on(cluster.node(0)), 0U);
    EXPECT_FALSE(somebody_listens(cluster.node(0), name));
    next.release();
    EXPECT_EQ(keys_on(cluster.node(joined)), 0U);
}

TEST_F(cluster_members, one_that_is_emptied_and_leaves_is_missed_by_nobody) {
    auto const leaving = cluster.join();
    move_slot(0, leaving);
    client holder(settings());
    client other(settings_with(leaving));
    auto held = holder.get_lock(name).acquire({.owner = owner()});
    auto waiter = wait_for_lock(other);
    EXPECT_TRUE(wait_until([&] { return other.stats().subscriptions > 0; }));
    EXPECT_EQ(fields_of(cluster.node(leaving), name), 1U);

    move_slot(leaving, 1);
    EXPECT_EQ(keys_on(cluster.node(leaving)), 0U);
    cluster.leave(leaving);
    EXPECT_TRUE(is_renewed(held, short_lease)) << "while it goes on alone";
    cluster.node(leaving).stop();
    EXPECT_TRUE(is_renewed(held, short_lease)) << "when it is gone";
    EXPECT_EQ(fields_of(cluster.node(1), name), 1U);
    EXPECT_FALSE(is_ready(waiter));

    held.release();
    auto next = waiter.get();
    EXPECT_EQ(next.status(), hold_status::held) << "of a client that was told of nobody else";
    next.release();
    for (auto* const user : {&holder, &other}) {
        expect_locks_on_all_nodes(*user);
        EXPECT_EQ(user->stats().lost, 0U);
    }
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(keys_on(cluster.node(i)), 0U);
}

TEST_F(cluster_members, one_that_has_left_and_goes_on_alone_is_not_believed) {
    auto const leaving = cluster.join();
    move_slot(0, leaving);
    auto late = settings_with(leaving);
    late.topology.scan_interval = 1h; // it is told nothing before it asks
    client user(late);
    user.get_lock(name).acquire({.owner = owner()}).release();
    EXPECT_TRUE(is_connected(user, leaving));
    move_slot(leaving, 1);
    cluster.leave(leaving);
    auto const held = user.get_lock(name).acquire({.wait = patience, .owner = owner()});
    EXPECT_EQ(fields_of(cluster.node(1), name), 1U);
    EXPECT_EQ(keys_on(cluster.node(leaving)), 0U);
    cluster.node(leaving).stop();
    for (std::size_t const there : {1U, 2U})
        EXPECT_TRUE(user.get_lock("another of {" + cluster.name_on(there) + "}").try_lock());
}

} // namespace
} // namespace redlatch::test
