#include "floor/pipeline.hpp"
#include "measure/workers.hpp"
#include "scenarios/asio_chains.hpp"
#include "scenarios/contenders.hpp"
#include "scenarios/cycle_chain.hpp"

#include <memory>
#include <thread>

namespace redlatch::bench {

namespace {

constexpr char const* limits_of_in_flight =
    "the floor sends bytes that were made before the clock ran; ours makes a tenure, a validity, two completions "
    "and two commands with an owner of their own for each cycle, some 17,000 instructions with a flat profile "
    "(docs/instructions.md: mutexes 4 %, memory 9 %, the clock 2 %).";

contender pipelined(stage const& on, form which, int count) {
    return {"one pipeline, " + name_of(which), [=, &at = on.at](std::chrono::milliseconds period) {
                pipeline cycles(at.tcp(), which, count, "bench");
                auto const turns = [&](tally& into, phases const& now) {
                    while (!now.stop.load(std::memory_order_relaxed)) into.cycles += cycles.turn();
                    cycles.finish();
                };
                return run_loops(at, {turns}, period);
            }};
}

contender ours_by_callbacks(stage const& on, int count, our_way const& way, std::vector<aim> aims) {
    return {way.title,
            [=, &at = on.at](std::chrono::milliseconds period) {
                client locks(settings_for(at.tcp(), way));
                auto const chains = [&](tally& into, phases const& now) {
                    cycle_chains(locks, count, into, now).run();
                };
                return run_loops(at, {chains}, period);
            },
            std::move(aims)};
}

#ifdef REDLATCH_BENCH_ASIO
contender ours_by_asio(stage const& on, int count, our_way const& way, std::vector<aim> aims) {
    return {way.title,
            [=, &at = on.at](std::chrono::milliseconds period) {
                auto const chains = [&](tally& into, phases const& now) {
                    run_asio_chains(settings_for(at.tcp(), way), count, into, now);
                };
                return run_loops(at, {chains}, period);
            },
            std::move(aims)};
}
#endif

std::vector<aim> aims_for(form which) {
    auto const floor = "one pipeline, " + name_of(which);
    std::vector<aim> result{at_least(0.85, floor), at_most(2, floor, figure::client_cpu)};
    if (which == form::plain) {
        result.push_back(at_least(4, "Redisson, tuned"));
        result.push_back(at_least(1.5, "rslock"));
    }
    return result;
}

} // namespace

std::vector<scenario> in_flight(stage const& on) {
    std::vector<scenario> result;
    for (int const count : {64, 256}) {
        scenario one{std::to_string(count) + " asynchronous cycles in flight", "cycles/s", true, {}};
        one.floor = "one pipeline, " + name_of(form::plain);
        one.limits = limits_of_in_flight;
        our_way const plain{};
        our_way const scripts{.title = "redlatch, scripts", .commands = command_set::scripts};
#ifdef REDLATCH_BENCH_ASIO
        one.contenders = {ours_by_asio(on, count, plain, aims_for(form::plain)),
                          ours_by_asio(on, count, scripts, aims_for(form::scripts)),
                          ours_by_callbacks(on, count, {.title = "redlatch, handlers on its notifier thread"}, {})};
#else
        one.contenders = {ours_by_callbacks(on, count, plain, aims_for(form::plain)),
                          ours_by_callbacks(on, count, scripts, aims_for(form::scripts))};
#endif
        for (auto const which : {form::plain, form::scripts}) one.contenders.push_back(pipelined(on, which, count));
        for (auto& other : peer_contenders(on, "own_async", count)) one.contenders.push_back(std::move(other));
        result.push_back(std::move(one));
    }
    return result;
}

} // namespace redlatch::bench
