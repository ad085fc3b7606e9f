// What is measured; one function for each kind.
#pragma once

#include "options.hpp"
#include "rounds.hpp"
#include "server.hpp"

#include <vector>

namespace redlatch::bench {

/// Lock and unlock without contention: on one thread over TCP and a Unix socket, on 8 and 64 threads with a lock each; and
/// 8 threads on one lock.
std::vector<scenario> cycles(server const& at, settings const& wanted);

/// From the release in one process to the lock in another that waits for it, in microseconds.
scenario hand_over(server const& at, settings const& wanted);

/// The wall time of `redlatch run NAME -- true` and of what it can be compared with, in milliseconds.
std::vector<scenario> whole_process(server const& at, settings const& wanted);

/// What a tool that holds a lock keeps in memory, in MB.
scenario memory(server const& at, settings const& wanted);

} // namespace redlatch::bench
