// One thread of a mix.
#pragma once

#include "measure/party.hpp"
#include "mix/board.hpp"
#include "mix/shape.hpp"

#include <cstddef>
#include <vector>

namespace redlatch::bench {

/// Waits for the beginning, then chooses a lock, holds it and pauses, until it is told to stop. `locks` are those of the shape
/// as this thread uses them. The choices follow from `place`, so that they are the same in each round.
void work_in_mix(mix_shape const& shape, std::vector<party> const& locks, mix_board const& board, std::size_t place);

/// The longest wait of some workers in nanoseconds, those that have not ended at `now` included.
std::int64_t longest_wait(mix_board const& board, std::size_t first, std::size_t count, std::int64_t now);

/// Of the clock that all processes of this machine share.
std::int64_t monotonic_now();

} // namespace redlatch::bench
