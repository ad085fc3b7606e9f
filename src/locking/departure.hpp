// Who has left a moment ago.
//
// A master that fails over to a replica may have acknowledged what the replica has not heard of: a hold that was released is
// there again for its whole lease, and a place in a fair queue that was left; permits that were given back are taken again. Ids
// are never used again, so a release that is sent once more to the new master does no harm where there is nothing to undo.
#pragma once

#include "base/time.hpp"

#include <cstddef>

namespace redlatch::locking {

/// Replicas are hardly ever further behind, and a new master is busy enough.
constexpr std::size_t most_departures = 256;
constexpr base::milliseconds longest_departure{10'000};

} // namespace redlatch::locking
