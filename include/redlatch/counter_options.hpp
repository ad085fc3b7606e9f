// What semaphores and latches share.
#pragma once

#include <redlatch/lease_clock.hpp>

#include <optional>
#include <stop_token>

namespace redlatch {

/// How requests about a semaphore or a latch reach the server. Both are a plain number there, which cannot tell a repeated
/// request from a new one.
struct counter_options {
    /// False: a request is sent once. Where the connection breaks before the answer comes it fails with errc::outcome_unknown,
    /// and may have been executed. What a process that does not wait any more has asked for may then stay taken.
    ///
    /// True: each request that changes the number leaves its answer beside it for a minute, so that it can be repeated on
    /// another connection, and is executed once. outcome_unknown is left for changes that get no answer within
    /// config::timeout. One more write for each request. Java does not see the record and need not. A server that is away
    /// for longer than a minute, evicts keys, or forgets in a failover, may execute a request twice.
    bool exactly_once = false;
};

/// Options of a wait.
struct wait_options {
    /// How long to wait. None, duration::max(): for ever. Zero: ask once.
    std::optional<time_span> wait{};

    /// Ends the wait at once (errc::cancelled), also while a call to the server is under way.
    std::stop_token stop{};
};

} // namespace redlatch
