// A cluster: channels on other nodes than their keys, and commands that are sent again.
#include "redisson_defects_test.hpp"
#include "support/lock_helpers.hpp"
#include "support/redis_cluster.hpp"

#include <gmock/gmock.h>
#include <optional>
#include <utility>
#include <vector>

namespace redlatch::test {
namespace {

class redisson_defects_cluster : public redisson_defects_test {
protected:
    config settings(std::chrono::milliseconds timeout = 10s) const {
        return {.address = cluster.uri(), .timeout = timeout};
    }
    /// A name with a hash tag, on whose node the channel of a latch is not.
    std::string latch_apart_from_its_channel() const {
        for (int number = 0;; ++number) {
            auto const latch = "{" + std::to_string(number) + "}:gate";
            auto const channel = "redisson_countdownlatch__channel__{" + latch + "}";
            if (cluster.owner_of(latch) != cluster.owner_of(channel)) return latch;
        }
    }

    /// Of different slots.
    std::pair<std::string, std::string> two_locks_of_the_first_node() const {
        std::vector<std::string> found;
        for (int number = 0; found.size() < 2; ++number)
            if (auto lock = "lock-" + std::to_string(number); cluster.owner_of(lock) == 0) found.push_back(lock);
        return {found[0], found[1]};
    }

    bool listens_on(std::size_t node, std::string const& lock) {
        return !cluster.node(node).run("PUBSUB", "SHARDCHANNELS", channel_of(lock)).items.empty();
    }
    /// A lock of the first node, whose slot goes to the second one while Java waits, and is released there.
    java_peer::ticket released_where_its_slot_has_moved_to(client& user, java_peer& peer, std::string const& lock) {
        auto held = user.get_lock(lock).acquire({.owner = owner()});
        auto const waits = peer.start(lock, "lock", {lock});
        EXPECT_TRUE(wait_until([&] { return listens_on(0, lock); }));
        auto const slot = redis_cluster::slot_of(lock);
        cluster.begin_move(slot, 0, 1);
        cluster.move_keys(slot, 0, 1);
        cluster.end_move(slot, 0, 1);
        EXPECT_TRUE(wait_until([&] { return listens_on(1, lock); })) << "it knows the new node";
        held.release();
        return waits;
    }

    redis_cluster cluster{3};
};

TEST_F(redisson_defects_cluster, java_cannot_set_a_latch_with_a_hash_tag) {
    java_peer peer(built_peer().folder, cluster.uri(), 30s);
    auto const answer = peer.ask("a", "latch/trySetCount", {latch_apart_from_its_channel(), "1"});
    EXPECT_FALSE(answer.ok);
    EXPECT_THAT(answer.value, ::testing::HasSubstr("CROSSSLOT"));
}

TEST_F(redisson_defects_cluster, ours_counts_a_latch_with_a_hash_tag_down_and_lets_others_go_on) {
    client user(settings());
    client other(settings());
    auto gate = user.get_count_down_latch(latch_apart_from_its_channel());
    EXPECT_TRUE(gate.try_set_count(1));
    auto waits = in_thread([gate = other.get_count_down_latch(gate.name())]() mutable { gate.wait(); });
    EXPECT_EQ(waits.wait_for(200ms), std::future_status::timeout);
    EXPECT_TRUE(gate.count_down());
    EXPECT_EQ(waits.wait_for(10s), std::future_status::ready) << "its timer is 30 s";
}

TEST_F(redisson_defects_cluster, java_sleeps_beside_a_free_lock_whose_slot_has_moved) {
    if (test_server_is_before_7()) GTEST_SKIP() << "messages of shards came with Redis 7.0";
    client user(settings());
    java_peer peer(built_peer().folder, cluster.uri(), 30s);
    int number = 0;
    // Most times; who is woken before it has looked at the cluster goes on.
    EXPECT_TRUE(wait_until([&] {
        std::string lock;
        do lock = "lock-" + std::to_string(number++);
        while (cluster.owner_of(lock) != 0);
        auto const waits = released_where_its_slot_has_moved_to(user, peer, lock);
        return !peer.reply_if_any(waits, 1s) && !user.get_lock(lock).is_locked();
    })) << "its listener is gone with the first message";
}

TEST_F(redisson_defects_cluster, java_renews_nothing_where_it_takes_a_node_for_a_single_server) {
    java_peer peer(built_peer().folder, cluster.node(0).uri(), brief_watchdog);
    auto const is_there = [&](std::string const& lock) { return pttl(cluster.node(0), lock) > 0; };
    auto const locks = two_locks_of_the_first_node();
    peer.value("a", "lock", {locks.first});
    EXPECT_TRUE(stays([&] { return is_there(locks.first); }, 2 * brief_watchdog)) << "one is renewed";
    peer.value("a", "lock", {locks.second});
    EXPECT_TRUE(wait_until([&] { return !is_there(locks.first) && !is_there(locks.second); }, 2 * brief_watchdog));
    for (auto const& lock : {locks.first, locks.second})
        EXPECT_EQ(peer.ask("a", "unlock", {lock}).exception_class, "IllegalMonitorStateException");
}

TEST_F(redisson_defects_cluster, java_holds_twice_what_it_has_locked_once_when_an_answer_is_late) {
    auto const lock = cluster.name_on(0);
    java_peer peer(built_peer().folder, cluster.uri(), 30s);
    peer.value("a", "lock", {lock});
    peer.value("a", "unlock", {lock});
    std::optional<writes_paused> paused(std::in_place, cluster.node(0));
    auto const call = peer.start("a", "lock", {lock});
    EXPECT_TRUE(paused->hold_up_more()) << "it is sent again after its response timeout of 3 s";
    paused.reset();
    EXPECT_TRUE(peer.end_of(call).ok);
    auto const held = holders(cluster.node(0), lock);
    ASSERT_EQ(held.size(), 1U);
    EXPECT_GT(std::stoi(held.begin()->second), 1);
}

TEST_F(redisson_defects_cluster, ours_holds_once_what_it_has_locked_once_when_an_answer_is_late) {
    auto const lock = cluster.name_on(0);
    client user(settings(1s));
    user.get_lock(lock).acquire({.owner = owner()}).release();
    std::optional<writes_paused> paused(std::in_place, cluster.node(0));
    auto const before = user.stats().reconnects;
    auto call = in_thread([&] { return user.get_lock(lock).acquire({.wait = patience, .owner = owner()}); });
    EXPECT_TRUE(wait_until([&] { return user.stats().reconnects > before; })) << "it is sent again";
    paused.reset();
    auto const held = call.get();
    EXPECT_EQ(holders(cluster.node(0), lock), (std::map<std::string, std::string>{{held.owner_id(), "1"}}));
}

} // namespace
} // namespace redlatch::test
