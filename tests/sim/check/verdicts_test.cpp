// What calls say of their end: each checker with a history that it must reject, and the nearest one that it must accept.
#include "sim/check/checkers.hpp"

#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using kind = fact::kind;

fact at(moment when, kind what, int process, int worker = -1, std::string owner = {}) {
    return {.what = what, .when = when, .process = process, .worker = worker, .lock = 0, .owner = std::move(owner)};
}

fact in_key(moment when, bool yes, int by = -1, std::string owner = "a:1") {
    auto one = at(when, kind::in_key, yes ? -1 : by, -1, std::move(owner));
    one.yes = yes;
    if (!yes) one.until = when;
    return one;
}

fact releasing(moment when, moment until = never) {
    auto one = at(when, kind::releasing, 0, 0, "a:1");
    one.until = until;
    return one;
}

fact released(moment when, answer how) {
    auto one = at(when, kind::released, 0, 0, "a:1");
    one.said = how;
    return one;
}

fact not_acquired(moment when, answer how) {
    auto one = at(when, kind::not_acquired, 0, 0);
    one.said = how;
    return one;
}

fact asks(moment when, moment until = never) {
    auto one = at(when, kind::asked, 0, 0);
    one.until = until;
    return one;
}

// --- releases

/// Released on the server by its own process, on a quiet day.
history ends_well(answer how) {
    return {at(0ms, kind::quiet, -1), in_key(1ms, true),      at(2ms, kind::acquired, 0, 0, "a:1"),
            releasing(10ms, 1'000ms), in_key(11ms, false, 0), released(12ms, how)};
}

TEST(release_checker, rejects_a_release_that_was_done_and_says_lost) {
    EXPECT_FALSE(check_releases(ends_well(answer::done), {}));
    ASSERT_TRUE(check_releases(ends_well(answer::lost), {}));
    EXPECT_EQ(check_releases(ends_well(answer::lost), {})->at, 5U);
}

TEST(release_checker, rejects_lost_where_something_was_wrong_but_not_that) {
    auto all = ends_well(answer::lost);
    all.insert(all.begin() + 4, at(10ms, kind::fault, -1));
    EXPECT_TRUE(check_releases(all, {}));
}

TEST(release_checker, accepts_lost_where_the_hold_was_gone_or_over) {
    auto expired = ends_well(answer::lost);
    expired[4].process = -1;
    EXPECT_FALSE(check_releases(expired, {})) << "it expired meanwhile";
    auto over = ends_well(answer::lost);
    over[3].until = 30ms;
    EXPECT_FALSE(check_releases(over, {})) << "validity ends";
    auto known = ends_well(answer::lost);
    known[3].believed = belief::lost;
    EXPECT_FALSE(check_releases(known, {}));
    auto closed = ends_well(answer::lost);
    closed.insert(closed.begin(), at(0ms, kind::closing, 0));
    EXPECT_FALSE(check_releases(closed, {})) << "close() has released it";
}

TEST(release_checker, accepts_lost_where_another_value_of_the_same_hold_was_gone) {
    auto all = ends_well(answer::lost);
    auto other = in_key(1ms, true);
    other.lock = 1;
    all.insert(all.begin() + 1, other);
    EXPECT_TRUE(check_releases(all, {})) << "it is there until the release";
    other.yes = false;
    other.when = other.until = 5ms;
    all.insert(all.begin() + 4, other);
    EXPECT_FALSE(check_releases(all, {}));
    for (auto& one : all)
        if (one.lock == 1) one.owner = "a:2";
    EXPECT_TRUE(check_releases(all, {})) << "of another hold";
}

TEST(release_checker, accepts_lost_where_the_hold_was_removed_and_only_a_new_master_has_it) {
    auto all = ends_well(answer::lost);
    auto const removed = in_key(4ms, false, -1);
    auto const back = in_key(6ms, true);
    all.insert(all.begin() + 3, {removed, back});
    EXPECT_TRUE(check_releases(all, {})) << "it is back on the same server";
    auto returned = back;
    returned.what = kind::returned;
    all.insert(all.begin() + 4, returned);
    EXPECT_FALSE(check_releases(all, {})) << "the release may have been sent to the old master";
    all.erase(all.begin() + 3);
    EXPECT_TRUE(check_releases(all, {})) << "it was not removed from the old master";
}

TEST(release_checker, rejects_a_release_of_what_was_gone_that_says_done) {
    auto all = ends_well(answer::done);
    std::swap(all[3], all[4]); // taken out before the release began
    EXPECT_TRUE(check_releases(all, {}));
    all.back().said = answer::lost;
    EXPECT_FALSE(check_releases(all, {}));
    all.back().said = answer::done;
    all.insert(all.begin() + 3, at(5ms, kind::unpromised, -1));
    EXPECT_FALSE(check_releases(all, {})) << "removed by hand, and handed off within the process";
}

TEST(release_checker, rejects_an_unknown_outcome_when_nothing_was_wrong) {
    EXPECT_TRUE(check_releases(ends_well(answer::outcome_unknown), {}));
    auto short_lived = ends_well(answer::outcome_unknown);
    short_lived[3].until = 20ms;
    EXPECT_FALSE(check_releases(short_lived, {})) << "validity ended while it was under way";
}

TEST(release_checker, rejects_an_unknown_outcome_before_its_time) {
    history all{at(0ms, kind::fault, -1), in_key(1ms, true), releasing(10ms, 10s),
                released(110ms, answer::outcome_unknown)};
    EXPECT_TRUE(check_releases(all, {.timeout = 200ms}));
    EXPECT_FALSE(check_releases(all, {.timeout = 100ms}));
}

TEST(release_checker, rejects_any_other_end_when_nothing_was_wrong) {
    EXPECT_TRUE(check_releases(ends_well(answer::disconnected), {}));
    EXPECT_FALSE(check_releases(ends_well(answer::refused), {.rights_missing = true}));
    auto all = ends_well(answer::disconnected);
    all.insert(all.begin() + 4, at(10ms, kind::fault, -1));
    EXPECT_FALSE(check_releases(all, {}));
    all.back().said = answer::refused;
    EXPECT_FALSE(check_releases(all, {}));
    EXPECT_TRUE(check_releases(all, {.nothing_refused = true})) << "whatever else is wrong";
}

// --- refusals

history waits_in_vain(answer how) {
    return {at(0ms, kind::quiet, -1), in_key(1ms, true, -1, "b:1"), asks(10ms, 100ms), not_acquired(100ms, how)};
}

TEST(refusal_checker, rejects_busy_where_nobody_had_the_lock) {
    for (auto const how : {answer::busy, answer::timed_out}) {
        auto all = waits_in_vain(how);
        EXPECT_FALSE(check_refusals(all, {}));
        all.insert(all.begin() + 3, in_key(50ms, false, 1, "b:1"));
        EXPECT_FALSE(check_refusals(all, {})) << "it was held in the beginning";
        all[3].when = all[3].until = 4ms;
        std::swap(all[2], all[3]);
        EXPECT_TRUE(check_refusals(all, {}));
        EXPECT_FALSE(check_refusals(all, {.hears_messages = false}));
        auto brief = all;
        brief.back().when = 15ms;
        EXPECT_EQ(check_refusals(brief, {}).has_value(), how == answer::busy) << "too short for an answer";
        all.insert(all.begin() + 1, at(1ms, kind::fault, -1));
        EXPECT_FALSE(check_refusals(all, {})) << "it may have heard another thing";
    }
}

TEST(refusal_checker, accepts_a_timeout_behind_a_waiter_that_sleeps_since_the_lock_was_removed_by_hand) {
    auto all = waits_in_vain(answer::timed_out);
    all.insert(all.begin() + 2, at(2ms, kind::unpromised, -1));
    all.insert(all.begin() + 3, in_key(2ms, false, -1, "b:1"));
    EXPECT_TRUE(check_refusals(all, {})) << "nobody sleeps";
    all[2].until = 80ms;
    EXPECT_FALSE(check_refusals(all, {}));
    all.back().said = answer::busy;
    EXPECT_TRUE(check_refusals(all, {})) << "a try asks the server";
    all.back().said = answer::timed_out;
    all.back().when = 200ms;
    EXPECT_TRUE(check_refusals(all, {})) << "the sleeper has woken since";
}

TEST(refusal_checker, accepts_busy_behind_a_hold_of_the_same_process) {
    auto all = waits_in_vain(answer::timed_out);
    all[1] = at(1ms, kind::acquired, 0, 1, "a:1");
    EXPECT_FALSE(check_refusals(all, {}));
    all.insert(all.begin() + 2, at(2ms, kind::told_lost, 0, 1, "a:1")); // longer ago than a process yields
    EXPECT_TRUE(check_refusals(all, {}));
}

TEST(refusal_checker, accepts_busy_of_one_who_was_cut_off_while_a_release_of_its_process_is_under_way) {
    auto all = waits_in_vain(answer::timed_out);
    all.back().until = 1ms;
    all[1] = in_key(1ms, true, -1, "a:1");
    all.insert(all.begin() + 2, at(2ms, kind::acquired, 0, 1, "a:1"));
    all.insert(all.begin() + 3, at(9ms, kind::released, 0, 1, "a:1"));
    EXPECT_TRUE(check_refusals(all, {})) << "its release was answered";
    all[3].said = answer::untold;
    EXPECT_FALSE(check_refusals(all, {}));
    all.insert(all.begin() + 4, in_key(9ms, false, 0, "a:1"));
    EXPECT_TRUE(check_refusals(all, {})) << "it has been executed";
}

TEST(refusal_checker, rejects_busy_of_one_who_was_cut_off_all_the_time) {
    auto all = waits_in_vain(answer::timed_out);
    all.back().until = 9ms;
    EXPECT_TRUE(check_refusals(all, {}));
    all.back().until = 11ms;
    EXPECT_FALSE(check_refusals(all, {})) << "it may have been told before";
    for (auto const how : {answer::timed_out, answer::busy}) {
        auto brief = waits_in_vain(how);
        brief.back().until = 9ms;
        brief.back().when = 40ms;
        EXPECT_EQ(check_refusals(brief, {}).has_value(), how == answer::busy)
            << "the connection that was asked may seem to be there";
    }
}

fact answered(moment when) {
    auto one = at(when, kind::answered, 0);
    one.yes = true;
    return one;
}

TEST(refusal_checker, rejects_disconnected_where_an_answer_came) {
    auto all = waits_in_vain(answer::disconnected);
    all.insert(all.begin() + 3, answered(94ms));
    all[2].when = 60ms;
    EXPECT_TRUE(check_refusals(all, {}));
    all[3].when = 95ms;
    EXPECT_FALSE(check_refusals(all, {})) << "it may have come too late";
    all[2].when = 10ms;
    EXPECT_TRUE(check_refusals(all, {})) << "in quiet times no answer takes 90 ms";
}

TEST(refusal_checker, rejects_an_end_that_nobody_brought_about) {
    EXPECT_TRUE(check_refusals({asks(1ms, 50ms), not_acquired(20ms, answer::cancelled)}, {}));
    EXPECT_FALSE(check_refusals({asks(1ms, 50ms), not_acquired(50ms, answer::cancelled)}, {}));
    EXPECT_TRUE(check_refusals({asks(1ms), not_acquired(20ms, answer::closed)}, {}));
    EXPECT_FALSE(check_refusals({at(0ms, kind::closing, 0), asks(1ms), not_acquired(20ms, answer::closed)}, {}));
    EXPECT_TRUE(check_refusals(waits_in_vain(answer::refused), {}));
    EXPECT_FALSE(check_refusals(waits_in_vain(answer::refused), {.rights_missing = true}));
    auto all = waits_in_vain(answer::refused);
    all.insert(all.begin() + 3, at(20ms, kind::fault, -1));
    EXPECT_FALSE(check_refusals(all, {}));
    EXPECT_TRUE(check_refusals(all, {.nothing_refused = true})) << "whatever else is wrong";
}

TEST(verdict_checkers, are_asked) {
    EXPECT_TRUE(check(ends_well(answer::lost), {}));
    EXPECT_TRUE(check({at(0ms, kind::quiet, -1), asks(1ms), not_acquired(2ms, answer::cancelled)}, {}));
}

} // namespace
} // namespace redlatch::sim
