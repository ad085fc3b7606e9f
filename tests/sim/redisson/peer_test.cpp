// A Redisson process beside ours: each waits for the other, nobody is inside together, and what it sends is its own protocol.
#include "sim/scenario/run.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace redlatch::sim {
namespace {

using kind = fact::kind;

scenario beside(std::vector<worker> workers) {
    scenario made;
    made.seed = 5;
    made.watchdog = 900;
    made.drifts = {0, 0};
    made.redisson = {1};
    made.workers = std::move(workers);
    return made;
}

moment first(outcome const& in, kind what, int process) {
    for (auto const& one : in.facts)
        if (one.what == what && one.process == process) return one.when;
    return never;
}

std::size_t lines(outcome const& in, std::string const& text) {
    return static_cast<std::size_t>(
        std::count_if(in.trace.begin(), in.trace.end(), [&](auto const& one) { return one.find(text) != one.npos; }));
}

TEST(redisson_peer, is_woken_by_our_release) {
    auto const seen = run(beside({{.process = 0, .jobs = {{.hold = 100}}}, {.process = 1, .jobs = {{.pause = 20}}}}));
    ASSERT_FALSE(seen.broken) << seen.broken->text;
    auto const waited = first(seen, kind::acquired, 1) - first(seen, kind::releasing, 0);
    EXPECT_GT(waited, moment(0));
    EXPECT_LT(waited, moment(10'000'000));
}

TEST(redisson_peer, wakes_us_by_its_release) {
    auto const seen = run(beside({{.process = 0, .jobs = {{.pause = 20}}}, {.process = 1, .jobs = {{.hold = 100}}}}));
    ASSERT_FALSE(seen.broken) << seen.broken->text;
    auto const waited = first(seen, kind::acquired, 0) - first(seen, kind::releasing, 1);
    EXPECT_GT(waited, moment(0));
    EXPECT_LT(waited, moment(10'000'000));
}

TEST(redisson_peer, renews_what_has_no_lease_and_enters_again) {
    auto const seen =
        run(beside({{.process = 0, .jobs = {{.pause = 20}}}, {.process = 1, .jobs = {{.hold = 3'000, .entries = 3}}}}),
            true);
    ASSERT_FALSE(seen.broken) << seen.broken->text;
    EXPECT_GT(first(seen, kind::acquired, 0), moment(3'000'000'000)) << "three times its watchdog's time";
    EXPECT_GE(lines(seen, "-> *1 :1"), 8U);
    EXPECT_EQ(lines(seen, "redisson_unlock_latch:{lock-0}"), 3U * 3)
        << "three unlocks: each is run, and its latch is deleted";
}

TEST(redisson_peer, loses_a_fixed_lease_without_knowing) {
    auto const seen =
        run(beside({{.process = 0, .jobs = {{.pause = 20}}}, {.process = 1, .jobs = {{.lease = 200, .hold = 1'000}}}}));
    ASSERT_FALSE(seen.broken) << seen.broken->text;
    EXPECT_LT(first(seen, kind::acquired, 0), moment(300'000'000));
    auto const end = std::find_if(seen.facts.begin(), seen.facts.end(),
                                  [](auto const& one) { return one.what == kind::released && one.process == 1; });
    ASSERT_NE(end, seen.facts.end());
    EXPECT_EQ(end->text, "not locked by this thread");
}

TEST(redisson_peer, is_in_a_part_of_the_scenarios_and_acquires_there) {
    int scenarios = 0;
    std::uint64_t acquired = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        auto const plan = generate(seed);
        if (plan.redisson.empty()) continue;
        ++scenarios;
        auto const seen = run(plan);
        EXPECT_FALSE(seen.broken) << "seed " << seed << ": " << seen.broken->checker << ", " << seen.broken->text;
        for (auto const& one : seen.facts)
            acquired += one.what == kind::acquired && plan.redisson.contains(one.process);
    }
    EXPECT_GT(scenarios, 15);
    EXPECT_GT(acquired, 100U);
}

} // namespace
} // namespace redlatch::sim
