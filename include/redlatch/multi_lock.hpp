// Several locks as one, all or none of them: Redisson's RedissonMultiLock.
//
//     redlatch::multi_lock both({client.get_lock("account:1"), client.get_lock("account:2")});
//     redlatch::multi_hold hold = both.acquire({.wait = 5s});
//
// The locks are asked for at the same time. Where one of them is busy the others are given back, and it is waited for first,
// as std::lock does: so two callers never wait for each other for ever, in whatever order they name their locks, Java's
// callers included.
#pragma once

#include <redlatch/basic_lock.hpp>
#include <redlatch/basic_multi_lock.hpp>
#include <redlatch/export.hpp>

#include <vector>

namespace redlatch {

/// What a multi_lock does while one of its members is busy.
enum class multi_lock_order {
    /// It waits for the busy one and holds none meanwhile; then it waits for the others, at most for 100 ms, before it begins
    /// again. Cannot deadlock. Under constant contention for several members it may take many rounds.
    none,
    /// It takes its members in the order of their names (then of their servers' addresses), and waits for each while it holds
    /// those before. Cannot deadlock where all who take several of these locks do so in this order; comes to its turn as
    /// surely as a waiter for each single lock. With a fixed lease it begins again after a quarter of it; after a moment
    /// where it waits for one of several members that have one name, on different servers, since another process may know
    /// these by other addresses. Of several that try at the same time, without waiting, one acquires them; it takes a round
    /// trip for each member.
    by_name,
};

/// Every operation is that of basic_multi_lock. wire: as of the members' kinds; Redisson's way of acquiring them is protocol
/// section 9.
class REDLATCH_EXPORT multi_lock : public basic_multi_lock {
public:
    /// Throws error(invalid_argument) where there is no member, or where a client has two members of one name and of different
    /// kinds, which would wait for each other. No round trip.
    explicit multi_lock(std::vector<basic_lock> members, multi_lock_order order = multi_lock_order::none);
};

} // namespace redlatch
