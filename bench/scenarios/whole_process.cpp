#include "scenarios/scenarios.hpp"
#include "spawn.hpp"
#include "workers.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace redlatch::bench {

namespace {

/// The median of many runs, one after the other.
measurement time_runs(server const& at, std::vector<std::string> const& command, int runs) {
    auto const before = at.work();
    auto const cpu_before = client_cpu_seconds();
    std::vector<double> milliseconds;
    for (int run = 0; run < runs; ++run) {
        auto const began = std::chrono::steady_clock::now();
        int const status = run_command(command);
        milliseconds.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
        if (status != 0) throw std::runtime_error(command[0] + " ended with status " + std::to_string(status));
    }
    auto const after = at.work();
    return {.value = median(milliseconds),
            .p99 = percentile(milliseconds, 0.99),
            .commands = (after.commands - before.commands) / runs,
            .server_cpu = (after.cpu_seconds - before.cpu_seconds) / runs * 1e6,
            .client_cpu = (client_cpu_seconds() - cpu_before) / runs * 1e6};
}

} // namespace

std::vector<scenario> whole_process(server const& at, settings const& wanted) {
    int const runs = std::max(5, static_cast<int>(wanted.period.count() / 5));
    std::vector<scenario> result;
    for (auto const& [title, where] :
         {std::pair{"run NAME -- true, TCP", at.tcp()}, std::pair{"run NAME -- true, Unix socket", at.unix_socket()}}) {
        auto const floor_place = where.is_unix() ? where.path : std::to_string(where.port);
        auto const timed = [&at, runs](std::vector<std::string> command) {
            return [&at, runs, command = std::move(command)] { return time_runs(at, command, runs); };
        };
        auto const ours = timed({wanted.tool, "run", "bench:run", "--", "true"});
        auto const lock_file = std::filesystem::path(at.unix_socket().path).parent_path() / "flock";
        result.push_back({title,
                          "ms",
                          false,
                          2,
                          {{"redlatch run",
                            [ours, uri = where.uri()] {
                                ::setenv("REDLATCH_SERVER", uri.c_str(), 1);
                                return ours();
                            },
                            1.5},
                           {"redlatch run --server URI",
                            timed({wanted.tool, "run", "--server", where.uri(), "bench:run", "--", "true"})},
                           {"C with hiredis", timed({wanted.floor, floor_place, "bench:run", "true"})},
                           {"true alone", timed({"true"})},
                           {"flock FILE true", timed({"flock", lock_file, "true"})}}});
    }
    return result;
}

} // namespace redlatch::bench
