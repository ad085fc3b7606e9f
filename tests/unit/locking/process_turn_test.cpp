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
    turn.on_released(false);
    EXPECT_FALSE(turn.over(5ms, at(10s)));
    turn.on_acquired(at(10s));
    turn.on_released(false);
    EXPECT_FALSE(turn.over(5ms, at(20s)));
}

TEST(process_turn, is_over_when_its_time_is_and_others_listen) {
    process_turn turn;
    turn.on_acquired(at(0s));
    turn.on_released(true);
    EXPECT_TRUE(turn.others_listen());
    EXPECT_FALSE(turn.over(5ms, at(4ms)));
    turn.on_acquired(at(4ms));
    turn.on_released(true);
    EXPECT_TRUE(turn.over(5ms, at(5ms))) << "it goes on from the first acquisition";
}

TEST(process_turn, begins_anew_after_it_stood_back) {
    process_turn turn;
    turn.on_acquired(at(0s));
    turn.on_released(true);
    turn.stood_back();
    EXPECT_FALSE(turn.over(5ms, at(1s)));
    turn.on_acquired(at(1s));
    turn.on_released(true);
    EXPECT_FALSE(turn.over(5ms, at(1s)));
    EXPECT_TRUE(turn.over(5ms, at(1s) + 5ms));
}

TEST(process_turn, begins_anew_when_nobody_listened_any_more) {
    process_turn turn;
    turn.on_acquired(at(0s));
    turn.on_released(true);
    turn.on_released(false);
    turn.on_acquired(at(1s));
    turn.on_released(true);
    EXPECT_FALSE(turn.over(5ms, at(1s)));
}

} // namespace
} // namespace redlatch::locking
