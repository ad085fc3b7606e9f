// What all faults of a scenario have in common.
#pragma once

#include "sim/scenario/dice.hpp"
#include "sim/scenario/scenario.hpp"

#include <cstdint>
#include <span>

namespace redlatch::sim {

/// One of these kinds, `latest` ms after the start at the latest. It lasts for `longest` ms at most, or, in a third of the
/// draws, about as long as a lease. Kept seeds depend on the order of these draws.
inline fault draw_fault(dice& by, scenario const& in, std::span<fault::kind const> kinds, std::int64_t latest,
                        std::int64_t longest) {
    fault one;
    one.what = kinds[static_cast<std::size_t>(by.index(static_cast<int>(kinds.size())))];
    one.at = by.between(1, latest);
    one.lasts = by.one_in(3) ? by.between(in.watchdog / 2, 2 * in.watchdog) : by.between(1, longest);
    one.process = by.index(in.processes);
    one.lock = by.index(in.locks);
    return one;
}

} // namespace redlatch::sim
