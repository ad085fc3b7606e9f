// A cluster of simulated servers: what is done to it reaches the locks, and the locks live through it.
#include "sim/scenario/run.hpp"
#include "sim/scenario/variations.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

/// One process has a lock from 100 ms on for two seconds.
scenario one_holder() {
    scenario made;
    made.seed = 8; // no faults of its own
    made.processes = 1;
    made.drifts = {0};
    made.watchdog = 900;
    made.workers = {{.jobs = {{.pause = 100, .hold = 2'000}}}};
    change_topology(made, topology::cluster, false);
    made.locks = 1;
    made.workers.front().jobs.front().lock = 0;
    return made;
}

std::ptrdiff_t count_of(outcome const& seen, fact::kind what) {
    return std::count_if(seen.facts.begin(), seen.facts.end(), [&](fact const& one) { return one.what == what; });
}

TEST(cluster, a_hold_goes_with_its_slot_to_a_node_that_has_just_joined) {
    auto plan = one_holder();
    plan.faults = {{.what = fault::kind::migrate_slot, .at = 500, .lasts = 200, .server = plan.masters}};
    auto const seen = run(plan, true);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
    EXPECT_EQ(seen.acquired, 1U);
    EXPECT_EQ(count_of(seen, fact::kind::told_lost), 0);
    for (auto const& line : seen.trace) std::puts(line.substr(0, 200).c_str());
}

} // namespace
} // namespace redlatch::sim
