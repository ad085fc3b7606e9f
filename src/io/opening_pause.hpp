// Pauses of a client that is being made, while its server cannot be reached.
#pragma once

#include "base/backoff.hpp"

namespace redlatch::io {

/// Before attempt `attempt` (from 0) to reach it again: doubles from config::retry_delay up to ten times that, with jitter.
inline base::milliseconds opening_pause(int attempt, base::milliseconds retry_delay,
                                        base::random_source& random) noexcept {
    constexpr int longest = 10;
    return base::backoff_pause(attempt, retry_delay, retry_delay * longest, random);
}

} // namespace redlatch::io
