// One owner's stay on one lock, from the first attempt until it is fully released or lost.
//
// Its id in Redis is never used again: a late copy of any of its messages finds an id that nobody has. The client's count is
// the truth; the server's copy is written absolutely, and no write of a tenure ever shortens the key's life.
//
// | phase     | event                                               | next                                          |
// |-----------|-----------------------------------------------------|-----------------------------------------------|
// | acquiring | acquired                                            | held                                          |
// | acquiring | given up                                            | ended                                         |
// | held      | last level's release staged                         | releasing: renewal answers count no more      |
// | held      | last level ends, and a local waiter can take it     | ended: the waiter's tenure has the id and the |
// |           |                                                     | lease; or passing, until somebody comes       |
// | passing   | the same owner comes again                          | held                                          |
// | passing   | the local head comes                                | ended, as above                               |
// | passing   | nobody is left to come, or validity over            | ended: the reaper releases it; nobody is told |
// | held      | the server says not yours, validity or max_hold over | lost: final, no later answer revives it       |
// | releasing | answered, or handed to the reaper                   | ended                                         |
#pragma once

#include "base/recycling.hpp"
#include "base/time.hpp"
#include "base/waker.hpp"
#include "locking/level.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::locking {

struct lock_record;

/// Guarded by the mutex of the lock table, but for what is marked.
struct tenure {
    enum class phase : std::uint8_t { acquiring, held, passing, releasing, lost, ended };

    std::shared_ptr<lock_record> record; // never changes
    std::uint64_t owner_number = 0;      // never changes
    std::string owner_id{};              // changes only while acquiring
    std::uint64_t serial = 0;            ///< the number in owner_id

    /// Read by anybody at any time.
    std::atomic<phase> now_in{phase::acquiring};
    std::atomic<bool> suspect{false};
    std::atomic<base::nanoseconds::rep> valid_until{base::instant::min().time_since_epoch().count()};

    std::vector<level, base::recycling<level>> levels{};
    bool unfenced = false;                         ///< a copy of its acquire may still run late
    base::milliseconds longest_ever{};             ///< lease asked for: how long an orphan could stay
    std::optional<std::stop_source> lost_source{}; ///< made when somebody asks

    /// One operation of an owner at a time; the others wait here.
    std::atomic<bool> in_turn{false}; ///< may be peeked at without the mutex
    std::vector<base::waker> turn_waiters{};

    /// The lease keeper's own.
    std::size_t heap_index = npos;
    base::instant next_event = base::never;
    base::instant next_renewal = base::never;
    base::instant suspect_at = base::never;
    base::milliseconds renewal_lease{};
    bool renewal_in_flight = false;
    bool in_question = false; ///< whether it is still ours was asked, and has not been answered

    static constexpr std::size_t npos = static_cast<std::size_t>(-1);

    tenure() = default;
    tenure(tenure const&) = delete;
    tenure& operator=(tenure const&) = delete;
    ~tenure() { base::keep_text(std::move(owner_id)); }

    bool in(phase which) const noexcept { return now_in.load(std::memory_order_acquire) == which; }
    base::instant validity() const noexcept {
        return base::instant(base::nanoseconds(valid_until.load(std::memory_order_acquire)));
    }
    bool renewed() const noexcept {
        if (in(phase::passing)) return true; // nothing else passes
        for (auto const& one : levels)
            if (one.renewed) return true;
        return false;
    }
    /// Validity never goes beyond: the earliest end among the levels that are held.
    base::instant max_hold_until() const noexcept {
        auto earliest = base::never;
        for (auto const& one : levels) earliest = std::min(earliest, one.max_hold_until);
        return earliest;
    }
    /// What a partial release writes: the longest lease among the levels that stay.
    base::milliseconds longest_lease() const noexcept {
        base::milliseconds longest{1};
        for (auto const& one : levels) longest = std::max(longest, one.lease);
        return longest;
    }
    /// Held, and still valid on the lease clock.
    bool holds(base::instant now) const noexcept { return in(phase::held) && now < validity(); }
};

using tenure_ptr = std::shared_ptr<tenure>;

/// What is taken off a lease when validity is counted.
constexpr base::milliseconds validity_margin(base::milliseconds lease, base::milliseconds configured) noexcept {
    // A lease too short for the margin keeps half of itself.
    auto const wanted = configured.count() > 0 ? configured : std::max(lease / 100, base::milliseconds(20));
    return std::min(wanted, lease / 2);
}

} // namespace redlatch::locking
