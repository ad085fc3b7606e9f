// How to acquire.
#pragma once

#include <redlatch/lease_clock.hpp>
#include <redlatch/owner.hpp>
#include <redlatch/replica_policy.hpp>

#include <functional>
#include <optional>
#include <stop_token>

namespace redlatch {

/// Options of one acquisition. Write only what you need: `lock.acquire({.wait = 2s, .lease = 10s})`. Nothing is too long: what
/// no clock can count is for ever.
struct acquire_options {
    /// How long to wait for the lock. None: acquire waits for ever, try_acquire does not wait. Zero: ask once.
    /// duration::max(): for ever, in both.
    std::optional<time_span> wait{};

    /// A fixed lease: the lock ends by itself after this time and is never renewed. None: the watchdog renews the lock (with
    /// config::lock_watchdog_timeout) for as long as it is held. Must be positive. Re-entered, a lock keeps the longest lease
    /// that its owner was given, released levels included. duration::max(): until it is released (the key lives for decades).
    std::optional<time_span> lease{};

    /// For renewed locks: renewal ends this long after the acquisition, and the hold is lost. Must be positive; not together
    /// with `lease` (errc::invalid_argument). On a re-entry it bounds all that this owner holds of the lock, while that level
    /// lasts. duration::max(): no bound.
    std::optional<time_span> max_hold{};

    /// Minimum hold: nobody else gets the lock sooner than this after it was acquired. Where it is released before, the release
    /// shortens the lease to what is left of this time in place of deleting the key, so that no process has to stay; the hold
    /// counts as released. For jobs that many machines start by their own clocks and that are to run once. It is kept by the
    /// server, so also where the process dies; force_unlock ends it. Must be positive, and no longer than a fixed lease
    /// (errc::invalid_argument). On a re-entry the latest end counts. A read hold keeps writers out; so does a write hold whose
    /// owner goes on reading. A multi_lock or red_lock keeps all its members from the moment in which it was acquired, but
    /// where the process dies, each from its own acquisition. What was acquired in vain is free at once.
    /// wire: protocol section 1.9.
    std::optional<time_span> hold_at_least{};

    /// Lock delay: nobody else gets the lock for so long after this hold is lost, which gives the one who lost it time to stop
    /// what it does. Its key lives longer by this time than the hold is valid; a release frees the lock at once, as does
    /// force_unlock. A waiter learns later, by the same time, that a holder has died. Must be zero or more. On a re-entry the
    /// longest one counts, for all that this owner holds of the lock from then on. wire: protocol section 1.9.
    std::optional<time_span> lock_delay{};

    /// The hold is to have a fencing token (hold::token()): greater than that of every earlier hold of a lock of this name that
    /// has one, of whatever kind, since they share one counter. The acquisition is a script then, and goes to the server, also
    /// where this process could hand the lock off. A re-entry has the token of its owner's other holds; if they have none, it
    /// takes one, which they do not get. Kinds whose holds always have a token (fenced_lock, leader_election) need not be
    /// asked. Refused with errc::invalid_argument for a read lock. All values of a group share the counter of the group.
    /// wire: protocol section 5.3.
    bool fencing = false;

    /// Who will hold it; none: the thread that calls. Forms that do not wait for the end take a fresh owner then, and
    /// those with a handler also where this is a thread.
    std::optional<redlatch::owner> owner{};

    /// Ends the wait at once (errc::cancelled), also while a call to the server is under way.
    std::stop_token stop{};
};

/// What one handle of a lock does differently from the others of its client: `client.get_lock("orders", {.replicas = ...})`.
struct lock_options {
    /// How many replicas have to confirm what is acquired with this handle, with guards too. None: config::replicas.
    std::optional<replica_policy> replicas{};
};

/// Runs a task, now or later, on a thread of the user's choice. An empty executor means the client's notifier thread. What it
/// throws ends the program.
using executor = std::function<void(std::function<void()>)>;

} // namespace redlatch
