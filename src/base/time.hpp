// Time in the core: always an argument, never read.
#pragma once

#include <redlatch/lease_clock.hpp>

#include <algorithm>

namespace redlatch::base {

using instant = lease_clock::time_point;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

inline constexpr instant never = instant::max();

/// t + d, or never where that is out of range.
constexpr instant later(instant t, nanoseconds d) noexcept {
    if (t == never || d >= never - std::max(t, instant{})) return never;
    return t + d;
}

} // namespace redlatch::base
