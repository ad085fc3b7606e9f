// What every kind of lock can do: acquire, wait, try, release by guards, look, end by force - blocking and asynchronous.
//
// The kinds differ in what they promise, not in how they are used; each has a header of its own that says what: start there,
// with reentrant_lock.hpp for the usual one. Code that takes any kind takes a basic_lock:
//
//     void nightly_report(redlatch::basic_lock lock) {
//         redlatch::hold hold = lock.acquire({.wait = 2s});       // or throws
//         write_report(hold.lost());
//     }
#pragma once

#include <redlatch/completion.hpp>
#include <redlatch/detail/bounded_wait.hpp>
#include <redlatch/error.hpp>
#include <redlatch/event_source.hpp>
#include <redlatch/export.hpp>
#include <redlatch/hold.hpp>
#include <redlatch/lock_info.hpp>
#include <redlatch/options.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace redlatch {

namespace detail {
struct lock_access;
struct lock_impl;
} // namespace detail

/// Cheap to copy; copies are the same lock, also copies of a kind's class to this one. Made by the functions of client.
///
/// Thread safety: distinct objects: safe. Shared objects: safe.
/// Object lifetimes: may outlive the client; every call then fails with errc::closed. One that was moved from holds nothing,
/// has no name, and refuses every other call with errc::invalid_argument.
/// Blocking members must not be called on a thread of the client itself (listener, handlers): errc::wrong_thread.
class REDLATCH_EXPORT basic_lock {
public:
    /// Waits for the lock, for ever or for options.wait. Free: one round trip. Held: no polling, woken by the release.
    /// Throws error: timed_out (busy for a wait of zero), cancelled, disconnected, outcome_unknown, server_refused,
    /// wrong_type, lease_lost (a re-entry of a lock that is gone), would_deadlock (a re-entry where the kind has none),
    /// not_replicated (where replicas have to confirm it: replica_policy.hpp), invalid_argument, closed, forked, wrong_thread.
    /// std::system_error(resource_unavailable_try_again): no thread could be started that would renew it; std::bad_alloc.
    /// Whatever it throws, nothing is left held.
    hold acquire(acquire_options const& options = {});
    /// As above; an empty hold and a code instead of an exception.
    hold acquire(acquire_options const& options, std::error_code& ec);

    /// Asks once, or waits for options.wait. None: somebody else holds it. Throws as acquire, but for busy and timed_out.
    [[nodiscard]] std::optional<hold> try_acquire(acquire_options const& options = {});
    /// As above; ec is busy or timed_out where the result is none for that reason.
    [[nodiscard]] std::optional<hold> try_acquire(acquire_options const& options, std::error_code& ec);

    /// Handlers run on `ex` (empty: the client's notifier thread), never inside the call and never on the I/O thread;
    /// where a loop of the user's runs the client, `ex` is called on that loop. Where no owner is named, or a thread, each call
    /// has a fresh one: the thread that starts an operation is seldom the one that goes on with it. options.stop cancels.
    /// Never blocks. Without a handler: throws error(invalid_argument). Where no thread can be started that would call it:
    /// std::system_error(resource_unavailable_try_again), and it is never called. What a handler or `ex` throws ends the
    /// program (std::terminate), as in a thread. With completion tokens: redlatch/asio.hpp.
    void async_acquire(acquire_options const& options, executor ex, std::function<void(std::error_code, hold)> handler);
    void async_try_acquire(acquire_options const& options, executor ex,
                           std::function<void(std::error_code, std::optional<hold>)> handler);
    /// The same with a completion (completion.hpp), but that a thread which is named is the owner. An outcome is returned when
    /// nothing was started; `done` then still belongs to the caller. For start_try_acquire busy and timed_out are failures, as
    /// is everything else that brings no hold.
    [[nodiscard]] std::optional<outcome> start_acquire(acquire_options const& options, completion_ptr<hold>& done);
    [[nodiscard]] std::optional<outcome> start_try_acquire(acquire_options const& options, completion_ptr<hold>& done);

    /// Lockable and TimedLockable, owned by the calling thread and renewed. lock() throws as acquire does.
    void lock();
    /// One round trip, never waits; may overtake waiters.
    [[nodiscard]] bool try_lock();
    template <class Rep, class Period> [[nodiscard]] bool try_lock_for(std::chrono::duration<Rep, Period> const& wait) {
        return try_lock_within(detail::bounded_wait(wait));
    }
    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_until(std::chrono::time_point<Clock, Duration> const& deadline) {
        return try_lock_within(detail::bounded_wait_until(deadline));
    }
    /// Gives back what lock() took, the latest level first. Throws error(not_owner), naming lock, client and owner, when this
    /// thread has taken nothing with this adapter; changes nothing then. A loss or an unknown outcome does not throw: it goes
    /// to the listener and the counters. Blocks for at most min(config::timeout, remaining validity).
    void unlock();

    /// Held by anybody? One round trip.
    [[nodiscard]] bool is_locked();
    void async_is_locked(executor ex, std::function<void(std::error_code, bool)> handler);
    [[nodiscard]] std::optional<outcome> start_is_locked(completion_ptr<bool>& done);
    /// Until the key expires; none: free, or held without an end, as is_locked() tells. One round trip.
    std::optional<duration> remaining_lease();
    void async_remaining_lease(executor ex, std::function<void(std::error_code, std::optional<duration>)> handler);
    [[nodiscard]] std::optional<outcome> start_remaining_lease(completion_ptr<std::optional<duration>>& done);
    /// Who holds it, Java's holds included. One round trip; commands that read, and no right to anything else. Of a hash with
    /// thousands of fields some are left out.
    lock_info inspect(look_options const& options = {});
    void async_inspect(executor ex, std::function<void(std::error_code, lock_info)> handler,
                       look_options const& options = {});
    [[nodiscard]] std::optional<outcome> start_inspect(completion_ptr<lock_info>& done,
                                                       look_options const& options = {});
    /// Ends anybody's hold and wakes the waiters; false: it was free, or held in the other mode of a read-write lock. Removes
    /// any hash of that name, also one that is no lock, as Redisson does: lock_info::foreign_field of inspect() tells. One
    /// round trip. wire: protocol sections 1.6, 5.4 and 6.4.
    bool force_unlock();
    void async_force_unlock(executor ex, std::function<void(std::error_code, bool)> handler);
    [[nodiscard]] std::optional<outcome> start_force_unlock(completion_ptr<bool>& done);

    /// Held by this owner through this client? No round trip.
    bool is_held(owner const& owner = owner::this_thread()) const noexcept;
    /// How many times. No round trip.
    int hold_count(owner const& owner = owner::this_thread()) const noexcept;
    /// A view of what this owner holds (also through lock()); empty: nothing. No round trip.
    hold_view current_hold(owner const& owner = owner::this_thread()) const;

    std::string const& name() const noexcept;
    /// The loop that runs its client; null: a client with a thread of its own.
    user_loop const* driven_by() const noexcept;

    /// "reentrant", "non_reentrant", "spin", "fenced", "fair", "non_reentrant_fair", "election", "read", "write" or
    /// "faster_multi"; empty: moved from.
    std::string_view kind() const noexcept;

protected:
    explicit basic_lock(std::shared_ptr<detail::lock_impl> impl) noexcept;

private:
    friend struct detail::lock_access;
    bool try_lock_within(std::chrono::nanoseconds wait);
    detail::lock_impl const& impl() const;
    std::shared_ptr<detail::lock_impl> impl_;
};

} // namespace redlatch
