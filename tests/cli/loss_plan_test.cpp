#include "exit_code.hpp"
#include "loss_plan.hpp"

#include <gtest/gtest.h>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

instant at(duration since_boot) {
    return instant(since_boot);
}

TEST(schedule_for, terminates_a_grace_before_the_end_and_kills_at_it) {
    EXPECT_EQ(schedule_for(at(30s), {on_lost::terminate, 2s}), (schedule{at(28s), at(30s)}));
    EXPECT_EQ(schedule_for(at(30s), {on_lost::kill, 2s}), (schedule{never, at(30s)}));
    EXPECT_EQ(schedule_for(at(30s), {on_lost::warn, 2s}), (schedule{never, never}));
}

TEST(schedule_after_loss, gives_the_grace_but_never_beyond_the_end) {
    loss_policy const policy{on_lost::terminate, 2s};
    EXPECT_EQ(schedule_after_loss(at(10s), at(30s), policy), (schedule{at(10s), at(12s)}));
    EXPECT_EQ(schedule_after_loss(at(29s), at(30s), policy), (schedule{at(29s), at(30s)}));
    EXPECT_EQ(schedule_after_loss(at(31s), at(30s), policy), (schedule{at(31s), at(31s)}));
    EXPECT_EQ(schedule_after_loss(at(10s), at(30s), {on_lost::kill, 2s}), (schedule{never, at(10s)}));
    EXPECT_EQ(schedule_after_loss(at(10s), at(30s), {on_lost::warn, 2s}), (schedule{never, never}));
}

TEST(guard_schedule, lets_the_tool_come_first_with_term_and_kills_in_time) {
    loss_policy const policy{on_lost::terminate, 2s};
    EXPECT_EQ(guard_schedule({at(28s), at(30s)}, policy), (schedule{at(28s) + 100ms, at(30s)}));
    EXPECT_EQ(guard_schedule({at(28s), at(28s)}, {on_lost::terminate, 0ms}), (schedule{at(28s), at(28s)}));
    EXPECT_EQ(guard_schedule({never, at(30s)}, policy), (schedule{never, at(30s)}));
    for (auto const grace : {1ms, 20ms, 399ms, 400ms, 10'000ms}) {
        auto const tool = schedule_for(at(60s), {on_lost::terminate, grace});
        auto const guard = guard_schedule(tool, {on_lost::terminate, grace});
        EXPECT_GE(guard.term, tool.term);
        EXPECT_LT(guard.term, guard.kill);
    }
}

TEST(next_look, comes_when_half_of_the_time_has_passed) {
    EXPECT_EQ(next_look(at(0s), {at(28s), at(30s)}), at(14s));
    EXPECT_EQ(next_look(at(0s), {never, at(30s)}), at(15s));
    EXPECT_EQ(next_look(at(0s), {never, never}), never);
}

TEST(next_look, never_passes_a_deadline_and_is_never_busy) {
    schedule const due{at(1s), at(2s)};
    int looks = 0;
    for (instant now = at(0s); now < due.term; ++looks) {
        auto const next = next_look(now, due);
        ASSERT_LE(next, due.term);
        ASSERT_TRUE(next >= now + 5ms || next == due.term);
        now = next;
    }
    EXPECT_LT(looks, 15);
    EXPECT_EQ(next_look(at(1500ms), due), due.term) << "what is overdue is due now";
}

/// A renewal comes after each third of the lease; the guard must hear of it before its own deadline.
TEST(next_look, sees_each_renewal_before_the_deadline_that_it_moves) {
    for (auto const lease : {30ms, 300ms, 3'000ms, 30'000ms}) {
        loss_policy const policy{on_lost::terminate, choose_grace(std::nullopt, lease)};
        auto const validity = lease - std::max(lease / 100, 20ms);
        instant const renewed = instant(lease / 3);
        instant now{};
        auto const due = schedule_for(instant(validity), policy);
        if (renewed >= due.term) continue; // so short a lease is lost without any help
        while (now < renewed) now = next_look(now, due);
        EXPECT_LE(now, due.term) << lease.count();
    }
}

TEST(choose_grace, is_two_seconds_or_what_fits) {
    EXPECT_EQ(choose_grace(std::nullopt, 30s), 2s);
    EXPECT_EQ(choose_grace(std::nullopt, 4002ms), 2s) << "just below half";
    EXPECT_EQ(choose_grace(std::nullopt, 4s), 1s);
    EXPECT_EQ(choose_grace(std::nullopt, 400ms), 100ms);
}

TEST(choose_grace, must_be_below_half) {
    EXPECT_EQ(choose_grace(14'999ms, 30s), 14'999ms);
    EXPECT_EQ(choose_grace(2ms, 5ms), 2ms);
    EXPECT_EQ(choose_grace(0ms, 30s), 0ms);
    EXPECT_THROW(choose_grace(15s, 30s), usage_error);
    EXPECT_THROW(choose_grace(2ms, 4ms), usage_error);
    EXPECT_THROW(choose_grace(3ms, 5ms), usage_error);
    EXPECT_THROW(choose_grace(876'600h, 30s), usage_error);
}

TEST(loss_plan, leaves_room_between_kill_and_the_key_where_the_margin_is_small) {
    EXPECT_EQ(choose_reserve(30s), 0ms) << "its margin is 300 ms";
    EXPECT_EQ(choose_reserve(10s), 0ms) << "its margin is 100 ms";
    EXPECT_EQ(choose_reserve(3s), 70ms) << "30 ms are in its margin";
    EXPECT_EQ(choose_reserve(400ms), 30ms) << "an eighth, of which 20 ms are in its margin";
    EXPECT_EQ(choose_reserve(30ms), 0ms) << "there is nothing to be had";
    auto const now = lease_clock::now();
    loss_policy policy{on_lost::terminate, 500ms, 70ms};
    EXPECT_EQ(schedule_for(now + 3s, policy), (schedule{now + 2430ms, now + 2930ms}));
    EXPECT_EQ(schedule_after_loss(now, now + 300ms, policy), (schedule{now, now + 230ms}));
    EXPECT_EQ(schedule_after_loss(now, now + 50ms, policy), (schedule{now, now}));
    policy.action = on_lost::kill;
    EXPECT_EQ(schedule_for(now + 3s, policy), (schedule{never, now + 2930ms}));
}

} // namespace
} // namespace redlatch::cli
