// That a seed says all of a run.
#pragma once

#include "sim/scenario/run.hpp"
#include "sim/scenario/variations.hpp"

#include <cstdint>
#include <gtest/gtest.h>

namespace redlatch::sim {

/// Scenarios of twenty seeds with these servers, each played twice, the second time with a trace.
inline void expect_the_same_run_for_the_same_seed(topology servers) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        auto made = generate(seed);
        change_topology(made, servers);
        auto const first = run(made);
        auto const again = run(made, true);
        EXPECT_EQ(first.digest, again.digest) << seed;
        EXPECT_EQ(first.facts.size(), again.facts.size()) << seed;
    }
}

} // namespace redlatch::sim
