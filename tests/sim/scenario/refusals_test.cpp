// A server that executes no writes for a while: whoever waits for it goes on as soon as one of the process knows better.
#include "sim/scenario/run.hpp"
#include "sim/scenario/variations.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using kind = fact::kind;

constexpr auto outage_ends = moment(2'500ms);

/// Four workers of a process want a lock each while the server is full.
scenario four_waiters(std::uint64_t seed, lock_kind of) {
    scenario made;
    made.seed = seed;
    made.processes = 1;
    made.drifts = {0};
    made.locks = 4;
    made.how_fast.stalls = 0;
    for (int i = 0; i < made.locks; ++i) made.workers.push_back({.jobs = {{.lock = i, .pause = 1'000, .hold = 500}}});
    made.faults = {{.what = fault::kind::out_of_memory, .at = 500, .lasts = 2'000}};
    change_kind(made, of);
    return made;
}

/// When each of them had what it wanted.
std::vector<moment> ends_of_waits(outcome const& seen) {
    std::vector<moment> when;
    for (auto const& one : seen.facts)
        if (one.what == kind::acquired || one.what == kind::took_permits) when.push_back(one.when);
    return when;
}

class refused_waiters : public testing::TestWithParam<lock_kind> {};
INSTANTIATE_TEST_SUITE_P(of, refused_waiters,
                         testing::Values(lock_kind::reentrant, lock_kind::spin, lock_kind::fair, lock_kind::semaphore,
                                         lock_kind::permit_semaphore),
                         [](auto const& one) { return "kind_" + std::to_string(static_cast<int>(one.param)); });

TEST_P(refused_waiters, go_on_together_when_the_server_executes_a_write) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        auto const seen = run(four_waiters(seed, GetParam()));
        EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
        auto const when = ends_of_waits(seen);
        ASSERT_GE(when.size(), 4U);
        EXPECT_GT(when.front(), outage_ends);
        EXPECT_LT(when.at(3) - when.front(), 5ms) << "seed " << seed << ": pauses are up to 200 ms";
    }
}

class refused_releases : public testing::TestWithParam<lock_kind> {};
INSTANTIATE_TEST_SUITE_P(of, refused_releases,
                         testing::Values(lock_kind::reentrant, lock_kind::semaphore, lock_kind::permit_semaphore),
                         [](auto const& one) { return "kind_" + std::to_string(static_cast<int>(one.param)); });

/// The server cannot save its data while they release: the pause of each would be over at another time.
TEST_P(refused_releases, go_on_together_when_the_server_executes_a_write) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        auto plan = four_waiters(seed, GetParam());
        plan.timeout = 2'000;
        for (auto& one : plan.workers) one.jobs.front().hold = 1'000;
        plan.faults = {{.what = fault::kind::disk_error, .at = 1'900, .lasts = 900}};
        auto const seen = run(plan);
        EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
        std::vector<moment> when;
        for (auto const& one : seen.facts)
            if (one.what == kind::released || one.what == kind::gave_permits) when.push_back(one.when);
        ASSERT_EQ(when.size(), 4U);
        EXPECT_GT(when.front(), moment(2'800ms));
        EXPECT_LT(when.at(3) - when.front(), 5ms) << "seed " << seed;
    }
}

} // namespace
} // namespace redlatch::sim
