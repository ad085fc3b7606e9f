// Subscriptions to messages of a shard, which a node of a cluster may end by itself.
#include "base/hash_slot.hpp"
#include "locking/scripted_subscriber.hpp"
#include "scripted/wake_counter.hpp"

#include <gmock/gmock.h>

namespace redlatch::locking {
namespace {

using scripted::array;
using scripted::make_sleeper;
using scripted::string;
using ::testing::ElementsAre;
using state = channel::state;

struct in_a_cluster : subscriber {
    in_a_cluster() {
        registry.listen_to_shards(true);
        up();
    }
    channel_ptr in_shard(std::string const& name) {
        auto const one = registry.attach(name);
        registry.subscribe(one);
        EXPECT_THAT(said(), ElementsAre("SSUBSCRIBE " + name));
        hears(confirmed("ssubscribe", name));
        EXPECT_EQ(one->now_in, state::subscribed);
        return one;
    }
};

TEST(subscription_of_a_shard, has_commands_and_messages_of_its_own) {
    in_a_cluster all;
    auto const one = all.in_shard("c");
    EXPECT_TRUE(all.hears(array({string("smessage"), string("c"), string("0")})));
    EXPECT_EQ(one->messages, 1U);
    all.registry.detach(one, all.now);
    all.registry.on_timer(all.now + subscription_registry::linger);
    EXPECT_THAT(all.said(), ElementsAre("SUNSUBSCRIBE c"));
    EXPECT_TRUE(all.hears(confirmed("sunsubscribe", "c")));
    EXPECT_FALSE(all.registry.expects_reply());
}

TEST(subscription_of_a_shard, is_given_up_alone_for_another_may_be_of_another_slot) {
    in_a_cluster all;
    for (auto const* const name : {"c", "d"}) all.registry.detach(all.in_shard(name), all.now);
    all.registry.on_timer(all.now + subscription_registry::linger);
    EXPECT_THAT(all.said(), ElementsAre("SUNSUBSCRIBE c", "SUNSUBSCRIBE d"));
}

TEST(subscription_of_a_shard, that_the_server_ends_wakes_who_waits_and_may_begin_again) {
    in_a_cluster all;
    auto const one = all.in_shard("c");
    auto const sleeper = make_sleeper();
    one->waiters.push_back(sleeper);
    auto const before = one->count;
    EXPECT_TRUE(all.hears(confirmed("sunsubscribe", "c")));
    EXPECT_FALSE(one->sample().subscribed);
    EXPECT_GT(one->count, before);
    EXPECT_EQ(sleeper->times, 1);
    EXPECT_TRUE(all.hears(confirmed("sunsubscribe", "nobody knows it"))) << "it may have been given up meanwhile";
    all.registry.subscribe(one);
    EXPECT_THAT(all.said(), ElementsAre("SSUBSCRIBE c"));
}

TEST(subscription_of_a_shard, that_was_on_another_node_is_not_waited_for_on_this_one) {
    in_a_cluster all;
    auto const one = all.in_shard("c");
    EXPECT_FALSE(one->sample().elsewhere);
    EXPECT_TRUE(all.hears(confirmed("sunsubscribe", "c")));
    EXPECT_TRUE(one->sample().elsewhere) << "the connection is there, and nobody subscribes again";
    all.registry.subscribe(one);
    EXPECT_TRUE(all.hears(confirmed("ssubscribe", "c")));
    EXPECT_FALSE(one->sample().elsewhere) << "the slot has come back";
    base::wake_list woken;
    all.registry.on_slots_moved([](std::uint16_t) { return true; }, woken);
    EXPECT_TRUE(one->sample().elsewhere);
    all.registry.on_slots_moved([](std::uint16_t) { return false; }, woken);
    EXPECT_FALSE(one->sample().elsewhere);
    all.registry.on_down(all.now, woken);
    EXPECT_FALSE(one->sample().elsewhere) << "there will be another connection";
    all.registry.on_slots_moved([](std::uint16_t) { return true; }, woken);
    EXPECT_TRUE(one->sample().elsewhere) << "even if both are seen at once";
}

TEST(subscription_of_a_shard, that_is_ended_by_both_sides_at_once_is_ended_once) {
    in_a_cluster all;
    auto const one = all.in_shard("c");
    auto const other = all.in_shard("d");
    all.registry.detach(one, all.now);
    all.registry.on_timer(all.now + subscription_registry::linger);
    EXPECT_TRUE(all.hears(confirmed("sunsubscribe", "d"))) << "by the server: this one was not asked for";
    EXPECT_FALSE(other->sample().subscribed);
    EXPECT_TRUE(all.hears(confirmed("sunsubscribe", "c")));
    EXPECT_FALSE(all.registry.expects_reply());
}

TEST(subscription_of_a_shard, that_is_on_another_node_makes_waiters_poll) {
    in_a_cluster all;
    auto const one = all.registry.attach("c");
    all.registry.subscribe(one);
    EXPECT_TRUE(all.hears(scripted::error("MOVED 7365 127.0.0.1:7002")));
    EXPECT_EQ(one->now_in, state::refused);
}

// A real server refuses SUNSUBSCRIBE of a channel whose slot it has lost, and has ended the subscription before.
TEST(subscription_of_a_shard, that_ends_while_its_slot_moves_leaves_the_answers_of_others_alone) {
    in_a_cluster all;
    auto const one = all.in_shard("c"); // of slot 7365
    all.registry.detach(one, all.now);
    all.registry.on_timer(all.now + subscription_registry::linger);
    auto const other = all.registry.attach("d");
    all.registry.subscribe(other);
    EXPECT_TRUE(all.hears(confirmed("sunsubscribe", "c"))) << "by the server";
    EXPECT_TRUE(all.hears(scripted::error("MOVED 7365 127.0.0.1:7002"))) << "to the request";
    EXPECT_EQ(other->now_in, state::asked);
    EXPECT_TRUE(all.hears(confirmed("ssubscribe", "d")));
    EXPECT_TRUE(other->sample().subscribed);
    EXPECT_TRUE(all.hears(scripted::error("MOVED 7365 127.0.0.1:7002"))) << "nothing is due";
}

TEST(subscription_of_a_shard, is_news_where_its_slot_has_another_node) {
    in_a_cluster all;
    auto const one = all.in_shard("c");
    auto const other = all.in_shard("d");
    auto const sleeper = make_sleeper();
    auto const of_another = make_sleeper();
    one->waiters.push_back(sleeper);
    other->waiters.push_back(of_another);
    auto const before = one->count;
    base::wake_list woken;
    all.registry.on_slots_moved([](std::uint16_t slot) { return slot == base::hash_slot("c"); }, woken);
    woken.wake_all();
    EXPECT_EQ(sleeper->times, 1) << "the former node may be silent for ever";
    EXPECT_GT(one->count, before);
    EXPECT_EQ(of_another->times, 0);
}

} // namespace
} // namespace redlatch::locking
