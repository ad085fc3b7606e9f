// The clock on which leases and waits are counted.
#pragma once

#include <redlatch/export.hpp>

#include <chrono>
#include <cstdint>
#include <ratio>
#include <type_traits>

namespace redlatch {

/// What the wire can carry: leases and waits are whole milliseconds.
using duration = std::chrono::milliseconds;

/// A length of time as users give it: any std::chrono::duration that is whole milliseconds. What milliseconds cannot count, as
/// std::chrono::hours::max(), is not wrapped around but as long as it can be: duration::max(), for ever.
///
/// Thread safety: as a number.
struct time_span : duration {
    using duration::duration;
    constexpr time_span(duration length) noexcept : duration(length) {}
    template <class Rep, class Period>
    requires std::is_convertible_v<std::chrono::duration<Rep, Period>, duration>
    constexpr time_span(std::chrono::duration<Rep, Period> const& length) noexcept : duration(fitted(length)) {}

private:
    template <class Rep, class Period>
    static constexpr duration fitted(std::chrono::duration<Rep, Period> const& length) noexcept {
        using wide = std::chrono::duration<long double, std::milli>;
        if (wide(length) >= wide(duration::max())) return duration::max();
        if (wide(length) <= wide(duration::min())) return duration::min();
        return std::chrono::duration_cast<duration>(length);
    }
};

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
