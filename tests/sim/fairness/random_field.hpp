// Fields by chance, and how fair each has to be: what `redlatch_sim --fields` plays and judges.
#pragma once

#include "sim/check/checkers.hpp"
#include "sim/fairness/field.hpp"

#include <cstdint>

namespace redlatch::sim {

/// Two to six processes, in a third of the fields one of them is Redisson's; holds of 0.5 to 2 ms; pauses up to 0.5 ms, in half
/// of the fields none; long enough for some hundreds of acquisitions.
field random_field(std::uint64_t seed);

/// As all scenarios, and fair.
patience patience_of(field const& what);

} // namespace redlatch::sim
