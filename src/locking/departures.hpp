// Who has left a lock a moment ago.
//
// A master that fails over to a replica may have acknowledged what the replica has not heard of: a hold that was released is
// there again for its whole lease, and a place in a fair queue that was left. Ids are never used again, so a release that is
// sent once more to the new master does no harm where there is nothing to undo.
#pragma once

#include "base/time.hpp"
#include "locking/lock_record.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redlatch::locking {

/// An id that has left a lock.
struct departure {
    record_ptr record;
    std::string owner_id;
    base::milliseconds lease{};                      ///< the longest it can have left behind
    base::instant kept_until = base::instant::min(); ///< of a minimum hold
};

/// Not thread-safe.
class departures {
public:
    /// Replicas are hardly ever further behind, and a new master is busy enough.
    static constexpr std::size_t most = 256;
    static constexpr base::milliseconds longest{10'000};

    void add(record_ptr const& record, std::string_view owner_id, base::milliseconds lease, base::instant kept_until,
             base::instant now) {
        if (ring_.size() < most) {
            ring_.emplace_back();
            next_ = ring_.size() - 1;
        }
        auto& slot = ring_[next_]; // its memory is used again
        slot.when = base::instant::min();
        slot.who.owner_id = owner_id; // where there is no memory for it, this is nobody
        slot.who.record = record;
        slot.who.lease = lease;
        slot.who.kept_until = kept_until;
        slot.when = now;
        next_ = (next_ + 1) % most;
    }
    /// The latest ones, which are forgotten with all others.
    std::vector<departure> take(base::instant now) {
        std::vector<departure> recent;
        recent.reserve(ring_.size());
        for (auto& one : ring_)
            if (one.when != base::instant::min() && now < base::later(one.when, longest))
                recent.push_back(std::move(one.who));
        ring_.clear();
        next_ = 0;
        return recent;
    }

private:
    struct remembered {
        departure who;
        base::instant when = base::instant::min(); ///< never: nobody
    };
    std::vector<remembered> ring_;
    std::size_t next_ = 0;
};

} // namespace redlatch::locking
