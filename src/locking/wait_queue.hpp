// First come, first served, within one process.
#pragma once

#include "base/recycling.hpp"
#include "base/time.hpp"
#include "base/waker.hpp"
#include "locking/channel_sample.hpp"
#include "locking/level.hpp"

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>

namespace redlatch::locking {

struct tenure;
struct queue_place;
using place_ptr = std::shared_ptr<queue_place>;
/// A list: most locks have no waiter, and a deque would take half a kilobyte of each.
using place_list = std::list<place_ptr, base::recycling<place_ptr>>;

/// One waiter's place. Flags are set under the mutex that guards the queue and read by the waiter at any time.
struct queue_place {
    explicit queue_place(base::waker sleeper) : waker(std::move(sleeper)) {}

    base::waker waker;
    std::optional<place_list::iterator> behind{}; ///< the queue's own: where it is, when it is not the head
    std::atomic<bool> at_head{false};             ///< it is this waiter's turn
    std::atomic<bool> released{false};            ///< a hold of this process has just been released: ask again
    bool held_back = false;  ///< of released: wait for a message first, other processes want a turn too
    channel_sample sample{}; ///< of held_back: taken before the release was written

    // Hand-over within the process.
    std::shared_ptr<tenure> whose{};              ///< the waiter's own, that is acquiring
    level asked{};                                ///< what it will hold
    std::optional<base::milliseconds> max_hold{}; ///< from the moment it gets it
    bool passable = false;                        ///< it may be given what another one of this process held
    bool waits = false;                           ///< and can take it now: it has no call under way
    base::instant asks_since{};                   ///< unless it waits: when it found that the server has to be asked
    bool yields = false;                          ///< it waits because other processes are to ask first
    std::atomic<bool> granted{false};             ///< it has it; level_number says as what
    std::uint64_t level_number = 0;
    bool accepted = false; ///< its waiter knows: what is lost from now on is its caller's to give back
};

/// Not thread-safe. The head has been told so (at_head) and has left `rest`.
class wait_queue {
public:
    bool empty() const noexcept { return !head_; }
    place_ptr const& head() const noexcept { return head_; }
    std::size_t size() const noexcept { return rest_.size() + (head_ ? 1U : 0U); }

    /// True: nobody was before it; the place is the head at once.
    bool enter(place_ptr const& place);
    /// From any position; makes the next one the head and wakes it.
    void leave(place_ptr const& place, base::wake_list& woken);
    /// The head has got the lock within the process: the next one is the head, and need not know before something happens.
    void leave_silently(place_ptr const& place) { remove(place); }
    /// The lock may be free: the head, if there is one, asks again, whatever it has heard; with a sample it is held back.
    void tell_head(base::wake_list& woken, std::optional<channel_sample> const& held_back_since = {}) const;
    /// The wait of one behind it is about to end: a head that leaves the lock to other processes asks now.
    void hurry_head(base::wake_list& woken) const {
        if (head_ && head_->yields) tell_head(woken);
    }
    void wake_all(base::wake_list& woken) const;

private:
    bool remove(place_ptr const& place);
    place_ptr head_;
    place_list rest_;
};

} // namespace redlatch::locking
