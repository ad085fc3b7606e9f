// The checker of latches: histories that it must reject, and those that it must not.
#include "sim/check/checkers.hpp"

#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using kind = fact::kind;

fact by_worker(moment when, kind what, int worker = 0, answer said = answer::done, bool yes = false) {
    return {.what = what, .when = when, .process = worker, .worker = worker, .lock = 0, .said = said, .yes = yes};
}
fact waits(moment when, int worker = 0, moment until = never) {
    auto one = by_worker(when, kind::awaits_zero, worker);
    one.until = until;
    return one;
}
fact goes_on(moment when, answer said = answer::done, int worker = 0) {
    return by_worker(when, kind::went_through, worker, said);
}
fact counts(moment when) {
    return by_worker(when, kind::counts_down);
}
fact counted(moment when, bool yes = true, answer said = answer::done) {
    return by_worker(when, kind::counted_down, 0, said, yes);
}
fact count(moment when, std::int64_t amount, int process = 0) {
    return {.what = kind::count_there, .when = when, .process = process, .lock = 0, .amount = amount};
}
fact about(moment when, kind what, int process = -1) {
    return {.what = what, .when = when, .process = process};
}

bool rejects(history all) {
    all.insert(all.begin(), count(0ms, 2, -1));
    return check_latches(all, {.judged = true}).has_value();
}

TEST(latches_checker, rejects_whoever_goes_through_too_early) {
    EXPECT_TRUE(rejects({waits(1ms), goes_on(2ms)}));
    EXPECT_FALSE(rejects({waits(1ms), count(2ms, 0, -1), goes_on(3ms)}));
    EXPECT_FALSE(rejects({waits(1ms), count(2ms, 0, -1), count(3ms, 2, -1), goes_on(4ms)})) << "it was zero";
    EXPECT_FALSE(rejects({count(1ms, 0, -1), waits(2ms), count(3ms, 2, -1), goes_on(4ms)}));
    EXPECT_TRUE(rejects({count(1ms, 0, -1), count(2ms, 2, -1), waits(3ms), goes_on(4ms)})) << "before it waited";
    EXPECT_TRUE(rejects({goes_on(1ms)}));
}

TEST(latches_checker, rejects_a_wait_beyond_its_deadline) {
    EXPECT_TRUE(rejects({waits(1ms, 0, 10ms), goes_on(40ms, answer::timed_out)}));
    EXPECT_FALSE(rejects({waits(1ms, 0, 10ms), goes_on(20ms, answer::timed_out)}));
    EXPECT_FALSE(rejects({waits(1ms, 0, 10ms), about(2ms, kind::stopped, 0), about(39ms, kind::went_on, 0),
                          goes_on(40ms, answer::timed_out)}));
}

TEST(latches_checker, rejects_requests_that_change_more_than_they_should) {
    EXPECT_FALSE(rejects({counts(1ms), count(2ms, 1), counted(3ms)}));
    EXPECT_TRUE(rejects({counts(1ms), count(2ms, 1), count(3ms, 0)})) << "twice";
    EXPECT_TRUE(rejects({counts(1ms), count(2ms, 0)})) << "two at once";
    EXPECT_TRUE(rejects({counts(1ms), counted(2ms, false), count(3ms, 1)})) << "it was said that nothing was changed";
    EXPECT_FALSE(rejects({counts(1ms), counted(2ms, false, answer::outcome_unknown), count(3ms, 1)}));
    EXPECT_FALSE(rejects({counts(1ms), about(2ms, kind::unpromised), count(3ms, 0)}));
    EXPECT_TRUE(rejects({count(1ms, 3)})) << "it was not set";
    EXPECT_FALSE(rejects({count(1ms, 0, -1), by_worker(2ms, kind::sets_count), count(3ms, 3),
                          by_worker(4ms, kind::has_set_count, 0, answer::done, true)}));
}

TEST(latches_checker, rejects_a_request_that_changed_nothing_and_says_it_did) {
    EXPECT_TRUE(rejects({counts(1ms), counted(2ms)}));
    EXPECT_FALSE(rejects({counts(1ms), counted(2ms, false)}));
    EXPECT_TRUE(
        rejects({by_worker(1ms, kind::sets_count), by_worker(2ms, kind::has_set_count, 0, answer::done, true)}));
}

TEST(latches_checker, rejects_whoever_waits_at_zero) {
    history all{about(0ms, kind::quiet), waits(1ms)};
    for (int i = 1; i <= 7; ++i) all.push_back(count(i * 100ms, 0, -1));
    EXPECT_TRUE(rejects(all));
    EXPECT_FALSE(rejects({all.begin() + 1, all.end()})) << "something is wrong yet";
    auto set_again = all;
    set_again[4].amount = 1;
    EXPECT_FALSE(rejects(set_again));
    auto gone = all;
    gone.insert(gone.begin() + 2, about(2ms, kind::left, 0));
    EXPECT_FALSE(rejects(gone)) << "its process has died";
}

TEST(latches_checker, believes_what_a_former_master_has_said) {
    fact said{.what = kind::outdated, .when = 2ms, .process = 0, .lock = 0, .amount = 0};
    EXPECT_FALSE(rejects({waits(1ms), said, goes_on(3ms)}));
    said.amount = 1;
    EXPECT_TRUE(rejects({waits(1ms), said, goes_on(3ms)}));
    said.amount = 0;
    said.process = 1;
    EXPECT_TRUE(rejects({waits(1ms), said, goes_on(3ms)})) << "to another process";
}

} // namespace
} // namespace redlatch::sim
