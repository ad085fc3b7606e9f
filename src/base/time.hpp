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

/// t + d, or never where that is out of range. Of a coarser unit there are times that the clock cannot count at all.
template <class Count, class Unit> constexpr instant later(instant t, std::chrono::duration<Count, Unit> d) noexcept {
    using given = std::chrono::duration<Count, Unit>;
    if (d > std::chrono::duration_cast<given>(nanoseconds::max())) return never;
    if (d < std::chrono::duration_cast<given>(nanoseconds::min())) return instant::min();
    nanoseconds const exact = d;
    if (t == never || exact >= never - std::max(t, instant{})) return never;
    if (exact < instant::min() - std::min(t, instant{})) return instant::min();
    return t + exact;
}

} // namespace redlatch::base
