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
    turn.on_released(0);
    EXPECT_FALSE(turn.over(5ms, at(10s)));
    turn.on_acquired(at(10s));
    turn.on_released(0);
    EXPECT_FALSE(turn.over(5ms, at(20s)));
}

TEST(process_turn, is_over_when_its_time_is_and_others_listen) {
    process_turn turn;
    turn.on_acquired(at(0s));
    turn.on_released(1);
    EXPECT_TRUE(turn.others_listen());
    EXPECT_FALSE(turn.over(5ms, at(4ms)));
    turn.on_acquired(at(4ms));
    turn.on_released(1);
    EXPECT_TRUE(turn.over(5ms, at(5ms))) << "it goes on from the first acquisition";
}

TEST(process_turn, begins_anew_after_it_stood_back_or_others_had_the_lock) {
    process_turn turn;
    turn.on_acquired(at(0s));
    turn.on_released(1);
    turn.begin_anew();
    EXPECT_FALSE(turn.over(5ms, at(1s)));
    turn.on_acquired(at(1s));
    turn.on_released(1);
    EXPECT_FALSE(turn.over(5ms, at(1s)));
    EXPECT_TRUE(turn.over(5ms, at(1s) + 5ms));
}

TEST(process_turn, begins_anew_when_nobody_listened_any_more) {
    process_turn turn;
    turn.on_acquired(at(0s));
    turn.on_released(1);
    turn.on_released(0);
    turn.on_acquired(at(1s));
    turn.on_released(1);
    EXPECT_FALSE(turn.over(5ms, at(1s)));
}

TEST(process_turn, knows_a_crowd) {
    process_turn turn;
    EXPECT_FALSE(turn.crowded());
    turn.on_released(1);
    EXPECT_FALSE(turn.crowded()) << "with one other it is the message that counts";
    turn.on_released(2);
    EXPECT_TRUE(turn.crowded());
    turn.on_released(0);
    EXPECT_FALSE(turn.crowded());
}

} // namespace
} // namespace redlatch::locking
