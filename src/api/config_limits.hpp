// The bounds of settings, for config::validate and for the messages of the YAML reader.
#pragma once

#include <redlatch/lease_clock.hpp>

#include <chrono>
#include <cstddef>

namespace redlatch::config_limits {

/// Far below what nanoseconds in 64 bits can carry, so that sums and products of settings cannot overflow.
inline constexpr duration longest = std::chrono::hours(24 * 366 * 10);
inline constexpr duration shortest_watchdog_timeout{30};
inline constexpr duration shortest_fair_lock_wait_timeout{1'000};
inline constexpr int most_retry_attempts = 1'000'000;
inline constexpr int most_names_in_a_renewal = 10'000;
inline constexpr int most_watched_holds = 1'000'000;
inline constexpr std::size_t longest_text = 4096;

} // namespace redlatch::config_limits
