// What a client has done so far: client::stats().
#pragma once

#include <cstdint>

namespace redlatch {

/// What the client has done and what it has in hand. Everything below `holds` is back at zero when nothing is held or waited
/// for and connections have settled.
struct counters {
    std::uint64_t acquired = 0;      ///< successful acquisitions, re-entries included
    std::uint64_t released = 0;      ///< releases that the server confirmed
    std::uint64_t lost = 0;          ///< holds that were lost
    std::uint64_t renewals = 0;      ///< renewal scripts sent
    std::uint64_t commands = 0;      ///< commands sent on all connections
    std::uint64_t reconnects = 0;    ///< connections re-established
    std::uint64_t holds = 0;         ///< owners that hold a lock now
    std::uint64_t waiters = 0;       ///< acquisitions under way now
    std::uint64_t subscriptions = 0; ///< channels subscribed to, or being subscribed to, now
    std::uint64_t unresolved = 0;    ///< releases that the background still has to see through
};

} // namespace redlatch
