// redlatch_bench: ours beside the floors. See options.cpp for its arguments and docs/performance.md for how to read it.
#include "affinity.hpp"
#include "options.hpp"
#include "report.hpp"
#include "scenarios/scenarios.hpp"
#include "surroundings.hpp"

#include <cstdio>
#include <exception>
#include <unistd.h>

namespace redlatch::bench {
namespace {

std::vector<scenario> all_scenarios(server const& at, settings const& wanted) {
    auto result = cycles(at, wanted);
    result.push_back(hand_over(at, wanted));
    if (::access(wanted.tool.c_str(), X_OK) == 0) {
        for (auto& one : whole_process(at, wanted)) result.push_back(std::move(one));
        result.push_back(memory(at, wanted));
    } else {
        std::fprintf(stderr, "redlatch_bench: no tool at %s, so nothing about the tool\n", wanted.tool.c_str());
    }
    return result;
}

report run(settings const& wanted) {
    auto const where = placements();
    server const at(wanted.server);
    report all{surroundings(at), wanted.rounds, wanted.period, {}};
    for (auto const& place : where) {
        if (!wanted.placement.empty() && wanted.placement != place.name) continue;
        pin(at.pid(), place.server_core);
        pin(0, place.client_core);
        for (auto const& one : all_scenarios(at, wanted)) {
            if (one.name.find(wanted.only) == std::string::npos) continue;
            std::fprintf(stderr, "%s: %s\n", place.name.c_str(), one.name.c_str());
            at.flush();
            all.results.push_back(measure(one, place.name, wanted.rounds));
        }
    }
    return all;
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
        switch (wanted->output) {
        case settings::format::text: std::fputs(as_text(all).c_str(), stdout); break;
        case settings::format::json: std::fputs(as_json(all).c_str(), stdout); break;
        case settings::format::markdown: std::fputs(as_markdown(all).c_str(), stdout); break;
        }
    } catch (std::exception const& problem) {
        std::fprintf(stderr, "redlatch_bench: %s\n", problem.what());
        return 70;
    }
    return 0;
}
