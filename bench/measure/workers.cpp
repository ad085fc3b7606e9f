#include "measure/workers.hpp"

#include "measure/client_cpu.hpp"
#include "measure/metering.hpp"

#include <exception>
#include <mutex>
#include <thread>

namespace redlatch::bench {

void work(party const& who, tally& into, phases const& now) {
    using clock = std::chrono::steady_clock;
    std::uint64_t done = 0;
    while (!now.stop.load(std::memory_order_relaxed)) {
        auto const began = clock::now();
        who.acquire();
        if (now.measuring.load(std::memory_order_relaxed))
            into.acquisitions.add((clock::now() - began) / std::chrono::nanoseconds(1));
        who.release();
        into.cycles.store(++done, std::memory_order_relaxed);
    }
}

measurement run_workers(work_meter const& at, std::vector<party> const& workers, std::chrono::milliseconds period) {
    std::vector<loop> loops;
    for (auto const& who : workers) loops.push_back([&who](tally& into, phases const& now) { work(who, into, now); });
    return run_loops(at, loops, period);
}

measurement run_loops(work_meter const& at, std::vector<loop> const& loops, std::chrono::milliseconds period) {
    std::vector<tally> tallies(loops.size());
    phases now;
    std::mutex mutex;
    std::exception_ptr problem;
    std::vector<std::jthread> threads;
    for (std::size_t which = 0; which < loops.size(); ++which)
        threads.emplace_back([&, which] {
            try {
                loops[which](tallies[which], now);
            } catch (...) {
                std::lock_guard const guard(mutex);
                problem = std::current_exception();
            }
        });
    counters_of_clients const clients{[&] {
                                          std::vector<double> cycles;
                                          for (auto const& each : tallies)
                                              cycles.push_back(static_cast<double>(each.cycles.load()));
                                          return cycles;
                                      },
                                      own_cpu_seconds};
    std::this_thread::sleep_for(period / 5);
    auto const begin = take(at, clients);
    now.measuring = true;
    pass(period, clients);
    now.measuring = false;
    auto const end = take(at, clients);
    now.stop = true;
    threads.clear();
    if (problem) std::rethrow_exception(problem);

    auto result = between(begin, end);
    latency_histogram acquisitions{};
    for (auto const& each : tallies) acquisitions.add(each.acquisitions);
    if (acquisitions.count() > 0) {
        result[figure::p50] = acquisitions.percentile(0.5);
        result[figure::p99] = acquisitions.percentile(0.99);
    }
    return result;
}

} // namespace redlatch::bench
