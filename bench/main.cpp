// redlatch_bench: ours beside floors and peers. See options.cpp for its arguments and docs/performance.md for how to read it.
#include "measure/affinity.hpp"
#include "measure/machine_load.hpp"
#include "options.hpp"
#include "report/report.hpp"
#include "report/surroundings.hpp"
#include "scenarios/scenarios.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <unistd.h>

namespace redlatch::bench {
namespace {

std::vector<scenario> all_scenarios(stage const& on) {
    std::vector<scenario> result;
    auto const add = [&](std::vector<scenario> some) {
        result.insert(result.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    };
    bool const has_tool = ::access(on.wanted.tool.c_str(), X_OK) == 0;
    if (!on.is("free")) {
        add(one_thread(on));
        add(own_locks(on));
        add(in_flight(on));
        add(one_lock(on));
    }
    // Many processes, each of which runs where there is room.
    if (on.where.name == placements().back().name) add(mix(on));
    add(hand_off(on)); // the one whose figure for a scheduler that is left alone is aimed at
    if (!on.is("free") && has_tool) add(whole_process(on));
    // These are about sums, not about who waits for whom: once is enough.
    if (!on.is("free") && on.where.name == placements().front().name) {
        add(kinds(on));
        add(arrangements(on));
        add(holding(on));
        add(scale(on));
        if (has_tool) add(footprint(on));
    }
    return result;
}

/// Before anything is built or started here. Throws std::runtime_error when a page is wanted and the machine is busy.
machine_load load_before(settings const& wanted) {
    auto const load = look_at_machine(std::chrono::seconds(3));
    auto const processors = static_cast<int>(usable_cores().size());
    if (load.is_quiet(processors)) return load;
    auto const text = "load before the run: " + text_of(load, processors);
    if (wanted.markdown && !wanted.even_if_busy)
        throw std::runtime_error(text + ". Wait until it is quiet, or make the page with --even-if-busy");
    std::fprintf(stderr, "redlatch_bench: %s\n", text.c_str());
    return load;
}

report run(settings const& wanted) {
    auto const load = load_before(wanted);
    if (::access(wanted.tool.c_str(), X_OK) != 0)
        std::fprintf(stderr, "redlatch_bench: no tool at %s, so nothing about the tool\n", wanted.tool.c_str());
    auto const where = placements();
    ::setenv("REDLATCH_TEST_SERVER", wanted.server.c_str(), 1); // what scenarios start themselves
    peers others(wanted);
    server const at(wanted.server);
    report all{surroundings(at, load), wanted.rounds, wanted.period, {}};
    for (auto const& [name, note] : others.notes()) all.surroundings.emplace_back("peer " + name, note);
    for (auto const& place : where) {
        if (!wanted.placement.empty() && wanted.placement != place.name) continue;
        pin(at.pid(), place.server_cores);
        pin(0, place.client_cores);
        others.pin_all(place.client_cores);
        for (auto& each : all_scenarios({at, wanted, others, place})) {
            auto const one = std::move(each); // what it has started ends with it
            if (one.name.find(wanted.only) == std::string::npos) continue;
            std::fprintf(stderr, "%s: %s\n", place.name.c_str(), one.name.c_str());
            at.flush();
            all.results.push_back(measure(at, one, place.name, wanted.rounds, wanted.period));
        }
    }
    return all;
}

void put(std::string const& text, std::string const& where) {
    if (where == "-") {
        std::fputs(text.c_str(), stdout);
        return;
    }
    std::ofstream file(where);
    file << text;
    if (!file.flush()) throw std::runtime_error("cannot write " + where);
}

} // namespace
} // namespace redlatch::bench

int main(int argc, char** argv) {
    using namespace redlatch::bench;
    int status = 0;
    auto const wanted = parse(argc, argv, status);
    if (!wanted) return status;
    try {
        auto const all = run(*wanted);
        if (wanted->json) put(as_json(all), *wanted->json);
        if (wanted->markdown) put(as_markdown(all), *wanted->markdown);
        if (wanted->json != "-" && wanted->markdown != "-") put(as_text(all), "-");
    } catch (std::exception const& problem) {
        std::fprintf(stderr, "redlatch_bench: %s\n", problem.what());
        return 70;
    }
    return 0;
}
