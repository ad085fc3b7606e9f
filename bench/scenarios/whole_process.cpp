#include "measure/client_cpu.hpp"
#include "measure/metering.hpp"
#include "measure/spawn.hpp"
#include "scenarios/scenarios.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace redlatch::bench {

namespace {

constexpr char const* limits_of_whole_process =
    "beside the command a guard is made, a process that ends the command if the tool is killed; and connecting "
    "asks the server who we are (for the predecessor kill), a round trip that the floor does not make.";

/// The median of many runs, one after the other.
measurement time_runs(server const& at, std::vector<std::string> const& command, std::chrono::milliseconds period) {
    int const runs = std::max(5, static_cast<int>(period.count() / 5));
    counters_of_clients const clients{[&] { return std::vector{static_cast<double>(runs)}; }, own_cpu_seconds};
    auto begin = take(at, clients);
    begin.cycles = {0};
    std::vector<double> milliseconds;
    for (int run = 0; run < runs; ++run) {
        auto const began = std::chrono::steady_clock::now();
        int const status = run_command(command);
        milliseconds.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
        if (status != 0) throw std::runtime_error(command[0] + " ended with status " + std::to_string(status));
    }
    auto result = between(begin, take(at, clients));
    result[figure::value] = median(milliseconds);
    result[figure::p99] = percentile(milliseconds, 0.99);
    return result;
}

} // namespace

std::vector<scenario> whole_process(stage const& on) {
    std::vector<scenario> result;
    for (auto const& where : {on.at.tcp(), on.at.unix_socket()}) {
        auto const& tool = on.wanted.tool;
        auto const uri = where.uri();
        auto const floor_place = where.is_unix() ? where.path : std::to_string(where.port);
        auto const lock_file = std::filesystem::path(on.at.unix_socket().path).parent_path() / "flock";
        auto const timed = [&at = on.at](std::vector<std::string> command) {
            return [&at, command = std::move(command)](std::chrono::milliseconds period) {
                return time_runs(at, command, period);
            };
        };
        scenario one{where.is_unix() ? "run NAME -- true, Unix socket" : "run NAME -- true, TCP", "ms", false, {}};
        one.floor = "C with hiredis, scripts";
        one.limits = limits_of_whole_process;
        one.contenders = {
            {"redlatch run",
             [uri, run = timed({tool, "run", "bench:run", "--", "true"})](auto period) {
                 ::setenv("REDLATCH_SERVER", uri.c_str(), 1);
                 return run(period);
             },
             {at_most(1.15, one.floor)}},
            {"redlatch run --server URI", timed({tool, "run", "--server", uri, "bench:run", "--", "true"})},
            {one.floor, timed({on.wanted.floor, floor_place, "bench:run", "true"})},
            {"flock FILE true", timed({"flock", lock_file, "true"})},
            {"true alone", timed({"true"})}};
        result.push_back(std::move(one));
    }
    return result;
}

} // namespace redlatch::bench
