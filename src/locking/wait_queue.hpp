// First come, first served, within one process.
#pragma once

#include "base/time.hpp"
#include "base/waker.hpp"
#include "locking/channel_sample.hpp"
#include "locking/level.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace redlatch::locking {

struct tenure;
struct waiter;
using waiter_ptr = std::shared_ptr<waiter>;

/// Who waits in the local queue. Flags are set under the mutex that guards the queue and read by the waiter at any time.
struct waiter {
    explicit waiter(base::waker sleeper) : waker(std::move(sleeper)) {}

    base::waker waker;
    // The queue's own: who is next to it, and, of the head, who is the last one.
    waiter_ptr next{};
    waiter* previous = nullptr; ///< null: it is the head, or not in the queue
    waiter* last = nullptr;

    std::atomic<bool> at_head{false};  ///< it is first
    std::atomic<bool> released{false}; ///< a hold of this process has just been released: ask again
    std::int64_t amount = 1;           ///< of permits, that it wants
    std::int64_t told_of =
        0; ///< of permits that came, and that it has not found taken by others; zero: it was not told
    std::atomic<bool> passed_over{false}; ///< others count on it to ask for what it was told of
    bool none_left = false;               ///< the one before it took the last ones; `sample` was taken before that
    base::instant back_at = base::never;  ///< of none_left: some come back by themselves then
    bool told_to_yield = false;           ///< of released: wait for a message first, other processes want a turn too
    channel_sample sample{};              ///< of told_to_yield: taken before the release was written

    // Hand-off within the process.
    std::shared_ptr<tenure> whose{};              ///< its own, that is acquiring
    level asked{};                                ///< what it will hold
    std::optional<base::milliseconds> max_hold{}; ///< from the moment it gets it
    bool accepts_handoff = false;                 ///< it may be given what another one of this process held
    bool waits = false;                           ///< and can take it now: it has no call under way
    base::instant asks_since{};                   ///< unless it waits: when it found that the server has to be asked
    bool yields = false;                          ///< it waits because other processes are to ask first
    std::atomic<bool> refused{false};             ///< it waits because the server executes no writes
    std::atomic<bool> granted{false};             ///< it has it; level_number says as what
    std::uint64_t level_number = 0;
    bool accepted = false; ///< it knows: what is lost from now on is its caller's to give back

    /// From now on: who tells it, or passes it over, has sent before its next call.
    void asks() noexcept {
        released.store(false, std::memory_order_relaxed);
        passed_over.store(false, std::memory_order_relaxed);
        refused.store(false, std::memory_order_relaxed);
    }
};

/// What there was when a waiter got its permits.
struct remainder {
    std::int64_t left = 0;
    base::instant back_at = base::never; ///< of none: some come back by themselves then
    channel_sample heard{};              ///< before it asked for them
};

/// The waiters are linked to each other: most locks have none, and a queue takes little of them. The head has been told that it
/// is first (at_head).
///
/// Not thread-safe.
class wait_queue {
public:
    wait_queue() = default;
    wait_queue(wait_queue const&) = delete;
    wait_queue& operator=(wait_queue const&) = delete;
    ~wait_queue() { clear(); }

    bool empty() const noexcept { return !head_; }
    waiter_ptr const& head() const noexcept { return head_; }
    /// Somebody waits behind the head.
    bool has_second() const noexcept { return head_ && head_->next; }

    /// True: nobody was before it; it is the head at once.
    bool enter(waiter_ptr const& waiter) noexcept;
    /// From any position; makes the next one the head and wakes it.
    void leave(waiter_ptr const& waiter, base::wake_list& woken);
    /// The head has got the lock within the process: the next one is the head, and need not know before something happens.
    void leave_silently(waiter_ptr const& waiter) { remove(waiter); }
    /// The lock may be free: the head, if there is one, asks again, whatever it has heard; with a sample it yields.
    void tell_head(base::wake_list& woken, std::optional<channel_sample> const& yields_since = {}) const;
    /// So many permits come, or were found: the first waiters that have not been told of as many as they want ask, the first
    /// one of them in any case, those behind it as far as the permits go.
    void tell_first(std::int64_t amount, base::wake_list& woken) const;
    /// By the server's answer there were too few for it: it waits, or asks once more where others counted on it meanwhile.
    static void found_none(waiter& one);
    /// The one that leaves has got its permits; who has been told of some takes of what was left.
    void leave_with(waiter_ptr const& waiter, remainder const& found, base::wake_list& woken);
    /// The wait of one behind it is about to end: a head that leaves the lock to other processes asks now.
    void hurry_head(base::wake_list& woken) const {
        if (head_ && head_->yields) tell_head(woken);
    }
    void wake_all(base::wake_list& woken) const;
    /// Nobody is told.
    void clear() noexcept;

private:
    bool remove(waiter_ptr const& waiter) noexcept;
    waiter_ptr head_;
};

} // namespace redlatch::locking
