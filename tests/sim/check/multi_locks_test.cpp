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

fact of_holder(moment when, kind what, int lock, int process = 0) {
    return {.what = what, .when = when, .process = process, .worker = 101, .lock = lock, .owner = "a:1"};
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
    auto unwoken = all;
    unwoken.insert(unwoken.begin() + 1, about(0ms, kind::unpromised));
    unwoken[1].lock = 2;
    unwoken[1].until = 900ms;
    EXPECT_FALSE(rejects(unwoken)) << "it was removed by hand, and they sleep";
    unwoken[1].lock = 1;
    EXPECT_TRUE(rejects(unwoken)) << "another one was";
    auto gone = all;
    gone.insert(gone.begin() + 2, about(2ms, kind::left, 0));
    EXPECT_FALSE(rejects(gone)) << "its process has died";
}

/// Which has lost it, and cannot ask whether it has.
TEST(multi_locks_checker, excuses_who_waits_behind_a_process_that_cannot_ask) {
    history all{about(0ms, kind::quiet), of_holder(0ms, kind::acquired, 2), wants(1ms)};
    for (int i = 1; i <= 12; ++i) {
        all.push_back(there(i * 100ms, 0, false));
        all.push_back(there(i * 100ms, 2, false));
    }
    multi_rules const cannot_ask{.judged = true, .can_ask = false};
    EXPECT_TRUE(rejects(all));
    EXPECT_FALSE(check_multi_locks(all, cannot_ask).has_value());
    all.insert(all.begin() + 7, of_holder(250ms, kind::releasing, 2));
    EXPECT_TRUE(check_multi_locks(all, cannot_ask).has_value()) << "it has ended, and the wait goes on";
}

// --- values of a group

fact in_key(moment when, int lock, bool yes, int process = -1) {
    fact one{.what = kind::in_key, .when = when, .process = process, .lock = lock, .owner = "b:1", .yes = yes};
    if (!yes) one.until = when;
    return one;
}
bool rejects_of_a_group(history const& all, multi_rules rules = {}) {
    rules.judged = rules.of_a_group = true;
    return check_multi_locks(all, rules).has_value();
}

TEST(values_checker, excuses_who_waits_behind_its_own_process_and_who_was_not_woken) {
    history all{about(0ms, kind::quiet), wants(1ms)};
    for (int i = 1; i <= 12; ++i) {
        all.push_back(there(i * 100ms, 0, false));
        all.push_back(there(i * 100ms, 2, false));
    }
    EXPECT_TRUE(rejects_of_a_group(all));
    auto behind = all;
    behind.insert(behind.begin() + 1, of_holder(0ms, kind::acquired, 2));
    EXPECT_FALSE(rejects_of_a_group(behind));
    behind.insert(behind.begin() + 6, of_holder(250ms, kind::releasing, 2));
    EXPECT_TRUE(rejects_of_a_group(behind)) << "it has ended, and the wait goes on";
    auto of_another = all;
    of_another.insert(of_another.begin() + 1, of_holder(0ms, kind::acquired, 2, 1));
    EXPECT_TRUE(rejects_of_a_group(of_another));
    auto unwoken = all;
    unwoken.insert(unwoken.begin() + 1, about(0ms, kind::unpromised));
    unwoken[1].lock = 2;
    unwoken[1].until = 900ms;
    EXPECT_FALSE(rejects_of_a_group(unwoken));
    unwoken[1].until = 400ms;
    EXPECT_TRUE(rejects_of_a_group(unwoken)) << "it was to sleep no longer than that";
}

TEST(values_checker, rejects_held_where_nobody_had_them) {
    for (auto const said : {answer::busy, answer::timed_out}) {
        history all{about(0ms, kind::quiet), in_key(1ms, 1, true), wants(10ms, 100ms), has(100ms, said, 0)};
        EXPECT_TRUE(rejects_of_a_group(all)) << "another value was held";
        EXPECT_FALSE(rejects_of_a_group(all, {.hears_messages = false}));
        auto held = all;
        held[1].lock = 2;
        EXPECT_FALSE(rejects_of_a_group(held));
        held.insert(held.begin() + 3, in_key(20ms, 2, false));
        EXPECT_FALSE(rejects_of_a_group(held)) << "in the beginning";
        held[3].when = held[3].until = 5ms;
        std::swap(held[2], held[3]);
        EXPECT_TRUE(rejects_of_a_group(held)) << "not any more";
        held[2].when = held[2].until = 9ms;
        EXPECT_FALSE(rejects_of_a_group(held)) << "a lease may have ended a moment later than it was written down";
        auto here = all;
        here.insert(here.begin() + 1, of_holder(1ms, kind::acquired, 0));
        EXPECT_FALSE(rejects_of_a_group(here)) << "its own process has it";
        auto troubled = all;
        troubled.insert(troubled.begin() + 3, about(11ms, kind::fault));
        EXPECT_FALSE(rejects_of_a_group(troubled));
    }
}

TEST(values_checker, rejects_an_error_where_nothing_is_wrong) {
    history const all{about(0ms, kind::quiet), wants(1ms), has(2ms, answer::refused, 0)};
    EXPECT_TRUE(rejects_of_a_group(all));
    EXPECT_FALSE(rejects_of_a_group(all, {.rights_missing = true}));
    EXPECT_FALSE(rejects_of_a_group({all.begin() + 1, all.end()}));
}

} // namespace
} // namespace redlatch::sim
