// The re-entrant lock that its waiters get in the order in which they came: Redisson's RFairLock.
//
//     redlatch::fair_lock gate = client.get_fair_lock("gate");
//     redlatch::hold hold = gate.acquire({.wait = 30s});
//
// First come, first served, across threads, processes and languages: waiters queue on the server, and a release wakes the first
// of them only. Other kinds are faster and share by process; take this one where the order itself is the promise.
//
// The price: every acquisition and release is a script, there is no hand-off within the process, and a waiter that has died
// keeps its place until config::fair_lock_wait_timeout is over, counted by the server's clock from when it last asked; one that
// is alive asks each quarter of that. Who gives up - a deadline, a stop request, an exception, a client that closes - leaves
// the queue at once, in the background. try_acquire() without a wait does not queue, and fails while somebody waits. A re-entry
// passes the queue. Otherwise as reentrant_lock. Wire format: protocol section 5.4.
#pragma once

#include <redlatch/basic_lock.hpp>
#include <redlatch/export.hpp>

#include <memory>
#include <utility>

namespace redlatch {

/// Every operation is that of basic_lock. Made by client::get_fair_lock.
class REDLATCH_EXPORT fair_lock : public basic_lock {
    friend class client;
    explicit fair_lock(std::shared_ptr<detail::lock_impl> impl) noexcept : basic_lock(std::move(impl)) {}
};

} // namespace redlatch
