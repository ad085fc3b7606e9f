// What is known of a lock that others want as well, in this process or elsewhere.
#pragma once

#include "base/time.hpp"
#include "locking/head_wakes.hpp"
#include "locking/local_handoff.hpp"
#include "locking/polling_yield.hpp"
#include "locking/process_turn.hpp"
#include "locking/tenure.hpp"

#include <cstdint>

namespace redlatch::locking {

/// Guarded by the mutex of the lock table.
struct contention {
    /// `polled`: nobody hears of the end of a turn, and it takes others some ms to find the lock free.
    contention(std::uint64_t seed, bool ordered, bool polled) noexcept
        : turn(seed, ordered, polled ? base::milliseconds::max() : process_turn::longest_beside_others) {}

    tenure_ptr in_handoff{}; ///< held on the server, by nobody here: between two local holders
    local_handoff handoff{};
    process_turn turn;
    locking::head_wakes head_wakes{};
    /// The server said busy, and until when at the most.
    base::instant busy_until = base::instant::min();
    /// The latest acquisition of this process found it held.
    bool had_to_wait = false;
    locking::polling_yield polling_yield{}; ///< of kinds without a channel
    /// The table keeps the record until then; never: it does not.
    base::instant remembered_until = base::never;
};

} // namespace redlatch::locking
