// Ours and Redisson on one cluster: who holds keeps the other side out and wakes it, also when the lock has moved meanwhile.
#include "contest.hpp"
#include "interop_test.hpp"
#include "support/lock_helpers.hpp"
#include "support/redis_cluster.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

struct cluster_with_java : interop_test {
    static config settings_for(redis_cluster const& cluster) {
        config settings{.address = cluster.uri()};
        settings.topology.scan_interval = 1000ms;
        return settings;
    }

    redis_cluster cluster{3, 1};
    client user{settings_for(cluster)};
    /// It does not listen for ends of its holds by force: who listens to their channels is Java.
    client holder{[this] {
        auto settings = settings_for(cluster);
        settings.watched_holds = 0;
        return settings;
    }()};
    java_peer other_side{built_peer().folder, cluster.uri(), 30s};

    /// Messages of the shard: what both use here.
    bool somebody_listens(redis_server const& node, std::string const& lock) {
        return !node.run("PUBSUB", "SHARDCHANNELS", channel_of(lock)).items.empty();
    }
    std::future<hold> in_line_for(std::string const& lock) {
        return std::async(std::launch::async, [this, lock] {
            return user.get_lock(lock).acquire({.wait = 3 * patience, .owner = owner()});
        });
    }
    /// A Java thread that waits for what `holder` has on that node: it has asked, subscribed, and asked again.
    java_peer::ticket java_in_line_for(std::string const& lock, redis_server const& node) {
        auto const waits = other_side.start("a", "lock", {lock});
        EXPECT_TRUE(wait_until([&] {
            auto counts = command_counts(node);
            return counts["eval"] + counts["evalsha"] >= 2 && somebody_listens(node, lock);
        })) << "Java did not begin to wait";
        EXPECT_FALSE(other_side.reply_if_any(waits, 30ms)) << "Java took a lock that C++ holds";
        return waits;
    }
    /// Redisson refuses an unlock with RedisNodeNotFoundException while it does not know the new node of the slot.
    bool is_released_by_java(std::string const& lock) {
        return wait_until([&] { return other_side.ask("a", "unlock", {lock}).ok; });
    }
};

TEST_F(cluster_with_java, both_keep_each_other_out_and_wake_each_other_on_each_master) {
    for (std::size_t master = 0; master < 3; ++master) {
        auto const lock = cluster.name_on(master);
        auto held = user.get_lock(lock).acquire({.owner = owner()});
        EXPECT_TRUE(other_side.yes("a", "isLocked", {lock}));
        auto const waits = other_side.start("a", "lock", {lock});
        EXPECT_TRUE(wait_until([&] { return somebody_listens(cluster.node(master), lock); }));
        held.release();
        EXPECT_TRUE(other_side.end_of(waits).ok);
        EXPECT_FALSE(user.get_lock(lock).try_acquire({.owner = owner()}));
        auto waiter = in_line_for(lock);
        EXPECT_TRUE(
            wait_until([&] { return user.stats().waiters == 1 && somebody_listens(cluster.node(master), lock); }));
        other_side.value("a", "unlock", {lock});
        EXPECT_EQ(waiter.get().status(), hold_status::held);
    }
}

TEST_F(cluster_with_java, java_wakes_us_from_the_node_that_the_slot_has_moved_to) {
    auto const lock = cluster.name_on(0);
    auto const slot = redis_cluster::slot_of(lock);
    other_side.value("a", "lock", {lock});
    auto waiter = in_line_for(lock);
    EXPECT_TRUE(wait_until([&] { return somebody_listens(cluster.node(0), lock); }));
    cluster.begin_move(slot, 0, 1);
    cluster.move_keys(slot, 0, 1);
    cluster.end_move(slot, 0, 1);
    EXPECT_TRUE(wait_until([&] { return somebody_listens(cluster.node(1), lock); }));
    EXPECT_TRUE(is_released_by_java(lock));
    EXPECT_EQ(waiter.get().status(), hold_status::held);
}

TEST_F(cluster_with_java, java_wakes_us_after_its_master_was_lost) {
    auto const lock = cluster.name_on(2);
    other_side.value("a", "lock", {lock});
    auto waiter = in_line_for(lock);
    EXPECT_TRUE(wait_until([&] { return somebody_listens(cluster.node(2), lock); }));
    auto& replica = cluster.replica_of(2);
    EXPECT_TRUE(wait_until([&] { return replica.run("DBSIZE").integer == 1; }));
    cluster.node(2).kill9();
    EXPECT_TRUE(wait_until([&] { return redis_cluster::is_master(replica); }));
    EXPECT_TRUE(is_released_by_java(lock));
    EXPECT_EQ(waiter.get().status(), hold_status::held);
}

/// Redisson does not listen on the new node, however long one waits: it asks again when the lease that it was told is over.
TEST_F(cluster_with_java, java_gets_what_we_have_released_on_the_node_that_the_slot_has_moved_to) {
    auto const lock = cluster.name_on(0);
    auto const slot = redis_cluster::slot_of(lock);
    hold held = holder.get_lock(lock).acquire({.lease = 15s, .owner = owner()});
    auto const waits = java_in_line_for(lock, cluster.node(0));
    cluster.begin_move(slot, 0, 1);
    cluster.move_keys(slot, 0, 1);
    cluster.end_move(slot, 0, 1);
    EXPECT_EQ(held.status(), hold_status::held);
    EXPECT_EQ(holders(cluster.node(1), lock).count(held.owner_id()), 1U);
    auto const owner_id = held.owner_id();
    held.release();
    EXPECT_EQ(holders(cluster.node(1), lock).count(owner_id), 0U);
    auto const end = other_side.end_of(waits);
    EXPECT_TRUE(end.ok) << end.value;
    EXPECT_FALSE(holder.get_lock(lock).try_acquire({.owner = owner()}));
    EXPECT_TRUE(is_released_by_java(lock));
}

/// Redisson 4.7.0 fails so where a call meets a slot of which its map names no node at that moment.
bool met_a_slot_without_a_node(java_peer::reply const& end) {
    return !end.ok && end.value.find("MasterSlaveEntry") != std::string::npos;
}

/// Of spin locks, which hear no messages: those of another node Redisson misses, and its waiters give up when it has tried to
/// listen anew for 7.5 s. Played again where Redisson's part of it has failed on its own.
TEST_F(cluster_with_java, never_two_are_inside_while_the_slot_moves_to_and_fro) {
    constexpr std::int64_t entries = 200;
    constexpr int least_moves = 4;
    constexpr int most_contests = 3;
    auto settings = settings_for(cluster);
    settings.lock_watchdog_timeout = 3s;
    client contender(settings);
    auto const lock = cluster.name_on(0);
    auto const prefix = "{" + cluster.name_on(2) + "}";
    auto const enter = [&] { return contender.get_spin_lock(lock).acquire({.wait = 3 * patience, .owner = owner()}); };
    contest_part ours;
    java_peer::reply java_ended;
    std::size_t home = 0; // where the slot is
    for (int contest = 0; contest < most_contests; ++contest) {
        java_peer java{built_peer().folder, cluster.uri(), 3s};
        contest_of both(cluster.node(2), prefix, entries);
        auto first = enter();
        auto const java_side = both.begins(java, "a", "spin/contest", lock, 1, some_pause);
        first.release();
        std::atomic<bool> over{false};
        auto mover = std::async(std::launch::async, [&] {
            auto const slot = redis_cluster::slot_of(lock);
            int moves = 0;
            for (; !over; home = 1 - home, ++moves) {
                cluster.begin_move(slot, home, 1 - home);
                cluster.move_keys(slot, home, 1 - home);
                cluster.end_move(slot, home, 1 - home);
                auto const before = both.entries();
                wait_until([&] { return over || both.entries() > before + 20; });
            }
            return moves;
        });
        ours = both.take_part(enter, 1, some_pause);
        over = true;
        EXPECT_GE(mover.get(), least_moves);
        EXPECT_EQ(ours.most_inside, 1);
        java_ended = java.end_of(java_side, 1min);
        if (!met_a_slot_without_a_node(java_ended)) break;
        std::printf("once more, since Redisson failed: %s\n", java_ended.value.c_str());
    }
    auto const theirs = contest_of::part_of(java_ended);
    EXPECT_EQ(theirs.most_inside, 1);
    EXPECT_GT(ours.entries, 0);
    EXPECT_GT(theirs.entries, 0);
    std::printf("C++ had %d entries, Java %d\n", int(ours.entries), int(theirs.entries));
}

TEST_F(cluster_with_java, we_wake_java_after_our_master_was_lost) {
    auto const lock = cluster.name_on(2);
    hold held = holder.get_lock(lock).acquire({.owner = owner()});
    auto const waits = java_in_line_for(lock, cluster.node(2));
    auto& replica = cluster.replica_of(2);
    EXPECT_TRUE(wait_until([&] { return replica.run("DBSIZE").integer == 1; }));
    cluster.node(2).kill9();
    EXPECT_TRUE(wait_until([&] { return redis_cluster::is_master(replica); }));
    EXPECT_TRUE(wait_until([&] { return somebody_listens(replica, lock); })) << "Java";
    EXPECT_EQ(held.status(), hold_status::held);
    EXPECT_EQ(holders(replica, lock).count(held.owner_id()), 1U);
    held.release();
    auto const end = other_side.end_of(waits); // long before the lease of 30 s is over
    EXPECT_TRUE(end.ok) << end.value;
    EXPECT_FALSE(holder.get_lock(lock).try_acquire({.owner = owner()}));
    EXPECT_TRUE(is_released_by_java(lock));
}

} // namespace
} // namespace redlatch::test
