// A run that breaks a promise is not called a run that kept it.
#include "verdict.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace redlatch::chaos {
namespace {

using namespace std::chrono_literals;
using loss = expectation::loss;

bool complains(violations const& broken, std::string const& check) {
    return std::any_of(broken.begin(), broken.end(), [&](violation const& one) { return one.check == check; });
}

figures well() {
    figures result;
    result.recovery_us = 1000;
    return result;
}

TEST(chaos_verdict, accepts_a_run_in_which_nothing_happened) {
    EXPECT_TRUE(judge({}, well(), {}, true).empty());
}

TEST(chaos_verdict, holds_losses_against_the_expectation) {
    auto lost = well();
    lost.losses = 1;
    EXPECT_TRUE(complains(judge({}, lost, {.of_holds = loss::never}, true), "loss"));
    EXPECT_TRUE(complains(judge({}, well(), {.of_holds = loss::always}, true), "loss"));
    EXPECT_TRUE(judge({}, lost, {.of_holds = loss::always}, true).empty());
    EXPECT_TRUE(judge({}, lost, {.of_holds = loss::possible}, true).empty());
}

TEST(chaos_verdict, limits_two_at_once_where_exclusion_is_not_promised) {
    auto together = well();
    together.overlaps = 2;
    together.overlap_us = 100'001;
    EXPECT_TRUE(complains(judge({}, together, {.exclusion = false, .together = 100ms}, true), "overlap"));
    together.overlap_us = 100'000;
    EXPECT_TRUE(judge({}, together, {.exclusion = false, .together = 100ms}, true).empty());
}

TEST(chaos_verdict, limits_notice_and_recovery) {
    auto slow = well();
    slow.losses = 1;
    slow.notice_us = 100'001;
    expectation const expected{.of_holds = loss::always, .notice = 100ms, .recovery = 1ms};
    EXPECT_TRUE(complains(judge({}, slow, expected, true), "notice"));
    slow.notice_us = 100'000;
    EXPECT_TRUE(judge({}, slow, expected, true).empty());
    slow.recovery_us = 1001;
    EXPECT_TRUE(complains(judge({}, slow, expected, true), "recovery"));
    slow.recovery_us.reset();
    EXPECT_TRUE(complains(judge({}, slow, expected, true), "recovery")) << "never is too late";
}

TEST(chaos_verdict, limits_entries_where_nobody_may_get_the_lock) {
    auto entered = well();
    entered.last_entry_us = 100'001;
    EXPECT_TRUE(complains(judge({}, entered, {.last_entry = 100ms}, true), "entry"));
    EXPECT_TRUE(judge({}, entered, {}, true).empty()) << "not asked";
    entered.last_entry_us = 100'000;
    EXPECT_TRUE(judge({}, entered, {.last_entry = 100ms}, true).empty());
    EXPECT_TRUE(judge({}, well(), {.last_entry = 0ms}, true).empty()) << "nobody entered";
}

TEST(chaos_verdict, two_at_once_break_a_promise_only_where_exclusion_is_promised) {
    stage::outcome run;
    for (auto const* line :
         {"100 a.0 enter 1 900", "250 b.0 enter 2 900", "300 a.0 leave 2 900", "400 b.0 leave 2 900"})
        run.events.push_back(*from_line(line));
    auto const broken = judge(run, well(), {}, true);
    EXPECT_TRUE(complains(broken, "exclusion by time"));
    EXPECT_TRUE(complains(broken, "exclusion by token"));
    EXPECT_FALSE(only_about_time(broken)) << "a machine that stands still is no excuse";
    EXPECT_TRUE(judge(run, well(), {.exclusion = false}, true).empty());
    EXPECT_TRUE(judge(run, well(), {}, false).empty()) << "Redisson is held to no promise of ours";
}

TEST(chaos_verdict, orphans_and_waiters_left_behind_are_never_right) {
    stage::outcome run;
    for (auto const* line : {"50 a.0 ask 0 0", "90 runner key_left 0 0 chaos"}) run.events.push_back(*from_line(line));
    for (bool const ours : {true, false}) {
        auto const broken = judge(run, well(), {.exclusion = false}, ours);
        EXPECT_TRUE(complains(broken, "waiters"));
        EXPECT_TRUE(complains(broken, "orphans"));
        EXPECT_FALSE(only_about_time(broken));
    }
}

TEST(chaos_verdict, a_stall_excuses_times_and_losses) {
    EXPECT_TRUE(only_about_time({{"loss", ""}, {"notice", ""}, {"recovery", ""}, {"deadline", ""}}));
    EXPECT_TRUE(only_about_time({{"overlap", ""}, {"election", ""}, {"entry", ""}}));
    EXPECT_FALSE(only_about_time({{"exclusion by time", ""}}));
    EXPECT_FALSE(only_about_time({{"loss", ""}, {"liveness", ""}}));
}

} // namespace
} // namespace redlatch::chaos
