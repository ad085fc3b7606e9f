// Time in the core: always an argument, never read.
#pragma once

#include <redlatch/lease_clock.hpp>

#include <algorithm>
#include <cstdint>

namespace redlatch::base {

using instant = lease_clock::time_point;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

inline constexpr instant never = instant::max();

/// Of a time that others have set: no more than our clocks can count to.
constexpr milliseconds countable(std::int64_t time_in_ms) noexcept {
    return std::min(milliseconds(time_in_ms), std::chrono::duration_cast<milliseconds>(nanoseconds::max()));
}

/// t + d, or never where that is out of range.
constexpr instant later(instant t, nanoseconds d) noexcept {
    if (t == never || d >= never - std::max(t, instant{})) return never;
    return t + d;
}

} // namespace redlatch::base
