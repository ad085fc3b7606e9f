// How to acquire.
#pragma once

#include <redlatch/lease_clock.hpp>
#include <redlatch/owner.hpp>

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
    /// config::lock_watchdog_timeout) for as long as it is held. Must be positive.
    /// duration::max(): until it is released, however long that takes (the key on the server then lives for decades).
    std::optional<time_span> lease{};

    /// For renewed locks: renewal ends this long after the acquisition, and the hold is lost. Must be positive; not together
    /// with `lease` (errc::invalid_argument). On a re-entry it bounds all that this owner holds of the lock, while that level
    /// lasts. duration::max(): no bound.
    std::optional<time_span> max_hold{};

    /// Who will hold it. Forms with a handler take a fresh owner where this is a thread.
    redlatch::owner owner = redlatch::owner::this_thread();

    /// Ends the wait at once (errc::cancelled), also while a call to the server is under way.
    std::stop_token stop{};
};

/// Runs a task, now or later, on a thread of the user's choice. An empty executor means the client's notifier thread. What it
/// throws ends the program.
using executor = std::function<void(std::function<void()>)>;

} // namespace redlatch
