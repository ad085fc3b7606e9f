// Durations as people write them: 500ms, 30s, 5m, 1h, 1m30s.
#pragma once

#include <redlatch/lease_clock.hpp>

#include <string>
#include <string_view>

namespace redlatch::cli {

/// A hundred years: beyond that, clocks that count nanoseconds overflow.
inline constexpr duration longest_duration = std::chrono::hours(876'600);

/// Whole numbers with the units h, m, s, ms, larger units first, each at most once. Throws usage_error with a message that
/// says what is wrong: no unit, negative, too long, not a duration at all. Zero is a duration; who cannot use it refuses it.
duration parse_duration(std::string_view text);

/// For people, who want to know roughly: 2h5m, 3m20s, 42s, 2.5s, 350ms. Rounded down, so that nobody hopes for too much.
std::string to_rounded_text(duration value);

/// The shortest such text.
std::string to_text(duration value);

/// For what is far shorter: 0.214 ms.
std::string to_precise_text(std::chrono::microseconds value);

} // namespace redlatch::cli
