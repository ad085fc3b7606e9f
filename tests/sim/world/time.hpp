// The simulated universe's own time, which nobody in it sees.
#pragma once

#include <chrono>

namespace redlatch::sim {

/// Since the world began.
using moment = std::chrono::nanoseconds;

inline constexpr moment never = moment::max();

} // namespace redlatch::sim
