#include "floor/fifo_queue.hpp"
#include "floor/raw_locker.hpp"
#include "floor/waiting_locker.hpp"
#include "measure/processes.hpp"
#include "measure/workers.hpp"
#include "scenarios/contenders.hpp"

#include <memory>
#include <unistd.h>

namespace redlatch::bench {

namespace {

constexpr char const* limits_of_threads =
    "in strict order each cycle wakes one thread that slept: a system call, and a switch.";
constexpr char const* limits_of_processes =
    "each release is told to all processes; those that do not yield wake, ask and are refused.";

/// Fairness shows over a second.
constexpr std::chrono::milliseconds usual_period{1000};

contender queued_in_process(stage const& on, form which, int threads) {
    return {"raw sockets behind a queue, " + name_of(which), [=, &at = on.at](std::chrono::milliseconds period) {
                auto const queue = std::make_shared<fifo_queue>();
                std::vector<party> workers;
                for (int worker = 0; worker < threads; ++worker) {
                    auto const locker =
                        std::make_shared<raw_locker>(at.tcp(), which, "bench:shared", "raw:" + std::to_string(worker));
                    workers.push_back({[=] {
                                           queue->enter();
                                           locker->acquire();
                                       },
                                       [=] {
                                           locker->release();
                                           queue->leave();
                                       }});
                }
                return run_workers(at, workers, period);
            }};
}

party waiting(address const& where, form which, std::string const& owner) {
    auto const locker = std::make_shared<waiting_locker>(where, which, "bench:shared", owner);
    return {[=] { locker->acquire(); }, [=] { locker->release(); }};
}

contender each_for_itself(stage const& on, form which, int threads) {
    return {"raw, a subscription each, " + name_of(which), [=, &at = on.at](std::chrono::milliseconds period) {
                std::vector<party> workers;
                for (int worker = 0; worker < threads; ++worker)
                    workers.push_back(waiting(at.tcp(), which, "raw:" + std::to_string(worker)));
                return run_workers(at, workers, period);
            }};
}

contender in_processes(stage const& on, std::string const& title, int processes, std::function<party()> const& maker,
                       std::vector<aim> aims) {
    return {title,
            [=, &at = on.at](std::chrono::milliseconds period) {
                return run_processes(at, std::vector(static_cast<std::size_t>(processes), maker), period);
            },
            std::move(aims)};
}

scenario threads_on_one_lock(stage const& on, int threads) {
    scenario one{std::to_string(threads) + " threads, one lock", "cycles/s", true, {}};
    one.floor = "raw sockets behind a queue, plain";
    one.limits = limits_of_threads;
    one.usual_period = usual_period;
    auto const where = on.at.tcp();
    one.contenders = {our_threads(on, where, threads, one_for_all(), {},
                                  {at_least(50, "Redisson"), at_most(1.5, figure::spread),
                                   at_most(threads == 8 ? 500 : 3000, figure::p99)}),
                      our_threads(on, where, threads, one_for_all(), {.title = "redlatch, strict", .strict = true},
                                  {at_least(15, "Redisson"), at_most(1.05, figure::spread)}),
                      queued_in_process(on, form::plain, threads), queued_in_process(on, form::scripts, threads),
                      each_for_itself(on, form::scripts, threads)};
    for (auto& other : peer_contenders(on, "shared", threads)) one.contenders.push_back(std::move(other));
    return one;
}

/// Eight JVMs take a minute to get warm: once is enough.
void add_peers(scenario& to, stage const& on, std::string const& they_know_it_as, int processes) {
    if (on.is("together")) return;
    for (auto& other : peer_contenders(on, they_know_it_as, 1, processes))
        if (other.name != "Redisson, tuned") to.contenders.push_back(std::move(other));
}

scenario processes_on_one_lock(stage const& on, int processes) {
    scenario one{std::to_string(processes) + " processes, one lock", "cycles/s", true, {}};
    one.floor = "raw, a subscription each, plain";
    one.limits = limits_of_processes;
    one.usual_period = usual_period;
    auto const where = on.at.tcp();
    auto const ours_with = [where](our_way const& way) {
        return [=] { return ours(client(settings_for(where, way)), "bench:shared", false); };
    };
    auto const floor_with = [where](form which) {
        return [=] { return waiting(where, which, "raw:" + std::to_string(::getpid())); };
    };
    auto const aims_beside = [](std::string const& floor) {
        return std::vector<aim>{at_least(0.7, floor), at_most(4, figure::commands), at_most(2, figure::spread)};
    };
    one.contenders = {in_processes(on, "redlatch", processes, ours_with({}), aims_beside(one.floor)),
                      in_processes(on, "redlatch, scripts", processes, ours_with({.commands = command_set::scripts}),
                                   aims_beside("raw, a subscription each, scripts")),
                      in_processes(on, "raw, a subscription each, plain", processes, floor_with(form::plain), {}),
                      in_processes(on, "raw, a subscription each, scripts", processes, floor_with(form::scripts), {})};
    add_peers(one, on, "shared", processes);
    return one;
}

/// First come, first served.
scenario processes_in_order(stage const& on, int processes) {
    scenario one{std::to_string(processes) + " processes, one lock, fair", "cycles/s", true, {}};
    one.floor = "re-entrant";
    one.limits = limits_of_fair_locks;
    one.usual_period = usual_period;
    auto const where = on.at.tcp();
    auto const ours_of = [where](lock_maker const& kind) {
        return [=] { return ours(client(settings_for(where, {})), "bench:shared", false, kind); };
    };
    one.contenders = {
        in_processes(on, "redlatch", processes, ours_of(fair), {at_least(2, "Redisson"), at_most(1.1, figure::spread)}),
        in_processes(on, one.floor, processes, ours_of(re_entrant), {})};
    add_peers(one, on, "shared.fair", processes);
    return one;
}

} // namespace

std::vector<scenario> one_lock(stage const& on) {
    return {threads_on_one_lock(on, 8), threads_on_one_lock(on, 64), processes_on_one_lock(on, 8),
            processes_in_order(on, 8)};
}

} // namespace redlatch::bench
