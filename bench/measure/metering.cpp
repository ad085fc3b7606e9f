#include "measure/metering.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <thread>

namespace redlatch::bench {

look take(work_meter const& at, counters_of_clients const& clients) {
    return {clients.cycles(), clients.cpu_seconds(), at.work(), std::chrono::steady_clock::now()};
}

void pass(std::chrono::milliseconds period, counters_of_clients const& clients) {
    auto const sum = [](std::vector<double> const& cycles) {
        return std::accumulate(cycles.begin(), cycles.end(), 0.0);
    };
    auto const begin = clients.cycles();
    // One more than there are workers, so that one of them has begun and ended one.
    auto const enough = sum(begin) + static_cast<double>(begin.size()) + 1;
    std::this_thread::sleep_for(period);
    auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (sum(clients.cycles()) < enough && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

measurement between(look const& begin, look const& end, double settled) {
    std::vector<double> each(end.cycles.size());
    std::ranges::transform(end.cycles, begin.cycles, each.begin(), std::minus<>{});
    // One cycle at least: a period may be too short for a slow peer.
    double const counted = std::max(1.0, std::accumulate(each.begin(), each.end(), 0.0));
    double const all = counted + settled;
    double const elapsed = std::chrono::duration<double>(end.when - begin.when).count();
    measurement result{{figure::value, counted / elapsed},
                       {figure::server_cpu, (end.work.cpu_seconds - begin.work.cpu_seconds) / all * 1e6},
                       {figure::client_cpu, (end.client_cpu - begin.client_cpu) / all * 1e6}};
    auto& by_name = result.calls.emplace();
    for (auto const& [name, count] : end.work.calls) {
        auto const before = begin.work.calls.find(name);
        double const calls = count - (before == begin.work.calls.end() ? 0 : before->second);
        if (calls > 0) by_name[name] = calls / all;
    }
    if (each.size() > 1) result[figure::spread] = std::ranges::max(each) / std::max(1.0, std::ranges::min(each));
    return result;
}

} // namespace redlatch::bench
