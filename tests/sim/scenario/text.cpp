#include "sim/scenario/scenario.hpp"

#include <array>

namespace redlatch::sim {
namespace {

constexpr std::array fault_names{
    "cut",           "cut, late bytes", "block up",      "block down",     "block both",   "slow",
    "refuse",        "stop process",    "kill process",  "stop server",    "restart kept", "restart lost",
    "failover",      "flush scripts",   "remove key",    "force unlock",   "loading",      "read only",
    "out of memory", "kill clients",    "half open",     "close client",   "no replicas",  "disk error",
    "busy",          "rights taken",    "buffer full",   "no descriptors", "no memory",    "no threads",
    "half sent",     "migrate slot",    "lose master",   "part master",    "wrong hosts",  "cluster down",
    "part replica",  "slow replica",    "switch master", "part sentinel",  "stop sentinel"};
constexpr std::array kinds{"reentrant", "non_reentrant",     "spin",  "fenced",   "fair",  "read_write",
                           "semaphore", "permit_semaphore",  "latch", "election", "multi", "faster_multi",
                           "red",       "non_reentrant_fair"};
constexpr std::array ways{"for ever", "timed", "once", "asynchronous", "cancelled"};
constexpr std::array ends{"release", "detached", "destroyed", "asynchronous release"};

std::string ms(std::int64_t count) {
    return std::to_string(count) + " ms";
}

std::string to_text(replica_policy const& what) {
    constexpr std::array shortages{"", ", or given back", ", or accepted"};
    return (what.replicas == replica_policy::all_connected ? "all" : std::to_string(what.replicas))
           + (what.required > 0 ? ", " + std::to_string(what.required) + " are enough" : "") + " within "
           + ms(what.time.count()) + shortages.at(static_cast<std::size_t>(what.shortage))
           + (what.retries > 0 ? ", again " + std::to_string(what.retries) + " times" : "")
           + (what.needs_wait ? "" : ", without WAIT too");
}

} // namespace

std::string to_text(fault const& what) {
    return std::string(fault_names.at(static_cast<std::size_t>(what.what))) + " (process "
           + std::to_string(what.process) + ", lock-" + std::to_string(what.lock) + ", for " + ms(what.lasts)
           + ", strength " + ms(what.strength)
           + (what.server == every_server ? ", every server"
              : what.server > 0           ? ", server " + std::to_string(what.server)
                                          : "")
           + (what.way > 0 ? ", way " + std::to_string(what.way) : "") + ")";
}

std::string to_text(topology what) {
    constexpr std::array names{"single", "cluster", "replicas", "sentinel"};
    return names.at(static_cast<std::size_t>(what));
}

std::string to_text(scenario const& what) {
    auto text =
        "seed " + std::to_string(what.seed) + ": " + std::to_string(what.processes) + " processes, "
        + std::to_string(what.locks) + " locks (" + kinds.at(static_cast<std::size_t>(what.locks_are))
        + (what.locks_are == lock_kind::semaphore && what.exactly_once() ? ", exactly once" : "") + "), watchdog "
        + ms(what.watchdog) + ", timeout " + ms(what.timeout) + (what.kill_refused ? ", CLIENT KILL refused" : "")
        + (what.evalsha_refused ? ", EVALSHA refused" : "") + (what.restore_refused ? ", RESTORE refused" : "")
        + (what.scripts_only ? ", scripts only" : "") + (what.one_by_one ? ", commands arrive one by one" : "")
        + (what.lazily ? ", connected lazily" : "") + (what.fail_fast ? ", calls fail fast" : "")
        + (what.hands_over ? what.strictly ? ", strict hand-off" : ", hand-off" : "")
        + (what.detached_unlock ? ", detached unlocking" : "") + (what.subscribe_refused ? ", SUBSCRIBE refused" : "")
        + (what.publish_refused ? ", PUBLISH refused" : "") + ", drift of the server "
        + std::to_string(what.server_drift) + " ppm\n";
    if (what.is_cluster())
        text += "  a cluster of " + std::to_string(what.masters) + " masters, the lowest slots are of "
                + std::to_string(what.first_share) + (what.is_whole ? ", whole or down" : "")
                + (what.shards_known ? "" : ", without messages of shards") + ", clients ask "
                + std::to_string(what.named_first) + " first"
                + (what.of_one_slot > 0 ? ", " + std::to_string(what.of_one_slot) + " locks have one slot" : "") + "\n";
    if (what.replicas > 0 || what.has_replicas())
        text += "  " + std::to_string(what.replicas) + " replicas, to which a change takes up to "
                + std::to_string(what.replica_delay) + " us" + (what.wait_refused ? ", WAIT refused" : "") + "\n";
    int number = 0;
    for (auto const& one : what.workers) {
        text += "  worker " + std::to_string(number++) + " of process " + std::to_string(one.process)
                + (what.redisson.contains(one.process) ? ", which is Redisson's\n" : "\n");
        for (auto const& each : one.jobs) {
            text += "    lock-" + std::to_string(each.lock) + " " + ways.at(static_cast<std::size_t>(each.asks))
                    + " after " + ms(each.pause);
            if (each.asks == job::how::timed || each.asks == job::how::cancelled) text += ", within " + ms(each.wait);
            if (each.lease) text += ", lease " + ms(*each.lease);
            if (each.max_hold) text += ", max_hold " + ms(*each.max_hold);
            if (each.hold_at_least) text += ", hold_at_least " + ms(*each.hold_at_least);
            if (each.confirmed) text += ", confirmed by " + to_text(*each.confirmed);
            text += ", held " + ms(each.hold)
                    + (each.entries > 1 ? ", " + std::to_string(each.entries) + " entries" : "")
                    + (each.by_thread ? each.thread_ends ? ", by a thread that ends" : ", by its thread" : "")
                    + (each.inner_lease ? " (the inner ones with lease " + ms(*each.inner_lease) + ")" : "") + ", "
                    + ends.at(static_cast<std::size_t>(each.ends)) + '\n';
        }
    }
    for (auto const& one : what.workers)
        if (one.then)
            text += "  a worker of process " + std::to_string(one.process) + " then takes locks until "
                    + ms(one.then->until) + ", each for " + std::to_string(one.then->hold_us) + " us after "
                    + std::to_string(one.then->pause_us) + " us\n";
    for (auto const& one : what.faults) text += "  at " + ms(one.at) + ": " + to_text(one) + '\n';
    return text;
}

} // namespace redlatch::sim
