#include "locking/release_yield.hpp"
#include "scripted/virtual_time.hpp"

#include <gtest/gtest.h>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::at;

TEST(release_yield, leaves_half_of_the_time_of_the_hold_to_those_that_heard_of_its_end) {
    release_yield lock;
    lock.on_released(1, 6ms, at(6ms));
    EXPECT_EQ(lock.left(at(6ms)), 3ms);
    EXPECT_EQ(lock.left(at(8ms)), 1ms);
    EXPECT_EQ(lock.left(at(9ms)), 0ms);
    EXPECT_EQ(lock.left(at(1h)), 0ms);
}

TEST(release_yield, leaves_time_enough_for_an_attempt_and_never_much) {
    release_yield lock;
    lock.on_released(1, 10us, at(10us));
    EXPECT_EQ(lock.left(at(10us)), release_yield::shortest);
    lock.on_released(1, 59min, at(1h));
    EXPECT_EQ(lock.left(at(1h)), release_yield::longest);
}

TEST(release_yield, leaves_nothing_any_more_when_another_one_has_taken_it) {
    release_yield lock;
    lock.on_released(1, 6ms, at(6ms));
    lock.end();
    EXPECT_EQ(lock.left(at(6ms)), 0ms);
}

TEST(release_yield, leaves_nothing_where_nobody_heard_of_it) {
    release_yield lock;
    EXPECT_EQ(lock.left(at(0s)), 0ms);
    lock.on_released(0, 6ms, at(6ms));
    EXPECT_EQ(lock.left(at(6ms)), 0ms);
    lock.on_released(1, 6ms, at(6ms));
    lock.on_released(0, 6ms, at(7ms));
    EXPECT_EQ(lock.left(at(7ms)), 0ms) << "they have left since";
}

/// How many releases there are from one that leaves the lock to others to the next.
int until_the_next(release_yield& lock) {
    for (int count = 1; count < 100; ++count) {
        lock.on_released(1, 6ms, at(6ms));
        if (lock.left(at(6ms)) > 0ms) return count;
    }
    return 0;
}

TEST(release_yield, is_seldom_where_nobody_takes_what_is_left_to_him_and_never_ends) {
    release_yield lock;
    for (int const expected : {1, 2, 4, 8, 8, 8}) {
        EXPECT_EQ(until_the_next(lock), expected);
        lock.on_nobody_asked();
    }
    lock.on_busy();
    EXPECT_EQ(until_the_next(lock), 1) << "somebody wants it";
    EXPECT_EQ(until_the_next(lock), 1);
}

} // namespace
} // namespace redlatch::locking
