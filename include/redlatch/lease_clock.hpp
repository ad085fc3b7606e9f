// The clock on which leases and waits are counted.
#pragma once

#include <redlatch/export.hpp>

#include <chrono>
#include <cstdint>

namespace redlatch {

/// What the wire can carry: leases and waits are whole milliseconds.
using duration = std::chrono::milliseconds;

/// CLOCK_BOOTTIME as a standard clock. Unlike std::chrono::steady_clock it keeps running while the machine sleeps, as the
/// server's expiry does: a laptop that wakes up knows at once that its leases are over. No change of the wall clock moves it.
struct REDLATCH_EXPORT lease_clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<lease_clock>;
    static constexpr bool is_steady = true;

    /// Thread-safe; no allocation.
    static time_point now() noexcept;
};

} // namespace redlatch
