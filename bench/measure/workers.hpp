// Threads that lock and unlock as fast as they can, counted from outside.
#pragma once

#include "measure/figures.hpp"
#include "measure/latency.hpp"
#include "measure/party.hpp"
#include "measure/work_meter.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace redlatch::bench {

/// A cache line of its own for each worker. All zero at first; may be in memory shared by processes.
struct alignas(64) tally {
    std::atomic<std::uint64_t> cycles{0};
    latency_histogram acquisitions{}; ///< read when the worker has ended
};

/// Set by whoever measures, read by the workers; may be in shared memory.
struct phases {
    std::atomic<bool> measuring{false};
    std::atomic<bool> stop{false};
};

/// Cycles of one party, each acquisition with its time, until it is told to stop.
void work(party const& who, tally& into, phases const& now);

/// Runs each on a thread of its own for the time given, after a short warm-up. value: cycles per second of all together.
measurement run_workers(work_meter const& at, std::vector<party> const& workers, std::chrono::milliseconds period);

/// The same for work that is not one party's cycles: counts into the tally until it is told to stop.
using loop = std::function<void(tally& into, phases const& now)>;
measurement run_loops(work_meter const& at, std::vector<loop> const& loops, std::chrono::milliseconds period);

} // namespace redlatch::bench
