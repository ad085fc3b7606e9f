#include "measure/client_cpu.hpp"
#include "measure/metering.hpp"
#include "measure/process_memory.hpp"
#include "measure/spawn.hpp"
#include "peer_process.hpp"
#include "scenarios/scenarios.hpp"

#include <fcntl.h>
#include <functional>
#include <stdexcept>
#include <unistd.h>

namespace redlatch::bench {

namespace {

/// Makes a process hold a lock, and calls the other function meanwhile.
using holding_process = std::function<void(std::function<void(pid_t)> const& look)>;

/// What the server and the operating system show of a process that has connected and holds one lock.
measurement look_at(server const& at, holding_process const& play, std::string const& file, std::string const& field) {
    at.flush();
    int const others = at.connections();
    counters_of_clients const clients{[] { return std::vector{1.0}; }, [] { return 0.0; }};
    auto begin = take(at, clients);
    begin.cycles = {0};
    measurement result;
    play([&](pid_t holder) {
        result.calls = between(begin, take(at, clients)).calls;
        result[figure::client_cpu] = cpu_seconds_of(holder) * 1e6;
        result[figure::value] = memory_of(holder, file, field) / 1e6;
        result[figure::connections] = at.connections() - others;
    });
    return result;
}

contender of_process(stage const& on, std::string const& title, holding_process const& play, std::vector<aim> aims = {},
                     std::string const& file = "status", std::string const& field = "VmRSS") {
    return {title, [=, &at = on.at](std::chrono::milliseconds) { return look_at(at, play, file, field); },
            std::move(aims)};
}

/// A command that says something on stdout once it holds.
holding_process program(std::vector<std::string> const& command) {
    return [=](std::function<void(pid_t)> const& look) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
        background_program const tool(command, {.output = ends[1]});
        ::close(ends[1]);
        char byte = 0;
        bool const holds = ::read(ends[0], &byte, 1) == 1;
        if (holds) look(tool.pid()); // while somebody could still read: the hold ends with its reader
        ::close(ends[0]);
        if (!holds) throw std::runtime_error(command[0] + " " + command[1] + " ended before it held the lock");
    };
}

holding_process peer_program(stage const& on, peer const& who) {
    return [command = who.command_for(on.at.tcp()), log = on.others.log()](std::function<void(pid_t)> const& look) {
        peer_process holder(command, log);
        holder.play("hold", 1);
        holder.begin(std::chrono::milliseconds(0), std::chrono::milliseconds(0));
        holder.await_begun();
        holder.result(); // now it holds
        look(holder.pid());
    };
}

} // namespace

std::vector<scenario> footprint(stage const& on) {
    auto const where = on.at.tcp();
    std::vector<std::string> const command{"sh", "-c", "echo up; exec sleep 60"};
    std::vector<std::string> const hold{on.wanted.tool, "hold", "--server", where.uri(), "bench:held"};
    std::vector<std::string> run{on.wanted.tool, "run", "--server", where.uri(), "bench:held", "--"};
    std::vector<std::string> floor{on.wanted.floor, std::to_string(where.port), "bench:held"};
    // The command says that it runs, so the lock is held.
    run.insert(run.end(), command.begin(), command.end());
    floor.insert(floor.end(), command.begin(), command.end());
    std::vector<aim> const aims{at_most(10), at_most(3, figure::connections), at_most(5, figure::commands)};

    scenario one{"a client that holds a lock", "MB", false, {}};
    one.floor = "C with hiredis, scripts";
    one.contenders = {of_process(on, "redlatch hold", program(hold), aims),
                      of_process(on, "redlatch hold, its own share (PSS)", program(hold), {}, "smaps_rollup", "Pss"),
                      of_process(on, "redlatch run", program(run), aims), of_process(on, one.floor, program(floor))};
    for (auto const& who : on.others.all()) {
        if (!who.can("hold")) continue;
        one.contenders.push_back(of_process(on, who.title, peer_program(on, who)));
        one.contenders.back().is_peer = true;
    }
    return {std::move(one)};
}

} // namespace redlatch::bench
