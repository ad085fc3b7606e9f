// What is measured; one function for each kind.
#pragma once

#include "measure/affinity.hpp"
#include "measure/rounds.hpp"
#include "measure/server.hpp"
#include "options.hpp"
#include "peers.hpp"

#include <functional>
#include <vector>

namespace redlatch::bench {

/// Where scenarios play, and with whom.
struct stage {
    server const& at;
    settings const& wanted;
    peers& others;
    placement where;

    bool is(char const* name) const { return where.name == name; }
};

/// Lock and unlock without contention on one thread, over TCP and over a Unix socket.
std::vector<scenario> one_thread(stage const& on);

/// 8, 64 and 256 threads with a lock each and one client.
std::vector<scenario> own_locks(stage const& on);

/// The other kinds of lock: 64 threads with one each.
std::vector<scenario> kinds(stage const& on);

/// 64 threads with a lock each: TLS, and a cluster, beside one server.
std::vector<scenario> arrangements(stage const& on);

/// 64 and 256 cycles in flight without a thread for each.
std::vector<scenario> in_flight(stage const& on);

/// 8 and 64 threads of one process, and 8 processes, on one lock.
std::vector<scenario> one_lock(stage const& on);

/// Processes and threads that share some locks, with time inside and between.
std::vector<scenario> mix(stage const& on);

/// From the release in one client to the lock in another that waits for it.
std::vector<scenario> hand_off(stage const& on);

/// What it costs to keep 10,000 and 100,000 locks; if wanted, a million in a cluster.
std::vector<scenario> holding(stage const& on);

/// What one operation costs among 100,000 others: the end of a thread, a call, a waiter.
std::vector<scenario> scale(stage const& on);

/// What a client that holds one lock takes: memory, connections, commands.
std::vector<scenario> footprint(stage const& on);

/// The wall time of `redlatch run NAME -- true` and of what it can be compared with.
std::vector<scenario> whole_process(stage const& on);

} // namespace redlatch::bench
