#include "locking/counter_turn.hpp"
#include "scripted/virtual_time.hpp"

#include <gtest/gtest.h>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::at;

TEST(counter_turn, never_ends_where_nobody_else_waits) {
    counter_turn ours;
    EXPECT_FALSE(ours.is_over(at(1s)));
    ours.on_heard_by(0);
    EXPECT_FALSE(ours.is_over(at(1h)));
}

TEST(counter_turn, begins_with_the_first_release_while_others_wait) {
    counter_turn ours;
    ours.on_heard_by(2);
    EXPECT_EQ(ours.others(), 2);
    EXPECT_FALSE(ours.is_over(at(10ms)));
    EXPECT_FALSE(ours.is_over(at(10ms) + counter_turn::longest - 1ns));
    EXPECT_TRUE(ours.is_over(at(10ms) + counter_turn::longest));
    EXPECT_TRUE(ours.is_over(at(20ms))) << "until a release was left to them";
}

TEST(counter_turn, begins_anew_after_one_was_left_to_others) {
    counter_turn ours;
    ours.on_heard_by(1);
    EXPECT_FALSE(ours.is_over(at(10ms)));
    EXPECT_TRUE(ours.is_over(at(20ms)));
    ours.end();
    EXPECT_FALSE(ours.is_over(at(21ms)));
    EXPECT_TRUE(ours.is_over(at(22ms)));
}

TEST(counter_turn, is_forgotten_when_the_others_have_gone) {
    counter_turn ours;
    ours.on_heard_by(1);
    EXPECT_FALSE(ours.is_over(at(10ms)));
    ours.on_heard_by(0);
    EXPECT_FALSE(ours.is_over(at(20ms)));
    ours.on_heard_by(1);
    EXPECT_FALSE(ours.is_over(at(30ms)));
}

} // namespace
} // namespace redlatch::locking
