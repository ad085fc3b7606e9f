// A lock that holds while the majority of several independent servers has it: Redisson's RedissonRedLock.
//
//     redlatch::client a("redis://a:6379"), b("redis://b:6379"), c("redis://c:6379");     // masters, no replicas
//     redlatch::red_lock lock({a.get_lock("report"), b.get_lock("report"), c.get_lock("report")});
//     redlatch::multi_hold hold = lock.acquire({.wait = 5s});
//
// A minority of servers may be away, and nobody else gets it; or may forget the lock, if the majority still knows of it. Let a
// server that has lost its data stay away for as long as the longest lease: docs/guarantees.md. What Redisson leaves out is
// done here: acquired is only what the majority is still certain to have when the last answer has come (each member counts its
// validity from before its request was sent, less a margin for clocks that run at different speeds), and the hold is lost as
// soon as fewer than the majority are left. Members that answer late join the hold.
//
// It is no better than its members against a holder that does not look at its hold: docs/guarantees.md.
#pragma once

#include <redlatch/basic_lock.hpp>
#include <redlatch/basic_multi_lock.hpp>
#include <redlatch/export.hpp>

#include <vector>

namespace redlatch {

/// Every operation is that of basic_multi_lock; needed() is the majority: 2 of 3, 3 of 5. A wait asks all members at the same
/// time, over and over, each time for a part of a second; between these rounds nothing is held. Members that cannot be reached
/// count as busy, until so many have been away for their clients' config::outage_limit that there is no majority
/// (errc::disconnected, or the refusal where a server executes no writes; a wait with a deadline ends there); with
/// config::fail_fast, until so many are known to be away.
class REDLATCH_EXPORT red_lock : public basic_multi_lock {
public:
    /// At least one member, each of another server; throws error(invalid_argument) where none are given, or where a client
    /// has two of them. No round trip.
    explicit red_lock(std::vector<basic_lock> members);
};

} // namespace redlatch
