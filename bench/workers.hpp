// Threads that lock and unlock as fast as they can, counted from outside.
#pragma once

#include "rounds.hpp"
#include "server.hpp"

#include <chrono>
#include <functional>
#include <vector>

namespace redlatch::bench {

/// One lock and unlock. What it needs is connected when it is made, before the clock runs.
using cycle = std::function<void()>;

/// Runs each on a thread of its own for the time given, after a short warm-up. value: cycles per second of all together.
measurement run_workers(server const& at, std::vector<cycle> workers, std::chrono::milliseconds period);

/// Of this process and of the children that it has waited for.
double client_cpu_seconds();

} // namespace redlatch::bench
