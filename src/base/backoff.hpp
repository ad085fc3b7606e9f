// Pauses between attempts.
#pragma once

#include "base/random.hpp"
#include "base/time.hpp"

namespace redlatch::base {

/// The pause before attempt `attempt` (from 0): between half and all of min(first * 2^attempt, most), so that clients that lost
/// a server together do not come back together.
milliseconds backoff_pause(int attempt, milliseconds first, milliseconds most, random_source& random) noexcept;

} // namespace redlatch::base
