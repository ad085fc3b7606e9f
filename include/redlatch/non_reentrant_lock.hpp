// A lock that its owner cannot acquire twice: Redisson's RNonReentrantLock. For critical sections that must not run inside
// themselves, where a second acquisition is a mistake that should be told.
//
//     redlatch::non_reentrant_lock ledger = client.get_non_reentrant_lock("ledger");
//     redlatch::hold hold = ledger.acquire();
//     ledger.acquire();                              // throws error(would_deadlock), at once, without a round trip
//
// Otherwise as reentrant_lock, in waiting, speed, loss and messages. An owner is a thread unless one is named, so two threads
// exclude each other as with every lock; the forms with a handler take a fresh owner for each call, and wait.
// Wire format: protocol section 5.1.
#pragma once

#include <redlatch/basic_lock.hpp>
#include <redlatch/export.hpp>

#include <memory>
#include <utility>

namespace redlatch {

/// Every operation is that of basic_lock. Made by client::get_non_reentrant_lock.
class REDLATCH_EXPORT non_reentrant_lock : public basic_lock {
    friend class client;
    explicit non_reentrant_lock(std::shared_ptr<detail::lock_impl> impl) noexcept : basic_lock(std::move(impl)) {}
};

} // namespace redlatch
