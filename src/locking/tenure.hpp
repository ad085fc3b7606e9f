// One owner's stay on one lock, from the first attempt until it is fully released or lost.
//
// Its id in Redis is never used again: a late copy of any of its messages finds an id that nobody has. The client's count is
// the truth; the server's copy is written absolutely, and no write of a tenure ever shortens the key's life.
//
// | phase       | event                                               | next                                          |
// |-------------|-----------------------------------------------------|-----------------------------------------------|
// | acquiring   | acquired                                            | held                                          |
// | acquiring   | given up                                            | ended                                         |
// | held        | last level's release staged                         | releasing: renewal answers count no more      |
// | held        | last level ends, and a local waiter can take it     | ended: the waiter's tenure has the id and the |
// |             |                                                     | lease; or handing off, until somebody comes   |
// | handing off | the same owner comes again                          | held                                          |
// | handing off | the local head comes                                | ended, as above                               |
// | handing off | nobody is left to come, or validity over            | ended: the reaper releases it; nobody is told |
// | held        | the server says not yours, validity or max_hold over | lost: final, no later answer revives it       |
// | releasing   | answered, or handed to the reaper                   | ended                                         |
#pragma once

#include "base/small_text.hpp"
#include "base/time.hpp"
#include "base/waker.hpp"
#include "locking/level_list.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <forward_list>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace redlatch::locking {

struct lock_record;

/// In whole milliseconds, rounded up; zero: that time has come.
constexpr base::milliseconds time_until(base::instant deadline, base::instant now) noexcept {
    return deadline <= now ? base::milliseconds(0) : std::chrono::ceil<base::milliseconds>(deadline - now);
}

/// The id of a client, a colon, a number and the suffix of a kind fit in place.
using owner_id_text = base::small_text<63>;

/// What few tenures have: of very many locks each byte counts.
struct tenure_extras {
    std::string const owner_suffix{};                   ///< of owner_id(); empty: that of the recipe
    base::milliseconds lock_delay{};                    ///< the longest one of all its levels ever
    std::forward_list<base::waker> operation_waiters{}; ///< while in_operation
};

/// Guarded by the mutex of the lock table, but for what is marked.
struct tenure {
    enum class phase : std::uint8_t { acquiring, held, handing_off, releasing, lost, ended };

    std::shared_ptr<lock_record> record; // never changes
    std::uint64_t owner_number = 0;      // never changes
    std::uint64_t serial = 0;            ///< the number in owner_id(); changes only while acquiring
    std::uint64_t token = 0;             ///< fencing, of all its holds from then on; 0: none was asked for so far

    /// Read by anybody at any time.
    std::atomic<base::nanoseconds::rep> valid_until{base::instant::min().time_since_epoch().count()};
    /// How often it has been held anew after all its levels had ended: a view of an earlier hold is none of the present one.
    std::atomic<std::uint32_t> times_retaken{0};
    std::atomic<phase> now_in{phase::acquiring};
    std::atomic<bool> suspect{false};
    std::atomic<bool> in_operation{
        false}; ///< one operation of an owner at a time: a hint, looked at again under the mutex

    bool late_copy_possible = false; ///< a copy of its acquire may still run late

    base::milliseconds longest_ever{};               ///< on the wire: how long an orphan could stay
    base::instant kept_until = base::instant::min(); ///< the latest one of all its levels that have ended
    base::instant
        held_since{}; ///< sent then, the call that acquired it; by the owner that it was handed off from, if it was
    std::stop_source lost_source{std::nostopstate}; ///< one that can stop is made when somebody asks

    level_list levels{};

    /// The lease keeper's own.
    base::instant next_renewal = base::never;
    base::instant suspect_at = base::never;
    base::instant next_doubt{};               ///< not asked about because of a message before then
    base::instant wake_head_at = base::never; ///< who waits first here does not know yet that it is the first
    bool renewal_in_flight = false;
    bool doubted = false;       ///< somebody may have ended it since the question that is under way was sent
    bool refused_alone = false; ///< the server did not allow its renewal, although nothing else was asked with it
    bool in_question = false;   ///< whether it is still ours was asked, and has not been answered
    bool watched : 1 = false;   ///< its channel is to be listened to, or is
    bool is_listed_as_acquired : 1 = false; ///< the tenure_list's own, of one that is alone in it
    bool is_only_asked = false;             ///< by the renewal that is under way, or was last: an ownership probe

    std::int16_t confirmed_by = -1; ///< so many replicas, its latest acquisition for which they were asked; -1: none
    std::uint32_t list_index = not_listed; ///< the tenure_list's own
    std::uint32_t timer_index = npos;      ///< the tenure_timers' own

    /// The lock table's own, where the owner is a thread whose end is told: what points to it, and the thread's next tenure.
    tenure** thread_link = nullptr;
    tenure* next_of_thread = nullptr;

    /// Made under the mutex, read by anybody. Null: it has none.
    std::atomic<tenure_extras*> extras{nullptr};

    static constexpr std::uint32_t npos = static_cast<std::uint32_t>(-1);
    static constexpr std::uint32_t not_listed = static_cast<std::uint32_t>(-1);

    tenure() = default;
    tenure(tenure const&) = delete;
    tenure& operator=(tenure const&) = delete;
    ~tenure() { std::unique_ptr<tenure_extras> const last(extras.load(std::memory_order_relaxed)); }

    /// CLIENT:NUMBER and a suffix, as the server knows the owner: composed, as of very many tenures few are asked.
    owner_id_text owner_id() const;
    /// Nothing has changed where there is no memory for them. `owner_suffix`: of fresh ones.
    tenure_extras& have_extras(std::string_view owner_suffix = {}) {
        auto* known = extras.load(std::memory_order_relaxed);
        if (known == nullptr) {
            auto fresh = std::make_unique<tenure_extras>(tenure_extras{.owner_suffix = std::string(owner_suffix)});
            known = fresh.get();
            extras.store(fresh.release(), std::memory_order_release); // pairs with own_suffix
        }
        return *known;
    }
    /// Of owner_id(), in place of the recipe's; empty: it has none.
    std::string_view own_suffix() const noexcept {
        auto const* const known = extras.load(std::memory_order_acquire); // pairs with have_extras
        return known != nullptr ? std::string_view(known->owner_suffix) : std::string_view();
    }
    /// By the owner's operation, or under the mutex.
    base::milliseconds lock_delay() const noexcept {
        auto const* const known = extras.load(std::memory_order_acquire); // pairs with have_extras
        return known != nullptr ? known->lock_delay : base::milliseconds(0);
    }
    /// To be woken when the operation of its owner has ended. Under the mutex, while in_operation.
    void wait_for_operation(base::waker const& waiter) { have_extras().operation_waiters.push_front(waiter); }
    /// The next operation of its owner may begin. Under the mutex.
    void end_operation(base::wake_list& woken) {
        in_operation = false;
        auto* const known = extras.load(std::memory_order_relaxed);
        if (known == nullptr) return;
        for (auto const& one : std::exchange(known->operation_waiters, {})) woken.add(one);
    }
    void wake_operation_waiters(base::wake_list& woken) const {
        auto const* const known = extras.load(std::memory_order_relaxed);
        if (known == nullptr) return;
        for (auto const& one : known->operation_waiters) woken.add(one);
    }

    bool in(phase expected) const noexcept { return now_in.load(std::memory_order_acquire) == expected; }
    base::instant validity() const noexcept {
        return base::instant(base::nanoseconds(valid_until.load(std::memory_order_acquire)));
    }
    /// It is lost.
    void end_validity(base::instant now) noexcept {
        valid_until.store(std::min(validity(), now).time_since_epoch().count(), std::memory_order_release);
    }
    bool renewed() const noexcept {
        if (in(phase::handing_off)) return true; // nothing else is handed off
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
    /// The latest end of a minimum hold, of all its levels ever.
    base::instant minimum_hold_until() const noexcept {
        auto latest = kept_until;
        for (auto const& one : levels)
            if (!one.provisional) latest = std::max(latest, one.kept_until);
        return latest;
    }
    /// Its minimum hold stays.
    void end_level(level const* ended) noexcept {
        if (!ended->provisional) kept_until = std::max(kept_until, ended->kept_until);
        levels.erase(ended);
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

/// Whatever a server answers: 32,767 replicas are as good as more.
constexpr std::int16_t replica_count(int confirmed_by) noexcept {
    return static_cast<std::int16_t>(std::min<int>(confirmed_by, std::numeric_limits<std::int16_t>::max()));
}

/// What is taken off a lease when validity is counted.
constexpr base::milliseconds validity_margin(base::milliseconds lease, base::milliseconds configured) noexcept {
    // A lease too short for the margin keeps half of itself.
    auto const wanted = configured.count() > 0 ? configured : std::max(lease / 100, base::milliseconds(20));
    return std::min(wanted, lease / 2);
}

} // namespace redlatch::locking
