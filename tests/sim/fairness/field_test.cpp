// What is counted of a field, by histories whose figures are known, and that a field is simulated at all.
#include "sim/check/checkers.hpp"
#include "sim/fairness/field.hpp"
#include "sim/scenario/run.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using kind = fact::kind;

fact at(moment when, kind what, int process) {
    return {.what = what, .when = when, .process = process, .worker = process, .lock = 0};
}

TEST(shares_of_a_field, count_who_is_passed_over_and_runs) {
    history const all{at(10ms, kind::asked, 0),    at(11ms, kind::asked, 1),    at(12ms, kind::acquired, 0),
                      at(13ms, kind::asked, 0),    at(14ms, kind::acquired, 0), at(15ms, kind::asked, 0),
                      at(18ms, kind::acquired, 0), at(19ms, kind::acquired, 1), at(20ms, kind::asked, 1),
                      at(25ms, kind::acquired, 1)};
    auto const seen = shares_of(all, 2, 5ms, 100ms);
    EXPECT_EQ(seen.acquired, (std::vector<std::uint64_t>{3, 2}));
    EXPECT_EQ(seen.most_passed_over, 3U) << "process 1 waited from 11 to 19";
    EXPECT_EQ(seen.longest_run, 3U);
    EXPECT_EQ(seen.longest_slice, 6ms);
    EXPECT_EQ(seen.wait_of(1), 8ms);
    EXPECT_EQ(seen.longest_waits, (std::vector<moment>{3ms, 8ms}));
    EXPECT_DOUBLE_EQ(seen.most_by_least(), 1.5);
}

TEST(shares_of_a_field, count_only_what_is_within_the_time) {
    history all{at(1ms, kind::asked, 0), at(1ms, kind::traffic, 0),   at(2ms, kind::acquired, 0),
                at(3ms, kind::asked, 1), at(60ms, kind::acquired, 0), at(70ms, kind::traffic, 0)};
    all[1].commands = 100;
    all[5].commands = 103;
    auto const seen = shares_of(all, 2, 5ms, 100ms);
    EXPECT_EQ(seen.acquired, (std::vector<std::uint64_t>{1, 0}));
    EXPECT_DOUBLE_EQ(seen.commands, 3);
    EXPECT_TRUE(std::isinf(seen.most_by_least()));
    EXPECT_EQ(seen.wait_of(1), 97ms) << "of process 1, who got nothing";
}

TEST(field, is_contended_for_until_its_end) {
    field const small{.processes = 3, .threads = 2, .lasts = 300};
    auto const seen = run(generate(small, 1));
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ": " << seen.broken->text;
    auto const got = shares_of(seen.facts, 3, 50ms, 300ms);
    EXPECT_GT(got.total(), 50U);
    EXPECT_GT(got.wakes, 0);
    EXPECT_LT(seen.lasted, 20s);
}

// Whoever releases and asks again at once has won before a message has woken the other one, Redisson above all.
TEST(field, of_one_process_of_ours_and_one_of_redissons_starves_neither) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        field const both{.processes = 2, .redisson = 1, .hold_us = 2'000, .pause_us = 0, .lasts = 1'000};
        auto const seen = run(generate(both, seed));
        EXPECT_FALSE(seen.broken) << seen.broken->checker << ": " << seen.broken->text;
        auto const got = shares_of(seen.facts, 2, 100ms, 1000ms);
        EXPECT_LT(got.most_by_least(), 2) << "seed " << seed;
        EXPECT_LT(got.most_passed_over, 20U) << "seed " << seed;
    }
}

/// All begin in the same moment, so that none of them knows who came first.
field crowd() {
    return {.processes = 100, .hold_us = 1'000, .pause_us = 0, .lasts = 1'500};
}

TEST(crowd, asks_in_turn_soon_after_it_has_come) {
    auto const what = crowd();
    auto const seen = run(generate(what, 1));
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ": " << seen.broken->text;
    auto const got = shares_of(seen.facts, what.processes, 150ms, 1500ms);
    EXPECT_GT(got.total(), 500U);
    EXPECT_LT(got.most_by_least(), 2);
}

// From seed to seed there are 4 to 19.
TEST(crowd, asks_some_ten_times_for_each_acquisition) {
    auto const what = crowd();
    std::vector<double> commands;
    for (std::uint64_t seed = 1; seed <= 9; ++seed)
        commands.push_back(shares_of(run(generate(what, seed)).facts, what.processes, 150ms, 1500ms).commands);
    std::sort(commands.begin(), commands.end());
    EXPECT_LT(commands[commands.size() / 2], 15) << "when all asked at each message there were a hundred";
}

TEST(crowd, sleeps_while_others_have_their_turns) {
    auto const what = crowd();
    std::vector<double> wakes;
    for (std::uint64_t seed = 1; seed <= 9; ++seed)
        wakes.push_back(shares_of(run(generate(what, seed)).facts, what.processes, 150ms, 1500ms).wakes);
    std::sort(wakes.begin(), wakes.end());
    EXPECT_LT(wakes[wakes.size() / 2], 50) << "of all processes for each acquisition, half a wake-up each";
}

/// One holds the lock for long while the others come, who want it for a moment each, as jobs behind a deployment.
scenario queue_behind_a_long_hold(std::uint64_t seed, int waiters) {
    auto made = generate(field{.processes = waiters + 1}, seed);
    for (auto& one : made.workers) one.then.reset();
    made.workers[0].jobs.push_back({.hold = 2'000});
    for (int i = 1; i <= waiters; ++i)
        made.workers[static_cast<std::size_t>(i)].jobs.push_back({.pause = 300 + 50 * i, .hold = 2});
    return made;
}

// Who is further back sleeps while those before it have their turns: for as long as a turn may last, not as the one before.
TEST(queue, takes_short_turns_without_pauses_behind_a_long_one) {
    constexpr int waiters = 12;
    for (std::uint64_t seed = 1; seed <= 9; ++seed) {
        auto const seen = run(queue_behind_a_long_hold(seed, waiters));
        EXPECT_FALSE(seen.broken) << seen.broken->checker << ": " << seen.broken->text;
        auto const got = fairness_of(seen.facts, 11ms, 100ms);
        EXPECT_EQ(got.times_freed, waiters + 1U);
        EXPECT_LT(got.idle, 60ms) << "it was free for 1,040 ms in all when each expected turns of two seconds";
    }
}

} // namespace
} // namespace redlatch::sim
