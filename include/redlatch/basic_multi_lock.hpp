// What multi_lock and red_lock can do: acquire several locks as one.
#pragma once

#include <redlatch/basic_lock.hpp>
#include <redlatch/completion.hpp>
#include <redlatch/detail/bounded_wait.hpp>
#include <redlatch/event_source.hpp>
#include <redlatch/export.hpp>
#include <redlatch/lock_info.hpp>
#include <redlatch/multi_hold.hpp>
#include <redlatch/options.hpp>
#include <redlatch/owner.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

namespace redlatch {

namespace detail {
struct multi_lock_impl;
}

/// Cheap to copy; copies are the same lock. A multi_lock or a red_lock.
///
/// Nothing of it is on a server but its members, which may be of any kinds, and of different clients and servers; others may
/// use the members alone. Every acquisition is made for one owner, which holds all members.
///
/// Thread safety: distinct objects: safe. Shared objects: safe.
/// Object lifetimes: keeps its members; may outlive their clients, calls then fail with errc::closed. One that was moved from
/// refuses every call with errc::invalid_argument.
/// Blocking members must not be called on a thread of a member's client: errc::wrong_thread.
class REDLATCH_EXPORT basic_multi_lock {
public:
    /// Waits for as many members as are needed, for ever or for options.wait. One round trip where they are free. All or
    /// nothing: whatever it throws, nothing is left held, and what it had is given back in the background.
    /// options.lease: each member has this lease, so the first of them ends this long after the acquisition began its last
    /// round. Throws error as basic_lock::acquire; the message names the member.
    multi_hold acquire(acquire_options const& options = {});
    multi_hold acquire(acquire_options const& options, std::error_code& ec);

    /// Asks once, or waits for options.wait. None: too few were free. Throws as acquire, but for busy and timed_out.
    [[nodiscard]] std::optional<multi_hold> try_acquire(acquire_options const& options = {});
    [[nodiscard]] std::optional<multi_hold> try_acquire(acquire_options const& options, std::error_code& ec);

    /// Handlers, executors and owners: as of basic_lock; an empty executor is the notifier thread of the first member's client.
    /// That client tells of the end: closed while this is under way, it tells errc::closed.
    void async_acquire(acquire_options const& options, executor ex,
                       std::function<void(std::error_code, multi_hold)> handler);
    void async_try_acquire(acquire_options const& options, executor ex,
                           std::function<void(std::error_code, std::optional<multi_hold>)> handler);
    [[nodiscard]] std::optional<outcome> start_acquire(acquire_options const& options,
                                                       completion_ptr<multi_hold>& done);
    [[nodiscard]] std::optional<outcome> start_try_acquire(acquire_options const& options,
                                                           completion_ptr<multi_hold>& done);

    /// Lockable and TimedLockable, owned by the calling thread and renewed; for std::unique_lock. What is locked when the last
    /// copy of this object goes is released then: only these know of it, and no other multi_lock of the same members does.
    void lock();
    [[nodiscard]] bool try_lock();
    template <class Rep, class Period> [[nodiscard]] bool try_lock_for(std::chrono::duration<Rep, Period> const& wait) {
        return try_lock_within(detail::bounded_wait(wait));
    }
    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_until(std::chrono::time_point<Clock, Duration> const& deadline) {
        return try_lock_within(detail::bounded_wait_until(deadline));
    }
    /// Gives back what this thread took last with lock(). Throws error(not_owner) where it has taken nothing, and
    /// error(forked) in the child of a fork. A failure does not throw: it goes to the listeners of the clients.
    void unlock();

    /// Are as many members as are needed held by this owner through their clients? No round trip.
    bool is_held(owner const& owner = owner::this_thread()) const noexcept;

    /// What each member looks like on its server, in the order of members(). One round trip to each, at the same time; within
    /// config::timeout. Throws the error of the first member, in their order, whose basic_lock::inspect fails.
    std::vector<lock_info> inspect(look_options const& options = {});
    void async_inspect(executor ex, std::function<void(std::error_code, std::vector<lock_info>)> handler,
                       look_options const& options = {});
    [[nodiscard]] std::optional<outcome> start_inspect(completion_ptr<std::vector<lock_info>>& done,
                                                       look_options const& options = {});

    /// Deletes all members, whoever holds them, together or alone, and wakes whoever waits for them. True: at least one was
    /// held. One round trip to each, at the same time; within config::timeout. Throws the error of the first member, in their
    /// order, whose basic_lock::force_unlock fails; it spares none of the others.
    bool force_unlock();
    void async_force_unlock(executor ex, std::function<void(std::error_code, bool)> handler);
    [[nodiscard]] std::optional<outcome> start_force_unlock(completion_ptr<bool>& done);

    /// In the order in which they were given; empty: moved from.
    std::vector<basic_lock> members() const;
    /// How many of them have to be held.
    std::size_t needed() const noexcept;
    /// The loop that runs the first member's client; null: a client with a thread of its own.
    user_loop const* driven_by() const noexcept;

protected:
    explicit basic_multi_lock(std::shared_ptr<detail::multi_lock_impl> impl) noexcept;

private:
    bool try_lock_within(std::chrono::nanoseconds wait);
    std::shared_ptr<detail::multi_lock_impl> const& impl() const;
    std::shared_ptr<detail::multi_lock_impl> impl_;
};

} // namespace redlatch
