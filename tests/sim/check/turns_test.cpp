// Checkers of order, fairness and what waiting costs: each with a history that it must reject, and the nearest one that it must
// accept.
#include "sim/check/checkers.hpp"

#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using kind = fact::kind;

fact at(moment when, kind what, int process, int worker) {
    return {.what = what, .when = when, .process = process, .worker = worker, .lock = 0, .owner = "a:1"};
}

fact quiet() {
    return {.what = kind::quiet};
}

fact waits(moment when, int process, int worker, moment until = never) {
    auto one = at(when, kind::asked, process, worker);
    one.most = when;
    one.until = until;
    return one;
}

// --- order

history second_before_first() {
    return {quiet(), waits(1ms, 0, 0), waits(2ms, 0, 1), at(9ms, kind::acquired, 0, 1)};
}

TEST(order_checker, rejects_one_who_overtakes_in_its_process) {
    auto all = second_before_first();
    ASSERT_TRUE(check_order(all, {}));
    EXPECT_EQ(check_order(all, {})->at, 3U);
    all[2].process = all[3].process = 1;
    EXPECT_FALSE(check_order(all, {})) << "between processes this rule promises nothing";
}

TEST(order_checker, rejects_one_who_overtakes_in_another_process_where_all_have_one_queue) {
    order_rules const fair{.across_processes = true, .arrival = 20ms};
    history all{quiet(), waits(1ms, 0, 0), waits(22ms, 1, 0), at(30ms, kind::acquired, 1, 0)};
    ASSERT_TRUE(check_order(all, fair));
    EXPECT_EQ(check_order(all, fair)->at, 3U);
    EXPECT_FALSE(check_order(all, {}));
    auto soon = all;
    soon[2] = waits(20ms, 1, 0);
    EXPECT_FALSE(check_order(soon, fair)) << "its question may have come first";
    auto in_turn = all;
    in_turn.insert(in_turn.begin() + 3, at(25ms, kind::acquired, 0, 0));
    EXPECT_FALSE(check_order(in_turn, fair));
    auto cut_off = all;
    cut_off.insert(cut_off.begin() + 2, {{.what = kind::fault, .when = 2ms}, {.what = kind::quiet, .when = 3ms}});
    EXPECT_FALSE(check_order(cut_off, fair)) << "it may have lost its place";
}

TEST(order_checker, accepts_a_try_and_one_who_overtakes_somebody_that_leaves) {
    auto all = second_before_first();
    all[2].most = never;
    EXPECT_FALSE(check_order(all, {})) << "a try does not wait in the queue";
    all = second_before_first();
    all[1].until = 10ms;
    EXPECT_FALSE(check_order(all, {})) << "its deadline is there";
    all = second_before_first();
    all[1].most = 3ms;
    EXPECT_FALSE(check_order(all, {})) << "its asynchronous call may have begun later";
    all = second_before_first();
    all.push_back(at(10ms, kind::not_acquired, 0, 0));
    EXPECT_FALSE(check_order(all, {})) << "it was refused, and sees that a moment later";
    all.back().when = 9ms + order_rules().leaving + 1ns;
    EXPECT_TRUE(check_order(all, {})) << "it waited for much longer";
    all.back() = at(10ms, kind::acquired, 0, 0);
    EXPECT_TRUE(check_order(all, {})) << "it was still waiting";
}

TEST(order_checker, accepts_one_who_takes_it_again_at_once_so_often_only) {
    history all{quiet(), waits(1ms, 0, 1), at(2ms, kind::acquired, 0, 1), waits(3ms, 0, 0)};
    for (int i = 0; i < 3; ++i)
        for (auto const what : {kind::released, kind::asked, kind::acquired}) {
            all.push_back(at(10ms + i * 10us, what, 0, 1));
            all.back().most = all.back().when;
        }
    EXPECT_FALSE(check_order(all, {.most_retakes = 3}));
    EXPECT_TRUE(check_order(all, {.most_retakes = 2}));
    EXPECT_TRUE(check_order(all, {.barging = -1us})) << "it did not ask at once";
}

TEST(order_checker, accepts_one_who_takes_again_at_once_what_replicas_did_not_confirm) {
    history all{quiet(), at(1ms, kind::asked, 0, 1), waits(2ms, 0, 0)};
    for (auto const what : {kind::not_acquired, kind::asked, kind::acquired}) {
        all.push_back(at(10ms, what, 0, 1));
        all.back().most = all.back().when;
    }
    EXPECT_TRUE(check_order(all, {})) << "it had nothing to give back";
    all[1].yes = true;
    EXPECT_FALSE(check_order(all, {}));
}

// --- fairness

/// Process 0 waits from the start, processes 1 and 2 take turns.
history passed_over(int turns) {
    history all{quiet(), waits(0ms, 0, 0)};
    for (int i = 0; i < turns; ++i) {
        all.push_back(waits(i * 10ms + 1ms, 1 + i % 2, 1 + i % 2));
        all.push_back(at(i * 10ms + 2ms, kind::acquired, 1 + i % 2, 1 + i % 2));
    }
    return all;
}

TEST(fairness_checker, rejects_a_process_that_is_passed_over_again_and_again) {
    EXPECT_TRUE(check_fairness(passed_over(9), {.turns_missed = 4}));
    EXPECT_FALSE(check_fairness(passed_over(8), {.turns_missed = 4})) << "two contend: eight turns are four each";
    auto all = passed_over(9);
    all.insert(all.begin() + 6, at(15ms, kind::acquired, 0, 0));
    EXPECT_FALSE(check_fairness(all, {.turns_missed = 4})) << "it had a turn of its own";
}

TEST(fairness_checker, counts_a_turn_by_how_many_contended_for_it) {
    history all{quiet(), waits(0ms, 0, 0)};
    for (int i = 1; i <= 9; ++i) all.push_back(waits(1ms, i, i));
    for (int i = 1; i <= 9; ++i) all.push_back(at(i * 10ms, kind::acquired, i, i));
    EXPECT_FALSE(check_fairness(all, {.turns_missed = 2})) << "ten contend for the first one, two for the last";
    EXPECT_TRUE(check_fairness(all, {.turns_missed = 1.9})) << "a tenth, a ninth ... a half";
}

TEST(fairness_checker, rejects_a_turn_that_goes_on_beyond_its_slice) {
    history all{quiet(), waits(0ms, 0, 0)};
    for (int i = 0; i < 4; ++i) {
        all.push_back(waits(i * 10ms + 1ms, 1, 1));
        all.push_back(at(i * 10ms + 2ms, kind::acquired, 1, 1));
    }
    EXPECT_TRUE(check_fairness(all, {.slice = 9ms, .beyond_slice = 2}));
    EXPECT_FALSE(check_fairness(all, {.slice = 9ms, .beyond_slice = 3}));
    EXPECT_FALSE(check_fairness(all, {.slice = 10ms, .beyond_slice = 2}));
    all[1].when = all[1].most = 31ms;
    std::rotate(all.begin() + 1, all.begin() + 2, all.end());
    EXPECT_FALSE(check_fairness(all, {.slice = 9ms, .beyond_slice = 0})) << "nobody else wanted it";
}

/// Each 10 ms the next one has the lock, and another one waits by then; from one moment to another nobody takes it, and
/// somebody waits or does not.
history taken_in_turn(moment from, moment until, bool somebody_waits = true) {
    history all{quiet(), waits(0ms, 0, 0)};
    for (int i = 1; i <= 40; ++i) {
        auto const when = i * 10ms;
        int const process = i % 2; // the one that comes; the other one has waited
        if (when > from && when < until) {
            if (!somebody_waits) all.push_back(at(when, kind::not_acquired, 1 - process, i - 1));
            continue;
        }
        all.push_back(waits(when - 1ms, process, i));
        all.push_back(at(when, kind::acquired, 1 - process, i - 1));
    }
    return all;
}

TEST(fairness_checker, rejects_a_window_in_which_a_lock_that_is_waited_for_hardly_changes_hands) {
    fairness_rules const rules{.window = 100ms, .least_in_window = 8};
    EXPECT_FALSE(check_fairness(taken_in_turn(0ms, 0ms), rules));
    EXPECT_TRUE(check_fairness(taken_in_turn(120ms, 170ms), rules)) << "four are missing in the second window";
    EXPECT_FALSE(check_fairness(taken_in_turn(185ms, 215ms), rules)) << "two are missing, of two windows";
    EXPECT_FALSE(check_fairness(taken_in_turn(120ms, 170ms, false), rules)) << "nobody wanted it";
    EXPECT_FALSE(check_fairness(taken_in_turn(120ms, 170ms), {.window = 1s, .least_in_window = 8}))
        << "no whole window";
}

// --- the cost of waiting

history blocked(std::uint64_t commands, std::uint64_t wakes) {
    history all{quiet(), waits(0ms, 0, 0), at(100ms, kind::traffic, 0, -1), at(1'100ms, kind::traffic, 0, -1)};
    all[3].commands = commands;
    all[3].wakes = wakes;
    return all;
}

TEST(cost_checker, rejects_one_who_polls_or_wakes_while_nothing_happens) {
    EXPECT_FALSE(check_fairness(blocked(5, 6), {.blocked_commands = 5, .blocked_wakes = 6}));
    EXPECT_TRUE(check_fairness(blocked(6, 6), {.blocked_commands = 5, .blocked_wakes = 6}));
    EXPECT_TRUE(check_fairness(blocked(5, 7), {.blocked_commands = 5, .blocked_wakes = 6}));
    auto all = blocked(6, 7);
    all.insert(all.begin() + 3, at(500ms, kind::released, 1, 1));
    EXPECT_FALSE(check_fairness(all, {.blocked_commands = 5, .blocked_wakes = 6})) << "something happened";
    all = blocked(6, 7);
    all.erase(all.begin() + 1);
    EXPECT_FALSE(check_fairness(all, {.blocked_commands = 5, .blocked_wakes = 6})) << "it does not wait";
}

TEST(cost_checker, rejects_locks_that_are_left_lying_too_often) {
    history all{quiet()};
    for (int i = 0; i < 3; ++i) {
        all.push_back(at(i * 100ms, kind::in_key, 1, -1));
        all.back().yes = true;
        all.push_back(waits(i * 100ms + 10ms, 0, 0));
        all.push_back(at(i * 100ms + 20ms, kind::in_key, 1, -1));
        all.push_back(at(i * 100ms + 40ms, kind::in_key, 0, -1));
        all.back().yes = true;
        all.push_back(at(i * 100ms + 41ms, kind::acquired, 0, 0));
        all.push_back(at(i * 100ms + 50ms, kind::in_key, 0, -1));
    }
    EXPECT_FALSE(check_fairness(all, {.idle_once = 0ms, .idle_each = 10ms})) << "60 ms for six releases";
    EXPECT_TRUE(check_fairness(all, {.idle_once = 0ms, .idle_each = 9ms}));
    EXPECT_FALSE(check_fairness(all, {.idle_once = 6ms, .idle_each = 9ms}));
}

TEST(cost_checker, rejects_many_commands_for_an_acquisition) {
    auto all = passed_over(100);
    all.push_back(at(2s, kind::traffic, 0, -1));
    all.back().commands = 200;
    EXPECT_FALSE(check_fairness(all, {.commands_each = 2}));
    all.back().commands = 201;
    EXPECT_TRUE(check_fairness(all, {.commands_each = 2}));
}

TEST(turn_checkers, are_asked) {
    EXPECT_TRUE(check(second_before_first(), {}));
    EXPECT_TRUE(check(passed_over(9), {.fair = {.turns_missed = 4}}));
}

} // namespace
} // namespace redlatch::sim
