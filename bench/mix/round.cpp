#include "mix/round.hpp"

#include "measure/client_cpu.hpp"
#include "measure/metering.hpp"
#include "mix/worker.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace redlatch::bench {

namespace {

using namespace std::chrono_literals;

constexpr auto longest_settling = 10s;
constexpr int windows_without_gain = 2;
constexpr double gain = 1.05;
constexpr auto patience = 120s; // a few hundred processes on a busy machine take a while to connect

void await_all(mix_board const& board, mix_cast& cast) {
    auto const until = std::chrono::steady_clock::now() + patience;
    while (board.heading().ready < static_cast<int>(board.workers())) {
        for (auto const& each : cast.processes) each->must_run();
        if (std::chrono::steady_clock::now() > until) throw std::runtime_error("the workers of a mix are not ready");
        std::this_thread::sleep_for(1ms);
    }
}

std::vector<double> cycles_of(mix_board const& board) {
    std::vector<double> result;
    for (std::size_t place = 0; place < board.workers(); ++place)
        result.push_back(static_cast<double>(board.worker(place).cycles.load()));
    return result;
}

double sum_of(std::vector<double> const& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Until the rate does not grow any more: what is new to all, as code that has to be compiled, is then done.
void settle(mix_board const& board, std::chrono::milliseconds period) {
    auto const until = std::chrono::steady_clock::now() + longest_settling;
    double most = 0;
    int without_gain = 0;
    for (auto before = sum_of(cycles_of(board)); without_gain < windows_without_gain;) {
        std::this_thread::sleep_for(period / 5);
        auto const now = sum_of(cycles_of(board));
        without_gain = now - before > gain * most ? 0 : without_gain + 1;
        most = std::max(most, now - before);
        before = now;
        if (std::chrono::steady_clock::now() > until) return;
    }
}

/// The busiest by the laziest, where there are several.
std::optional<double> spread_of_clients(std::vector<double> const& cycles, std::vector<int> const& clients) {
    std::vector<double> sums;
    auto next = cycles.begin();
    for (int const count : clients) {
        sums.push_back(std::accumulate(next, next + count, 0.0));
        next += count;
    }
    if (sums.size() < 2) return std::nullopt;
    return std::ranges::max(sums) / std::max(1.0, std::ranges::min(sums));
}

} // namespace

measurement play_mix(server const& at, mix_board const& board, mix_cast& cast, std::chrono::milliseconds period) {
    await_all(board, cast);
    counters_of_clients const clients{[&] { return cycles_of(board); },
                                      [&] {
                                          double sum = 0;
                                          for (auto const& each : cast.processes) sum += cpu_seconds_of(each->pid());
                                          return sum;
                                      }};
    auto& phase = board.heading().phase;
    phase = mix_phase::settling;
    settle(board, period);
    auto const begin = take(at, clients);
    phase = mix_phase::measuring;
    std::this_thread::sleep_for(period);
    auto const guests = static_cast<std::size_t>(cast.guests);
    auto const hosts = board.workers() - guests;
    auto const now = monotonic_now();
    auto const milliseconds = [](std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; };
    double const longest = milliseconds(longest_wait(board, 0, hosts, now));
    double const longest_of_guests = milliseconds(longest_wait(board, hosts, guests, now));
    auto const end = take(at, clients);
    phase = mix_phase::stopping;
    for (auto const& each : cast.processes) each->finish();

    auto result = between(begin, end);
    std::vector<double> cycles(end.cycles.size());
    std::ranges::transform(end.cycles, begin.cycles, cycles.begin(), std::minus<>{});
    result[figure::longest] = longest;
    if (board.locks() == 1)
        result[figure::longest_rounds] = longest / 1e3 * result.value() / static_cast<double>(board.workers());
    if (guests > 0) {
        result[figure::guest_share] =
            100 * std::accumulate(cycles.end() - cast.guests, cycles.end(), 0.0) / std::max(1.0, sum_of(cycles));
        result[figure::guest_longest] = longest_of_guests;
        // They are measured by their share.
        cycles.resize(hosts);
        result[figure::spread] = std::ranges::max(cycles) / std::max(1.0, std::ranges::min(cycles));
    }
    result[figure::process_spread] = spread_of_clients(cycles, cast.clients);
    result[figure::overlaps] = board.heading().overlaps.load();
    return result;
}

} // namespace redlatch::bench
