// A run beside what was promised.
#pragma once

#include "figures.hpp"
#include "scenario.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace redlatch::chaos {

struct one_run {
    figures seen{};
    violations broken{}; ///< promises of redlatch; for Redisson what kept it from ending as it should
};

/// One line of the table.
struct result {
    scenario const* of = nullptr;
    library by = library::redlatch;
    std::string skipped{}; ///< why it was not run
    std::vector<one_run> runs{};

    bool kept() const {
        return std::all_of(runs.begin(), runs.end(), [](one_run const& each) { return each.broken.empty(); });
    }
};

/// `with_promises`: against what redlatch promises. Without: only what no lock may do, a waiter left behind or an orphan.
violations judge(stage::outcome const& run, figures const& seen, expectation const& expected, bool with_promises);

/// What a machine that stood still can explain: times, losses, elections that did not come. Never that a promised exclusion was
/// broken, an orphan or a waiter left behind.
bool only_about_time(violations const& broken);

/// Of validity, as the workers are configured.
std::chrono::microseconds margin();

} // namespace redlatch::chaos
