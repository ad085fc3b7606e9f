// The checker of several locks as one: histories that it must reject, and those that it must not.
#include "sim/check/checkers.hpp"

#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using kind = fact::kind;

constexpr std::int64_t first_and_third = 5; // a bit for each

fact wants(moment when, moment until = never) {
    fact one{.what = kind::wants_all, .when = when, .process = 0, .worker = 0, .until = until};
    one.amount = first_and_third;
    return one;
}
fact has(moment when, answer said = answer::done, std::int64_t taken = first_and_third) {
    fact one{.what = kind::has_all, .when = when, .process = 0, .worker = 0, .said = said};
    one.amount = first_and_third;
    one.taken = taken;
    return one;
}
fact about(moment when, kind what, int process = -1) {
    return {.what = what, .when = when, .process = process};
}
fact there(moment when, int lock, bool yes) {
    return {.what = kind::probe, .when = when, .lock = lock, .yes = yes};
}

bool rejects(history const& all) {
    return check_multi_locks(all, {.judged = true}).has_value();
}

TEST(multi_locks_checker, rejects_a_part_for_the_whole) {
    EXPECT_FALSE(rejects({wants(1ms), has(2ms)}));
    EXPECT_TRUE(rejects({wants(1ms), has(2ms, answer::done, 1)}));
    EXPECT_FALSE(rejects({wants(1ms), has(2ms, answer::busy, 0)}));
    EXPECT_TRUE(rejects({has(2ms)})) << "nobody has asked";
}

TEST(multi_locks_checker, rejects_a_wait_that_ends_at_another_time) {
    EXPECT_TRUE(rejects({wants(1ms, 10ms), has(70ms, answer::timed_out)}));
    EXPECT_FALSE(rejects({wants(1ms, 10ms), has(40ms, answer::timed_out)}));
    EXPECT_TRUE(rejects({wants(1ms, 100ms), has(50ms, answer::timed_out)})) << "too early";
    EXPECT_FALSE(rejects({wants(1ms, 100ms), has(50ms, answer::cancelled)}));
    EXPECT_FALSE(rejects(
        {wants(1ms, 10ms), about(2ms, kind::stopped, 0), about(69ms, kind::went_on, 0), has(70ms, answer::timed_out)}));
}

TEST(multi_locks_checker, rejects_whoever_waits_for_what_is_all_free) {
    history all{about(0ms, kind::quiet), wants(1ms)};
    for (int i = 1; i <= 7; ++i) {
        all.push_back(there(i * 100ms, 0, false));
        all.push_back(there(i * 100ms, 1, true)); // another one
        all.push_back(there(i * 100ms, 2, false));
    }
    EXPECT_TRUE(rejects(all));
    EXPECT_FALSE(rejects({all.begin() + 1, all.end()})) << "something is wrong yet";
    auto one_is_held = all;
    for (auto& one : one_is_held)
        if (one.lock == 2) one.yes = true;
    EXPECT_FALSE(rejects(one_is_held));
    auto gone = all;
    gone.insert(gone.begin() + 2, about(2ms, kind::left, 0));
    EXPECT_FALSE(rejects(gone)) << "its process has died";
}

} // namespace
} // namespace redlatch::sim
