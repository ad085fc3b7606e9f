#include "locking/polling_yield.hpp"
#include "scripted/virtual_time.hpp"

#include <gtest/gtest.h>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::at;

/// Of what was held for so long until then.
bool is_due(polling_yield& turn, bool ends_turn, base::instant now, base::milliseconds held = 0ms) {
    return turn.is_due(ends_turn, now - held, now);
}

void expect_every(polling_yield& turn, std::initializer_list<int> counts, base::instant now) {
    for (int const turns : counts) {
        for (int i = 1; i < turns; ++i) EXPECT_FALSE(is_due(turn, true, now)) << i << " of " << turns;
        EXPECT_TRUE(is_due(turn, true, now)) << turns;
    }
}

TEST(polling_yield, is_seldom_where_nobody_has_refused) {
    polling_yield turn;
    expect_every(turn, {1, 2, 4, 8, 8, 8}, at(1s));
}

TEST(polling_yield, does_not_hold_up_who_is_alone) {
    polling_yield turn;
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(is_due(turn, false, at(1s), 10ms));
}

TEST(polling_yield, comes_with_the_end_of_each_turn_for_a_second_after_a_refusal) {
    polling_yield turn;
    expect_every(turn, {1, 2, 4}, at(1s));
    EXPECT_FALSE(turn.is_wanted(at(10s)));
    turn.on_busy(at(10s));
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(is_due(turn, true, at(10s)));
    EXPECT_TRUE(turn.is_wanted(at(10'999ms)));
    EXPECT_TRUE(is_due(turn, true, at(10'999ms)));
    EXPECT_FALSE(turn.is_wanted(at(11s)));
    EXPECT_FALSE(is_due(turn, false, at(11s), 10ms));
    expect_every(turn, {1, 2, 4, 8, 8}, at(12s));
}

TEST(polling_yield, ends_the_turn_of_who_comes_again_and_again_after_some_ms) {
    polling_yield turn;
    turn.on_busy(at(10s));
    EXPECT_FALSE(is_due(turn, false, at(10'001ms), 1ms));
    EXPECT_FALSE(is_due(turn, false, at(10'004ms), 1ms));
    EXPECT_TRUE(is_due(turn, false, at(10'005ms), 1ms)) << "five since it began";
    EXPECT_FALSE(is_due(turn, false, at(10'007ms), 1ms)) << "another turn";
    EXPECT_TRUE(is_due(turn, false, at(10'015ms), 5ms));
    EXPECT_TRUE(is_due(turn, false, at(10'025ms), 5ms)) << "with one hold";
    EXPECT_FALSE(is_due(turn, false, at(10'030ms), 1ms));
    turn.on_busy(at(10'031ms));
    EXPECT_FALSE(is_due(turn, false, at(10'035ms), 1ms)) << "it began behind that of others";
}

base::nanoseconds time_left(polling_yield& turn) {
    EXPECT_TRUE(is_due(turn, true, at(10s)));
    auto const time = turn.left(at(10s));
    EXPECT_EQ(turn.left(base::later(at(10s), time / 2)), time - time / 2);
    EXPECT_EQ(turn.left(base::later(at(10s), time)), 0ns);
    return time;
}

TEST(polling_yield, is_longer_where_nobody_took_the_lock_and_shorter_where_somebody_did) {
    polling_yield turn;
    turn.on_busy(at(10s));
    EXPECT_EQ(time_left(turn), 1ms);
    EXPECT_EQ(time_left(turn), 1'250us) << "nobody took it";
    for (int i = 0; i < 3; ++i) turn.on_busy(at(10s)); // it asked three times until it was free again
    EXPECT_EQ(time_left(turn), 625us);
    for (int i = 0; i < 10; ++i) time_left(turn);
    EXPECT_EQ(time_left(turn), polling_yield::longest);
    for (int i = 0; i < 20; ++i) {
        turn.on_busy(at(10s));
        time_left(turn);
    }
    EXPECT_LT(time_left(turn), 2 * polling_yield::shortest);
}

} // namespace
} // namespace redlatch::locking
