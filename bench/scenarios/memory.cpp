#include "scenarios/scenarios.hpp"
#include "spawn.hpp"

#include <fcntl.h>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <unistd.h>

namespace redlatch::bench {

namespace {

/// A field of /proc/PID/FILE in MB; they are written in kB.
double megabytes(pid_t process, std::string const& file, std::string const& field) {
    std::ifstream status("/proc/" + std::to_string(process) + "/" + file);
    for (std::string text; std::getline(status, text);)
        if (text.starts_with(field + ":")) return std::stod(text.substr(field.size() + 1)) / 1024;
    throw std::runtime_error("/proc/" + std::to_string(process) + "/" + file + " has no " + field);
}

/// Starts a command that says something on stdout once it holds, measures, and ends it.
double while_it_holds(std::vector<std::string> const& command, std::function<double(pid_t)> const& measure) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    background_program const tool(command, ends[1]);
    ::close(ends[1]);
    char byte = 0;
    bool const holds = ::read(ends[0], &byte, 1) == 1;
    ::close(ends[0]);
    if (!holds) throw std::runtime_error(command[0] + " " + command[1] + " ended before it held the lock");
    return measure(tool.pid());
}

} // namespace

scenario memory(server const& at, settings const& wanted) {
    auto const place = at.tcp();
    std::vector<std::string> const command{"sh", "-c", "echo up; exec sleep 60"};
    auto const measured = [&at](std::vector<std::string> const& arguments, std::string const& file,
                                std::string const& field) {
        return [=, &at] {
            at.flush();
            return measurement{.value =
                                   while_it_holds(arguments, [&](pid_t tool) { return megabytes(tool, file, field); })};
        };
    };
    std::vector<std::string> const hold{wanted.tool, "hold", "--server", place.uri(), "bench:held"};
    std::vector<std::string> run{wanted.tool, "run", "--server", place.uri(), "bench:held", "--"};
    std::vector<std::string> floor{wanted.floor, std::to_string(place.port), "bench:held"};
    // The command says that it runs, so the lock is held.
    run.insert(run.end(), command.begin(), command.end());
    floor.insert(floor.end(), command.begin(), command.end());
    return {"memory of a holding tool",
            "MB",
            false,
            3,
            {{"redlatch hold", measured(hold, "status", "VmRSS"), std::nullopt, 15},
             {"redlatch hold, its own share (PSS)", measured(hold, "smaps_rollup", "Pss")},
             {"redlatch run", measured(run, "status", "VmRSS"), std::nullopt, 15},
             {"C with hiredis", measured(floor, "status", "VmRSS")}}};
}

} // namespace redlatch::bench
