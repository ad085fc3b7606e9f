// What semaphores and latches share.
#pragma once

#include <redlatch/lease_clock.hpp>
#include <redlatch/replica_policy.hpp>

#include <optional>
#include <stop_token>

namespace redlatch {

/// How requests about a semaphore or a latch reach the server. Both are a plain number there, which cannot tell a repeated
/// request from a new one. Plain data: distinct objects are independent, shared objects need the usual care.
struct counter_options {
    /// False: a request is sent once. Where the connection breaks before the answer comes it fails with errc::outcome_unknown,
    /// and may have been executed. What a process that does not wait any more has asked for may then stay taken.
    ///
    /// True: each request that changes the number leaves its answer beside it for a minute, so that it can be repeated on
    /// another connection, and is executed once. outcome_unknown is left for changes that get no answer within
    /// config::timeout. One more write for each request. Java does not see the record and need not. A server that is away
    /// for longer than a minute, evicts keys, or forgets in a failover, may execute a request twice.
    bool exactly_once = false;

    /// Of a semaphore: how many replicas have to confirm what is acquired with this handle, as of a lock. None:
    /// config::replicas. Such an acquisition leaves a record, as with exactly_once. The policy's time should be shorter than
    /// the lease of permits, which are not renewed before they are confirmed. What is released, set or drained is not
    /// confirmed. A latch, of which nothing is acquired, has none (errc::invalid_argument).
    std::optional<replica_policy> replicas{};
};

/// Options of a wait.
struct wait_options {
    /// How long to wait. None, duration::max(): for ever. Zero: ask once.
    std::optional<time_span> wait{};

    /// Ends the wait at once (errc::cancelled), also while a call to the server is under way.
    std::stop_token stop{};
};

} // namespace redlatch
