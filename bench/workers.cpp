#include "workers.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <sys/resource.h>
#include <thread>

namespace redlatch::bench {

namespace {

/// A cache line of its own for each worker.
struct alignas(64) counter {
    std::atomic<std::uint64_t> value{0};
};

struct snapshot {
    std::vector<double> cycles;
    server_work work;
    double client_cpu;
    std::chrono::steady_clock::time_point when;
};

snapshot take(server const& at, std::vector<counter> const& counters) {
    snapshot result{{}, at.work(), client_cpu_seconds(), std::chrono::steady_clock::now()};
    for (auto const& one : counters)
        result.cycles.push_back(static_cast<double>(one.value.load(std::memory_order_relaxed)));
    return result;
}

double seconds(timeval const& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

} // namespace

double client_cpu_seconds() {
    double result = 0;
    for (auto const who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage used{};
        ::getrusage(who, &used);
        result += seconds(used.ru_utime) + seconds(used.ru_stime);
    }
    return result;
}

measurement run_workers(server const& at, std::vector<cycle> workers, std::chrono::milliseconds period) {
    std::vector<counter> counters(workers.size());
    std::atomic<bool> stop = false;
    std::mutex mutex;
    std::exception_ptr problem;
    std::vector<std::jthread> threads;
    for (std::size_t which = 0; which < workers.size(); ++which)
        threads.emplace_back([&, which] {
            try {
                std::uint64_t done = 0;
                while (!stop.load(std::memory_order_relaxed)) {
                    workers[which]();
                    counters[which].value.store(++done, std::memory_order_relaxed);
                }
            } catch (...) {
                std::lock_guard const guard(mutex);
                problem = std::current_exception();
            }
        });
    std::this_thread::sleep_for(period / 5);
    auto const begin = take(at, counters);
    std::this_thread::sleep_for(period);
    auto const end = take(at, counters);
    stop = true;
    threads.clear();
    if (problem) std::rethrow_exception(problem);

    std::vector<double> each(workers.size());
    std::ranges::transform(end.cycles, begin.cycles, each.begin(), std::minus<>{});
    double const all = std::accumulate(each.begin(), each.end(), 0.0);
    double const elapsed = std::chrono::duration<double>(end.when - begin.when).count();
    measurement result{.value = all / elapsed,
                       .commands = (end.work.commands - begin.work.commands) / all,
                       .server_cpu = (end.work.cpu_seconds - begin.work.cpu_seconds) / all * 1e6,
                       .client_cpu = (end.client_cpu - begin.client_cpu) / all * 1e6};
    if (each.size() > 1) result.spread = std::ranges::max(each) / std::max(1.0, std::ranges::min(each));
    return result;
}

} // namespace redlatch::bench
