// The re-entrant distributed lock: Redisson's RLock, on the same server, excluding and waking Java holders too.
//
//     redlatch::reentrant_lock orders = client.get_lock("orders");
//     {
//         redlatch::hold hold = orders.acquire({.wait = 2s});     // or throws
//         charge(hold.lost());
//     }
//     std::scoped_lock both{orders, invoices};                    // Lockable and TimedLockable too
//
//     | lock is            | acquire              | try_acquire({})  | release / unlock                      |
//     |--------------------|----------------------|------------------|---------------------------------------|
//     | free               | held, count 1        | held, count 1    | not_owner, nothing changes            |
//     | held by this owner | held, count + 1      | held, count + 1  | count - 1; at 0 free, waiters woken   |
//     | held by another    | waits                | none (busy)      | not_owner, nothing changes            |
//
// What it does not promise: exclusion beyond the lease (docs/guarantees.md), an order among waiters of different processes,
// survival of a failover. Wire format: protocol sections 0 to 3.
#pragma once

#include <redlatch/basic_lock.hpp>
#include <redlatch/export.hpp>

#include <memory>
#include <utility>

namespace redlatch {

/// Every operation is that of basic_lock. Made by client::get_lock.
class REDLATCH_EXPORT reentrant_lock : public basic_lock {
    friend class client;
    explicit reentrant_lock(std::shared_ptr<detail::lock_impl> impl) noexcept : basic_lock(std::move(impl)) {}
};

} // namespace redlatch
