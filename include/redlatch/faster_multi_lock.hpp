// A lock on several values of a group at once: Redisson's FasterMultiLock, getMultiLock(group, values).
//
//     redlatch::faster_multi_lock seats = client.get_faster_multi_lock("flight:LH400", {"12A", "12B"});
//     redlatch::hold hold = seats.acquire({.wait = 2s});          // both seats, or neither
//
// Two locks of one group exclude each other exactly if they have a value in common; where they have none, both may be held.
// All values are taken by one script, so nobody holds some of them and waits for others: callers in opposite orders cannot
// deadlock, and the cost is one round trip for any number of values. Order does not matter, and a value that is named twice is
// named once. The same group and values are the same lock, which its owner may enter again.
//
// An owner that holds a lock of the group and asks for another one that shares a value with it would wait for itself:
// would_deadlock, at once. (Redisson, whose ids are those of threads, lets it in.) name() is the group. is_locked(),
// remaining_lease() and inspect() tell of these values. force_unlock() ends what anybody holds of them; a holder of ours loses
// its whole hold by that, and gives the rest of it back.
//
// It is meant for up to some hundreds of values: each call names all of them, and ten thousand take the server 30 ms. There are
// no plain commands and no turns between processes; a release wakes a waiter of each set of values, whatever it waits for.
//
// With Java: the values are hashed as Redisson's StringCodec encodes them, in UTF-8; set that codec there
// (`config.setCodec(StringCodec.INSTANCE)`), since its default one encodes them in a form of Java's own. The ends of leases are
// written as times, by the server's clock here, by that of the machine there: clocks must agree within a fraction of the lease.
// Otherwise as reentrant_lock. Wire format: protocol section 9.1.
#pragma once

#include <redlatch/basic_lock.hpp>
#include <redlatch/export.hpp>

#include <memory>
#include <utility>

namespace redlatch {

/// Every operation is that of basic_lock. Made by client::get_faster_multi_lock.
class REDLATCH_EXPORT faster_multi_lock : public basic_lock {
    friend class client;
    explicit faster_multi_lock(std::shared_ptr<detail::lock_impl> impl) noexcept : basic_lock(std::move(impl)) {}
};

} // namespace redlatch
