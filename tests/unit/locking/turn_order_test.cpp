#include "locking/turn_order.hpp"
#include "scripted/virtual_time.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <map>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::at;

/// A channel as one process sees it.
struct heard_channel {
    channel_sample now{.count = 1, .subscribed = true, .session = 1};

    channel_sample const& end_of_turn() {
        ++now.count, ++now.messages, ++now.turns;
        now.turn_goes_on = false;
        return now;
    }
    channel_sample const& release_within_turn() {
        ++now.count, ++now.messages;
        now.turn_goes_on = true;
        return now;
    }
};

/// So many ends of turns, one each millisecond.
void hear(turn_order& order, heard_channel& channel, int turns, base::instant& now) {
    for (int i = 0; i < turns; ++i) {
        now = base::later(now, 1ms);
        order.on_heard(channel.end_of_turn(), now);
    }
}

TEST(turn_order, knows_of_nobody_before_it_where_it_has_not_listened) {
    turn_order order;
    heard_channel channel;
    EXPECT_EQ(order.rank(channel.now), 0);
    order.on_busy({}, 5, at(0s)); // before it subscribed
    EXPECT_EQ(order.rank({}), 0);
    EXPECT_LE(order.yield_until(channel.now, at(0s)), at(0s));
}

TEST(turn_order, is_behind_all_that_listened_when_it_came) {
    turn_order order;
    heard_channel channel;
    order.on_busy(channel.now, 3, at(0s));
    EXPECT_EQ(order.rank(channel.now), 3);
    auto now = at(0s);
    for (int left = 2; left >= 0; --left) {
        hear(order, channel, 1, now);
        EXPECT_EQ(order.rank(channel.now), left);
    }
    hear(order, channel, 1, now);
    EXPECT_EQ(order.rank(channel.now), 0) << "never less";
}

TEST(turn_order, is_before_those_that_came_between_its_first_refusal_and_its_subscription) {
    turn_order order;
    heard_channel channel;
    order.on_busy({}, 1, at(0s));
    order.on_busy(channel.now, 7, at(1ms));
    EXPECT_EQ(order.rank(channel.now), 1);
}

TEST(turn_order, is_behind_all_that_heard_its_own_release) {
    turn_order order;
    heard_channel channel;
    order.on_busy(channel.now, 1, at(0s));
    auto now = at(0s);
    hear(order, channel, 1, now);
    EXPECT_EQ(order.rank(channel.now), 0);
    order.on_released(channel.end_of_turn(), 4, at(5ms));
    EXPECT_EQ(order.rank(channel.now), 4) << "its own message is no turn of another";
}

TEST(turn_order, counts_nothing_of_what_was_seen_before_its_own_release) {
    turn_order order;
    heard_channel channel;
    order.on_busy(channel.now, 1, at(0s));
    auto const old = channel.now;
    channel.end_of_turn();
    order.on_released(channel.end_of_turn(), 0, at(1s));
    EXPECT_EQ(order.rank(old), 0);
}

TEST(turn_order, comes_nearer_when_those_before_it_have_left) {
    turn_order order;
    heard_channel channel;
    order.on_busy(channel.now, 9, at(0s));
    auto now = at(0s);
    hear(order, channel, 2, now);
    order.on_busy(channel.now, 3, at(5ms));
    EXPECT_EQ(order.rank(channel.now), 3);
    order.on_busy(channel.now, 8, at(6ms));
    EXPECT_EQ(order.rank(channel.now), 3) << "who has come since is behind it";
}

TEST(turn_order, asks_at_once_at_the_end_of_a_turn_when_nobody_is_before_it) {
    turn_order order;
    heard_channel channel;
    order.on_busy(channel.now, 1, at(0s));
    auto now = at(0s);
    hear(order, channel, 1, now);
    EXPECT_EQ(order.yield_until(channel.now, now), now);
    EXPECT_TRUE(order.is_near(channel.now));
}

TEST(turn_order, asks_as_the_second_after_half_of_the_usual_time_between_releases) {
    turn_order order;
    heard_channel channel;
    order.on_busy(channel.now, 9, at(0s));
    auto now = at(0s);
    hear(order, channel, 8, now);
    EXPECT_EQ(order.rank(channel.now), 1);
    EXPECT_EQ(order.yield_until(channel.now, now), now + 500us);
    EXPECT_TRUE(order.is_near(channel.now));
}

TEST(turn_order, asks_as_the_second_after_25_ms_where_releases_are_rare) {
    turn_order order;
    heard_channel channel;
    order.on_busy(channel.now, 2, at(0s));
    order.on_heard(channel.end_of_turn(), at(10s));
    ASSERT_EQ(order.rank(channel.now), 1);
    EXPECT_EQ(order.yield_until(channel.now, at(10s)), at(10s) + 25ms);
}

TEST(turn_order, does_not_look_before_it_asks_where_it_has_not_seen_the_end_of_a_turn) {
    turn_order order;
    heard_channel channel;
    order.on_busy(channel.now, 3, at(0s));
    order.on_heard(channel.release_within_turn(), at(1ms));
    order.on_heard(channel.release_within_turn(), at(2ms));
    ASSERT_EQ(order.rank(channel.now), 3);
    auto const quiet = 4ms; // twice the time between releases, doubled for the second one before it
    EXPECT_EQ(order.yield_until(channel.now, at(2ms)), at(2ms) + turn_order::longest_grace + 500us + quiet);
}

TEST(turn_order, looks_again_and_does_not_ask_while_many_are_before_it) {
    turn_order order;
    heard_channel channel;
    order.on_busy(channel.now, 100, at(0s));
    auto now = at(0s);
    hear(order, channel, 8, now);
    EXPECT_FALSE(order.is_near(channel.now));
    auto const look = order.yield_until(channel.now, now);
    EXPECT_GT(look, now + 60ms) << "92 turns of a millisecond are before it";
    EXPECT_LT(look, now + 92ms) << "its turn must not pass meanwhile";
}

TEST(turn_order, expects_short_turns_behind_a_long_one) {
    turn_order order;
    heard_channel channel;
    order.on_busy(channel.now, 10, at(0s));
    order.on_heard(channel.end_of_turn(), at(60s));
    EXPECT_GT(order.yield_until(channel.now, at(60s)), at(60s) + 10ms) << "nine are before it";
    EXPECT_LT(order.yield_until(channel.now, at(60s)), at(60s) + 9 * turn_order::longest_expected_turn);
}

TEST(turn_order, asks_in_the_end_however_many_are_before_it) {
    for (int const others : {1, 2, 3, 10, 100, 10'000}) {
        turn_order order;
        heard_channel channel;
        order.on_busy(channel.now, others, at(0s));
        auto now = at(0s);
        hear(order, channel, 1, now);
        auto const heard_at = now;
        for (int looks = 0; order.yield_until(channel.now, now) > now; ++looks) {
            now = order.yield_until(channel.now, now);
            ASSERT_LT(looks, 10'000);
        }
        EXPECT_LE(now - heard_at, turn_order::longest_yield + turn_order::longest_slot) << others;
    }
}

TEST(turn_order, leaves_the_lock_to_a_process_that_goes_on_with_its_turn) {
    turn_order order;
    heard_channel channel;
    order.on_busy(channel.now, 1, at(0s));
    auto now = at(0s);
    hear(order, channel, 1, now);
    order.on_heard(channel.release_within_turn(), now + 1ms);
    EXPECT_EQ(order.rank(channel.now), 0) << "that was no turn of its own";
    EXPECT_GT(order.yield_until(channel.now, now + 1ms), now + 1ms);
    EXPECT_LE(order.yield_until(channel.now, now + 1ms), now + 1ms + turn_order::longest_grace);
}

TEST(turn_order, learns_that_some_that_listen_do_not_wait) {
    turn_order order;
    heard_channel channel;
    order.on_busy(channel.now, 2, at(0s));
    auto now = at(0s);
    hear(order, channel, 1, now);
    ASSERT_EQ(order.rank(channel.now), 1);
    order.on_nobody_asked(channel.now);
    EXPECT_EQ(order.rank(channel.now), 0);
    order.on_released(channel.end_of_turn(), 2, base::later(now, 1ms));
    EXPECT_EQ(order.rank(channel.now), 1) << "one of the two is absent";
    hear(order, channel, 1, now);
    ASSERT_EQ(order.rank(channel.now), 0);
    order.on_busy(channel.now, 2, now); // somebody was there
    order.on_released(channel.end_of_turn(), 2, base::later(now, 1ms));
    EXPECT_EQ(order.rank(channel.now), 2);
}

TEST(turn_order, gives_one_that_is_thought_to_be_absent_its_time_again_after_some_turns) {
    turn_order order;
    heard_channel channel;
    order.on_busy(channel.now, 2, at(0s));
    auto now = at(0s);
    for (int i = 0; i < 2; ++i) order.on_nobody_asked(channel.now);
    for (int const turns : {2, 4, 8, 8}) {
        for (int turn = 1; turn < turns; ++turn) {
            order.on_released(channel.end_of_turn(), 2, now = base::later(now, 1ms));
            EXPECT_EQ(order.rank(channel.now), 0) << "after turn " << turn << " of " << turns;
        }
        order.on_released(channel.end_of_turn(), 2, now = base::later(now, 1ms));
        EXPECT_EQ(order.rank(channel.now), 1) << "not both, who would cost twice as much time";
        order.on_nobody_asked(channel.now); // it is absent still
    }
}

/// It has asked when it was given its time: the next one that is thought to be absent is as new.
TEST(turn_order, gives_one_its_time_again_soon_where_the_last_one_had_only_been_late) {
    turn_order order;
    heard_channel channel;
    order.on_busy(channel.now, 1, at(0s));
    auto now = at(0s);
    auto const turns_without = [&](int turns) {
        order.on_nobody_asked(channel.now);
        for (int turn = 1; turn <= turns; ++turn) {
            EXPECT_EQ(order.rank(channel.now), 0) << "of " << turns;
            order.on_released(channel.end_of_turn(), 1, now = base::later(now, 1ms));
        }
        EXPECT_EQ(order.rank(channel.now), 1);
    };
    turns_without(2);
    turns_without(4);
    hear(order, channel, 1, now); // its turn
    order.on_released(channel.end_of_turn(), 1, now = base::later(now, 1ms));
    ASSERT_EQ(order.rank(channel.now), 1);
    turns_without(2);
    turns_without(4);
    order.on_nobody_asked(channel.now);
    order.on_released(channel.end_of_turn(), 1, now = base::later(now, 1ms));
    ASSERT_EQ(order.rank(channel.now), 0);
    order.on_busy(channel.now, 1, now); // it was there, and is no longer thought to be absent
    order.on_released(channel.end_of_turn(), 1, now = base::later(now, 1ms));
    ASSERT_EQ(order.rank(channel.now), 1);
    turns_without(2);
}

TEST(turn_order, lets_those_go_first_that_are_thought_to_be_absent_and_are_not) {
    turn_order order;
    heard_channel channel;
    order.on_busy(channel.now, 2, at(0s));
    auto now = at(0s);
    hear(order, channel, 1, now);
    order.on_nobody_asked(channel.now);
    EXPECT_EQ(order.yield_until(channel.now, now), now + turn_order::head_start);
}

/// With others in the same moment: when it was first refused nobody listened, and all of them do when it has subscribed.
void come_with(turn_order& order, heard_channel const& channel, std::int64_t others, base::instant now) {
    order.on_busy({}, 0, now);
    order.on_busy(channel.now, others, now);
}

/// Busy again and again at the end of each turn, although nobody is thought to be before it.
void be_refused_as_first(turn_order& order, heard_channel& channel, std::int64_t others, int times,
                         base::instant& now) {
    for (int i = 0; i < times; ++i) {
        hear(order, channel, 1, now);
        ASSERT_EQ(order.rank(channel.now), 0);
        order.on_busy(channel.now, others, now);
    }
}

TEST(turn_order, takes_a_random_place_among_those_that_came_at_once) {
    std::map<std::int64_t, int> places;
    for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
        turn_order order(seed);
        heard_channel channel;
        auto now = at(0s);
        come_with(order, channel, 99, now);
        be_refused_as_first(order, channel, 99, turn_order::refusals_of_a_crowd, now);
        ++places[order.rank(channel.now) / 25];
    }
    for (int quarter = 0; quarter < 4; ++quarter) EXPECT_GT(places[quarter], 200) << quarter;
    EXPECT_EQ(places.size(), 4U);
}

TEST(turn_order, leaves_its_place_once_only) {
    turn_order order(7);
    heard_channel channel;
    auto now = at(0s);
    come_with(order, channel, 99, now);
    be_refused_as_first(order, channel, 99, turn_order::refusals_of_a_crowd, now);
    hear(order, channel, 99, now); // until it is first again
    be_refused_as_first(order, channel, 99, 10, now);
    EXPECT_EQ(order.rank(channel.now), 0) << "whoever waits must come nearer";
}

TEST(turn_order, keeps_its_place_where_redisson_refuses_the_first_one) {
    turn_order order(7);
    heard_channel channel;
    auto now = at(0s);
    come_with(order, channel, 99, now);
    channel.now.foreign += 2;
    be_refused_as_first(order, channel, 99, 10, now);
    EXPECT_EQ(order.rank(channel.now), 0);
}

TEST(turn_order, keeps_its_place_among_few_and_after_its_own_turn) {
    turn_order few(7);
    heard_channel channel;
    auto now = at(0s);
    come_with(few, channel, turn_order::least_crowd - 1, now);
    be_refused_as_first(few, channel, turn_order::least_crowd - 1, 10, now);
    EXPECT_EQ(few.rank(channel.now), 0);
    turn_order served(7);
    served.on_busy(channel.now, 0, now);
    served.on_released(channel.end_of_turn(), 20, now);
    hear(served, channel, 20, now);
    be_refused_as_first(served, channel, 20, 10, now);
    EXPECT_EQ(served.rank(channel.now), 0);
}

TEST(turn_order, knows_that_others_have_counted_its_turn) {
    turn_order order;
    heard_channel channel;
    auto now = at(0s);
    order.on_busy(channel.now, 2, now);
    ++channel.now.absent;
    hear(order, channel, 1, now);
    EXPECT_FALSE(order.was_counted_absent()) << "those before it were meant";
    hear(order, channel, 1, now);
    ++channel.now.absent;
    hear(order, channel, 1, now);
    EXPECT_TRUE(order.was_counted_absent()) << "it was first, and slow";
    order.on_released(channel.end_of_turn(), 2, now);
    EXPECT_FALSE(order.was_counted_absent());
}

TEST(turn_order, begins_anew_with_another_session_of_the_channel) {
    turn_order order;
    heard_channel channel;
    order.on_busy(channel.now, 5, at(0s));
    channel.now.session = 2;
    EXPECT_EQ(order.rank(channel.now), 0);
    order.on_busy(channel.now, 2, at(1s));
    EXPECT_EQ(order.rank(channel.now), 2);
}

TEST(turn_order, asks_soon_when_it_has_just_come_since_perhaps_nobody_waits) {
    turn_order order;
    heard_channel channel;
    order.on_released(channel.end_of_turn(), 7, at(0s));
    EXPECT_EQ(order.first_yield_until(channel.now), at(0s) + turn_order::shortest_slot);
}

} // namespace
} // namespace redlatch::locking
