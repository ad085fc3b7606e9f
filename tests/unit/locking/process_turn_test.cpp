#include "locking/process_turn.hpp"
#include "scripted/virtual_time.hpp"

#include <gtest/gtest.h>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::at;

TEST(process_turn, is_never_over_while_nobody_else_listens) {
    process_turn turn;
    turn.on_acquired(at(0s));
    turn.on_released(0, {}, at(0s));
    EXPECT_FALSE(turn.over(5ms, at(10s)));
    turn.on_acquired(at(10s));
    turn.on_released(0, {}, at(0s));
    EXPECT_FALSE(turn.over(5ms, at(20s)));
}

TEST(process_turn, is_over_when_its_time_is_and_others_listen) {
    process_turn turn;
    turn.on_acquired(at(0s));
    turn.on_released(1, {}, at(0s));
    EXPECT_TRUE(turn.others_listen());
    EXPECT_FALSE(turn.over(5ms, at(999us)));
    turn.on_acquired(at(999us));
    turn.on_released(1, {}, at(0s));
    EXPECT_TRUE(turn.over(5ms, at(1ms))) << "it goes on from the first acquisition";
    EXPECT_TRUE(turn.over(1ms, at(1ms)));
}

TEST(process_turn, begins_anew_after_it_yielded_or_others_had_the_lock) {
    process_turn turn;
    turn.on_acquired(at(0s));
    turn.on_released(1, {}, at(0s));
    turn.begin_anew();
    EXPECT_FALSE(turn.over(5ms, at(1s)));
    turn.on_acquired(at(1s));
    turn.on_released(1, {}, at(0s));
    EXPECT_FALSE(turn.over(5ms, at(1s)));
    EXPECT_TRUE(turn.over(5ms, at(1s) + 1ms));
    turn.on_busy({}, std::nullopt, at(2s));
    EXPECT_FALSE(turn.over(5ms, at(2s))) << "others have it";
}

TEST(process_turn, leaves_the_lock_for_a_while_to_those_that_came_before) {
    process_turn turn;
    channel_sample const seen{.count = 1, .subscribed = true, .session = 1};
    turn.on_busy(seen, 2, at(0s));
    EXPECT_GT(turn.others_first(seen, true, at(0s)).time, 0s);
    EXPECT_LE(turn.others_first(seen, true, at(10s)).time, 0s) << "they do not ask";
}

TEST(process_turn, begins_anew_when_nobody_listened_any_more) {
    process_turn turn;
    turn.on_acquired(at(0s));
    turn.on_released(1, {}, at(0s));
    turn.on_released(0, {}, at(0s));
    turn.on_acquired(at(1s));
    turn.on_released(1, {}, at(0s));
    EXPECT_FALSE(turn.over(5ms, at(1s)));
}

TEST(process_turn, goes_on_when_a_waiter_of_this_process_asks_right_behind_the_release) {
    process_turn turn;
    turn.on_acquired(at(0s));
    EXPECT_FALSE(turn.goes_on_after_release(true, 5ms, at(0s))) << "nobody is known to listen";
    turn.on_acquired(at(0s));
    turn.on_released(1, {}, at(0s));
    EXPECT_TRUE(turn.goes_on_after_release(true, 5ms, at(999us)));
    EXPECT_FALSE(turn.goes_on_after_release(true, 5ms, at(1ms))) << "its time is over";
}

TEST(process_turn, ends_with_a_release_that_nobody_of_this_process_waits_for) {
    process_turn turn;
    turn.on_acquired(at(0s));
    turn.on_released(1, {}, at(0s));
    EXPECT_FALSE(turn.goes_on_after_release(false, 5ms, at(999us)));
    EXPECT_FALSE(turn.over(5ms, at(1s))) << "the next acquisition begins another one";
}

TEST(process_turn, publishes_what_redisson_does_while_nobody_else_is_known) {
    process_turn turn;
    EXPECT_EQ(turn.take_message(), unlock_message);
    turn.on_released(1, {}, at(0s));
    EXPECT_EQ(turn.take_message(), turn_ends);
    turn.on_released(0, {}, at(0s));
    EXPECT_EQ(turn.take_message(), unlock_message);
    turn.on_busy({}, std::nullopt, at(1s));
    EXPECT_EQ(turn.take_message(), turn_ends) << "another one holds it";
}

TEST(process_turn, says_once_how_many_did_not_ask) {
    process_turn turn;
    channel_sample seen{.count = 1, .subscribed = true, .session = 1};
    turn.on_busy(seen, 2, at(0s));
    turn.on_nobody_asked(seen);
    EXPECT_EQ(turn.take_message(), end_of_turn(2));
    EXPECT_EQ(turn.take_message(), turn_ends);
}

TEST(process_turn, says_that_its_turn_was_counted_before) {
    process_turn turn;
    channel_sample seen{.count = 1, .subscribed = true, .session = 1};
    turn.on_busy(seen, 0, at(0s));
    ++seen.messages, seen.turns += 2, ++seen.absent;
    turn.on_heard(seen, at(1ms));
    EXPECT_EQ(turn.take_message(), counted_turn_ends);
}

TEST(process_turn, knows_its_own_release_and_nothing_before_there_was_one) {
    process_turn turn;
    EXPECT_EQ(turn.own_release().session, 0U);
    turn.on_released(1, {}, at(0s));
    EXPECT_EQ(turn.own_release().session, 0U);
    channel_sample const sent{.count = 3, .subscribed = true, .session = 9};
    turn.on_release_sent(sent);
    EXPECT_EQ(turn.own_release().session, 9U);
    EXPECT_EQ(turn.own_release().count, 3U);
}

TEST(process_turn, leaves_the_lock_after_a_release_to_those_of_whom_no_more_is_known_than_that_they_listen) {
    channel_sample const listening{.count = 1, .subscribed = true, .session = 1};
    struct situation {
        bool ordered;
        channel_sample sample;
    };
    for (auto const& [ordered, sample] : {situation{false, listening}, situation{false, {}}, situation{true, {}}}) {
        process_turn turn(0, ordered);
        turn.on_released(1, sample, at(6ms));
        turn.leave_to_others(1, 6ms, at(6ms));
        EXPECT_EQ(turn.others_first(sample, false, at(6ms)).time, 3ms);
        EXPECT_FALSE(turn.others_first(sample, false, at(6ms)).near) << "nothing tells when they have had their turn";
        EXPECT_EQ(turn.others_first(sample, true, at(6ms)).time, 0ms) << "it has waited itself";
        EXPECT_EQ(turn.left_after_release(at(7ms)), 2ms);
        turn.on_nobody_asked(sample);
        turn.on_released(1, sample, at(16ms));
        turn.leave_to_others(1, 6ms, at(16ms));
        EXPECT_EQ(turn.others_first(sample, false, at(16ms)).time, 0ms) << "they had not come";
        turn.on_busy({}, std::nullopt, at(17ms));
        turn.on_released(1, sample, at(26ms));
        turn.leave_to_others(1, 6ms, at(26ms));
        EXPECT_EQ(turn.others_first(sample, false, at(26ms)).time, 3ms) << "one of them has come since";
    }
}

TEST(process_turn, takes_little_memory_while_nobody_else_wants_the_lock) {
    EXPECT_LE(sizeof(process_turn), 64U);
}

TEST(process_turn, knows_a_crowd) {
    process_turn turn;
    EXPECT_FALSE(turn.crowded());
    turn.on_released(1, {}, at(0s));
    EXPECT_FALSE(turn.crowded()) << "with one other it is the message that counts";
    turn.on_released(2, {}, at(0s));
    EXPECT_TRUE(turn.crowded());
    turn.on_released(0, {}, at(0s));
    EXPECT_FALSE(turn.crowded());
}

} // namespace
} // namespace redlatch::locking
