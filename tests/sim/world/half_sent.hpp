// A connection on which only the first of two commands gets through at once.
#pragma once

#include "sim/world/time.hpp"

#include <cstdint>

namespace redlatch::sim {

/// What becomes of HDEL and PUBLISH that were sent in one go.
enum class half_sent_way : std::uint8_t {
    rest_is_gone, ///< the connection breaks
    rest_is_late, ///< it breaks, and what was on its way arrives later
    stands_still, ///< the rest arrives later, on a connection that lives
    falls_silent, ///< nothing comes through any more, and nobody is told
};
constexpr int half_sent_ways = 4;

struct half_sent {
    half_sent_way way;
    moment delay; ///< until the rest arrives, or the server notices
};

} // namespace redlatch::sim
