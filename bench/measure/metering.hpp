// What a period has cost, from two looks at the counters of the workers, the server and the operating system.
#pragma once

#include "measure/figures.hpp"
#include "measure/work_meter.hpp"

#include <chrono>
#include <functional>
#include <vector>

namespace redlatch::bench {

struct counters_of_clients {
    /// Since they began, of each worker.
    std::function<std::vector<double>()> cycles;
    std::function<double()> cpu_seconds;
};

struct look {
    std::vector<double> cycles;
    double client_cpu;
    server_work work;
    std::chrono::steady_clock::time_point when;
};
look take(work_meter const& at, counters_of_clients const& clients);

/// Sleeps for the period, and on until there have been so many cycles that one of them was whole within it: a busy machine may
/// give the workers nothing for a while. At most ten seconds longer.
void pass(std::chrono::milliseconds period, counters_of_clients const& clients);

/// value: cycles per second of all together. CPU and calls for each cycle, also for the `settled` ones, which were between the
/// looks before cycles counted.
measurement between(look const& begin, look const& end, double settled = 0);

} // namespace redlatch::bench
