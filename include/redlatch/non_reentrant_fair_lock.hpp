// The fair lock that its owner cannot acquire twice: Redisson's RNonReentrantFairLock.
//
//     redlatch::non_reentrant_fair_lock gate = client.get_non_reentrant_fair_lock("gate");
//     redlatch::hold hold = gate.acquire({.wait = 30s});
//     gate.acquire();                              // throws error(would_deadlock), at once, without a round trip
//
// Waiting, order and price are those of fair_lock; who is an owner is said at non_reentrant_lock.
// Wire format: protocol section 5.4.
#pragma once

#include <redlatch/basic_lock.hpp>
#include <redlatch/export.hpp>

#include <memory>
#include <utility>

namespace redlatch {

/// Every operation is that of basic_lock. Made by client::get_non_reentrant_fair_lock.
class REDLATCH_EXPORT non_reentrant_fair_lock : public basic_lock {
    friend class client;
    explicit non_reentrant_fair_lock(std::shared_ptr<detail::lock_impl> impl) noexcept : basic_lock(std::move(impl)) {}
};

} // namespace redlatch
