// Channels that nobody waits on any more: they stay for a second, and are given up together.
#include "locking/scripted_subscriber.hpp"
#include "scripted/virtual_time.hpp"

#include <gmock/gmock.h>
#include <string>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::at;
using scripted::at_no_time;
using scripted::ms;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using state = channel::state;

TEST(lingering_subscription, stays_for_a_second_after_its_last_waiter_left) {
    connected all;
    auto const one = all.listening("c");
    all.registry.detach(one, at(5s));
    EXPECT_EQ(ms(all.registry.next()), 6'000);
    all.registry.on_timer(at(6s) - 1ns);
    EXPECT_THAT(all.said(), IsEmpty());
    EXPECT_EQ(one->now_in, state::subscribed);
    all.registry.on_timer(at(6s));
    EXPECT_THAT(all.said(), ElementsAre("UNSUBSCRIBE c"));
    EXPECT_EQ(one->now_in, state::idle) << "from here on not subscribed, whatever the server answers";
    EXPECT_EQ(ms(all.registry.next()), at_no_time);
    EXPECT_FALSE(all.registry.listens());
    EXPECT_TRUE(all.hears(confirmed("unsubscribe", "c")));
}

TEST(lingering_subscription, is_ready_for_the_next_waiter_with_its_count) {
    connected all;
    auto const one = all.listening("c");
    all.hears(message("c"));
    all.registry.detach(one, at(0s));
    all.hears(message("c"));
    auto const again = all.registry.attach("c");
    EXPECT_EQ(again, one);
    EXPECT_TRUE(again->sample().subscribed);
    EXPECT_EQ(again->count, 3U) << "counted while nobody waited, too";
    EXPECT_EQ(ms(all.registry.next()), at_no_time);
    all.registry.on_timer(at(1h));
    EXPECT_EQ(one->now_in, state::subscribed) << "it lingers no more";
    EXPECT_THAT(all.said(), IsEmpty());
}

TEST(lingering_subscription, begins_when_the_last_of_several_waiters_has_left) {
    connected all;
    auto const one = all.listening("c");
    all.registry.attach("c");
    all.registry.detach(one, at(0s));
    EXPECT_EQ(ms(all.registry.next()), at_no_time);
    all.registry.detach(one, at(1s));
    EXPECT_EQ(ms(all.registry.next()), 2'000);
}

TEST(lingering_subscription, is_none_of_a_channel_that_was_never_asked_for) {
    connected all;
    all.registry.detach(all.registry.attach("c"), at(0s));
    EXPECT_EQ(ms(all.registry.next()), at_no_time);
    EXPECT_FALSE(all.registry.listens());
    EXPECT_THAT(all.said(), IsEmpty());
}

/// The registry has so many lingering channels, c0 and so on.
void let_linger(connected& all, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) all.registry.detach(all.listening("c" + std::to_string(i)), at(0s));
}

std::string unsubscribe(std::size_t first, std::size_t count) {
    std::string command = "UNSUBSCRIBE";
    for (auto i = first; i < first + count; ++i) command += " c" + std::to_string(i);
    return command;
}

TEST(lingering_subscription, is_given_up_with_the_oldest_hundred_where_too_many_linger) {
    connected all;
    let_linger(all, subscription_registry::most_lingering);
    EXPECT_THAT(all.said(), IsEmpty());
    EXPECT_EQ(all.registry.active(), subscription_registry::most_lingering);
    all.registry.detach(all.listening("the last"), at(0s));
    EXPECT_THAT(all.said(), ElementsAre(unsubscribe(0, 100)));
    EXPECT_EQ(all.registry.active(), subscription_registry::most_lingering - 99);
    EXPECT_FALSE(all.registry.peek("c99").subscribed);
    EXPECT_TRUE(all.registry.peek("c100").subscribed);
    for (std::size_t i = 0; i < 100; ++i)
        EXPECT_TRUE(all.hears(confirmed("unsubscribe", ("c" + std::to_string(i)).c_str())));
    EXPECT_FALSE(all.registry.expects_reply());
}

TEST(lingering_subscription, is_given_up_with_others_by_one_command) {
    connected all;
    let_linger(all, 230);
    all.registry.detach(all.listening("younger"), at(1ms));
    all.registry.on_timer(at(1s));
    EXPECT_THAT(all.said(), ElementsAre(unsubscribe(0, 100), unsubscribe(100, 100), unsubscribe(200, 30)));
    EXPECT_TRUE(all.registry.peek("younger").subscribed);
    EXPECT_EQ(all.registry.active(), 1U);
}

TEST(lingering_subscription, has_one_refusal_for_all_of_a_command) {
    connected all;
    let_linger(all, 3);
    all.registry.on_timer(at(1s));
    auto const next = all.registry.attach("next");
    all.registry.subscribe(next);
    EXPECT_THAT(all.said(), ElementsAre(unsubscribe(0, 3), "SUBSCRIBE next"));
    EXPECT_TRUE(all.hears(scripted::error("NOPERM no unsubscribe")));
    EXPECT_TRUE(all.registry.expects_reply());
    EXPECT_TRUE(all.hears(confirmed("subscribe", "next")));
    EXPECT_TRUE(next->sample().subscribed);
    EXPECT_FALSE(all.registry.expects_reply());
}

TEST(lingering_subscription, is_taken_from_among_others) {
    connected all;
    let_linger(all, 3);
    auto const again = all.registry.attach("c1");
    all.registry.on_timer(at(1s));
    EXPECT_THAT(all.said(), ElementsAre("UNSUBSCRIBE c0 c2"));
    EXPECT_TRUE(again->sample().subscribed);
}

TEST(lingering_subscription, is_not_confused_by_the_answers_to_a_request_that_was_given_up) {
    connected all;
    auto const first = all.registry.attach("c");
    all.registry.subscribe(first);
    all.registry.detach(first, at(0s));
    all.registry.on_timer(at(1s)); // given up before it was confirmed
    auto const second = all.registry.attach("c");
    all.registry.subscribe(second);
    EXPECT_THAT(all.said(), ElementsAre("SUBSCRIBE c", "UNSUBSCRIBE c", "SUBSCRIBE c"));
    auto const before = second->sample();
    EXPECT_TRUE(all.hears(confirmed("subscribe", "c")));
    EXPECT_FALSE(second->sample().subscribed) << "that was the first request's; the server will unsubscribe next";
    EXPECT_TRUE(all.hears(confirmed("unsubscribe", "c")));
    EXPECT_FALSE(second->sample().subscribed);
    EXPECT_TRUE(all.hears(confirmed("subscribe", "c")));
    EXPECT_TRUE(second->sample().subscribed);
    EXPECT_NE(second->count, before.count);
}

TEST(lingering_subscription, is_not_begun_by_a_peek) {
    connected all;
    EXPECT_EQ(all.registry.peek("c").count, 0U);
    EXPECT_FALSE(all.registry.peek("c").subscribed);
    EXPECT_FALSE(all.registry.listens());
    auto const one = all.listening("c");
    all.hears(message("c"));
    EXPECT_EQ(all.registry.peek("c").count, 2U);
    EXPECT_TRUE(all.registry.peek("c").subscribed);
    EXPECT_EQ(one->references, 1);
}

/// A waiter may come while its client closes.
TEST(lingering_subscription, ends_with_its_client_and_may_be_wanted_again) {
    connected all;
    let_linger(all, 2);
    all.registry.on_closed(all.woken);
    EXPECT_EQ(ms(all.registry.next()), at_no_time);
    auto const again = all.registry.attach("c0");
    EXPECT_FALSE(again->sample().subscribed);
    all.registry.detach(again, at(0s));
    EXPECT_EQ(ms(all.registry.next()), at_no_time);
}

} // namespace
} // namespace redlatch::locking
