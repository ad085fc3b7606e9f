// What is known of a lock that others want as well, in this process or elsewhere.
#pragma once

#include "base/time.hpp"
#include "locking/head_wakes.hpp"
#include "locking/local_handoff.hpp"
#include "locking/process_turn.hpp"
#include "locking/tenure.hpp"

#include <cstdint>

namespace redlatch::locking {

/// Guarded by the mutex of the lock table.
struct contention {
    contention(std::uint64_t seed, bool ordered) noexcept : turn(seed, ordered) {}

    tenure_ptr in_handoff{}; ///< held on the server, by nobody here: between two local holders
    local_handoff handoff{};
    process_turn turn;
    locking::head_wakes head_wakes{};
    /// The server said busy, and until when at the most.
    base::instant busy_until = base::instant::min();
    /// The latest acquisition of this process found it held.
    bool had_to_wait = false;
    /// The table keeps the record until then; never: it does not.
    base::instant remembered_until = base::never;
};

} // namespace redlatch::locking
