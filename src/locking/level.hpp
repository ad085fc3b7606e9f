// One acquisition within a tenure.
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace redlatch::locking {

struct level {
    std::uint64_t number = 0; ///< unique within the client; 0: no level
    base::milliseconds lease{};
    bool renewed = false; ///< by the watchdog
    bool adapter = false; ///< taken by lock(), given back by unlock()
    bool fencing = false; ///< a token was asked for
    /// Nobody has it so far, for the other locks of a group or the replicas are still asked: its minimum hold does not count.
    bool provisional = false;
    base::instant max_hold_until = base::never;
    base::instant kept_until = base::instant::min(); ///< the lock is not free before then, whenever it is released
    base::milliseconds lock_delay{};                 ///< the key outlives the lease by so much

    explicit operator bool() const noexcept { return number != 0; }
    bool is_kept_or_delayed() const noexcept { return kept_until != base::instant::min() || lock_delay.count() > 0; }
    /// Got from another owner of this process, without a word to the server.
    bool can_pass() const noexcept { return renewed && !fencing && !is_kept_or_delayed(); }
};

} // namespace redlatch::locking
