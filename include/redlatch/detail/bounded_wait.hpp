// Part of the timed adapters: any duration and any time as a wait that clocks of nanoseconds can count.
#pragma once

#include <chrono>

namespace redlatch::detail {

/// What is longer is for ever.
inline constexpr std::chrono::nanoseconds longest_wait = std::chrono::nanoseconds::max() / 4;

template <class Rep, class Period>
std::chrono::nanoseconds bounded_wait(std::chrono::duration<Rep, Period> const& wait) {
    using wide = std::chrono::duration<long double, std::nano>;
    auto const exactly = std::chrono::duration_cast<wide>(wait);
    if (exactly >= wide(longest_wait)) return longest_wait;
    if (exactly <= wide::zero()) return std::chrono::nanoseconds::zero(); // what is long past does not fit either
    return std::chrono::ceil<std::chrono::nanoseconds>(wait);
}

/// Zero: it is past.
template <class Clock, class Duration>
std::chrono::nanoseconds bounded_wait_until(std::chrono::time_point<Clock, Duration> const& deadline) {
    auto const now = Clock::now();
    using wide = std::chrono::duration<long double, std::nano>;
    // Clock::time_point::max() of coarse units does not fit into finer ones.
    auto const wait = wide(deadline.time_since_epoch()) - wide(now.time_since_epoch());
    if (wait >= wide(longest_wait)) return longest_wait;
    if (wait <= -wide(longest_wait)) return std::chrono::nanoseconds::zero();
    return deadline <= now ? std::chrono::nanoseconds::zero() : bounded_wait(deadline - now);
}

} // namespace redlatch::detail
