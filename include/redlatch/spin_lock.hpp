// The re-entrant lock without messages: Redisson's RSpinLock. Whoever waits asks again and again, after growing pauses.
//
//     redlatch::spin_lock counter = client.get_spin_lock("counter");
//     redlatch::spin_lock steady = client.get_spin_lock("steady", redlatch::spin_backoff::constant(64ms));
//
// For very many locks that are held for a moment, on a server where pub/sub is not permitted or costs too much: a release is
// one command and tells nobody. A waiter of another process learns of it with its next question, up to `longest` later;
// waiters of one process are woken at once all the same. There is no order among processes, and a holder learns of a forced
// release with its next renewal. Otherwise as reentrant_lock.
// Wire format: protocol section 5.2.
#pragma once

#include <redlatch/basic_lock.hpp>
#include <redlatch/export.hpp>
#include <redlatch/lease_clock.hpp>

#include <memory>
#include <utility>

namespace redlatch {

/// The pauses between the questions of a waiter: `first`, then each time `multiplier` times as long and a little more by
/// chance, up to `longest` (at most an hour).
struct spin_backoff {
    time_span first = std::chrono::milliseconds(1);
    time_span longest = std::chrono::milliseconds(128);
    int multiplier = 2;

    /// Always as long.
    static constexpr spin_backoff constant(duration pause) noexcept { return {pause, pause, 1}; }
};

/// Every operation is that of basic_lock. Made by client::get_spin_lock.
class REDLATCH_EXPORT spin_lock : public basic_lock {
    friend class client;
    explicit spin_lock(std::shared_ptr<detail::lock_impl> impl) noexcept : basic_lock(std::move(impl)) {}
};

} // namespace redlatch
