// Durations as java.time.Duration prints them.
#pragma once

#include <redlatch/lease_clock.hpp>

#include <optional>
#include <string_view>

namespace redlatch {

/// `PT1S`, `PT0.5S`, `PT1M30S`, `P1DT2H`, to the millisecond. None where the text is no such duration, negative, finer than a
/// millisecond or longer than config_limits::longest.
std::optional<duration> parse_java_duration(std::string_view text);

} // namespace redlatch
