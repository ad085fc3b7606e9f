#include "scenarios/masters_lost.hpp"

namespace redlatch::chaos {

using namespace std::chrono_literals;
using loss = expectation::loss;

namespace {

/// An election, and the news of it, are over before it ends.
constexpr milliseconds lease = 6s;

void kill_master(stage& at, replication state) {
    auto& servers = held_and_waited_for(at, state);
    at.fault([&] { servers.master().kill9(); });
    servers.wait_for_election();
    at.healed();
}

/// Before anything but the client's policy has looked for replicas.
void kill_master_at_once(stage& at) {
    auto& servers = at.on<replicated_topology>();
    servers.watch_closely();
    at.holder();
    at.fault([&] { servers.master().kill9(); });
    servers.wait_for_election();
    at.healed();
    servers.wait_until_known();
    at.waiters(); // Redisson's do not start with a Sentinel that names the dead master
}

void kill_master_and_holder(stage& at) {
    auto& servers = at.on<replicated_topology>();
    auto& holder = at.holder();
    at.waiters();
    servers.wait_until_replicated(stage::lock);
    servers.watch_closely();
    at.fault([&] {
        servers.master().kill9();
        at.kill(holder);
    });
    servers.wait_for_election();
    at.healed();
}

void stop_master_until_election(stage& at, replication state) {
    auto& servers = held_and_waited_for(at, state);
    at.fault([&] { servers.master().pause(); });
    servers.wait_for_election();
    servers.wake_stale_master();
    at.healed();
}

} // namespace

scenario with_election(arrangement const& on, std::string const& name) {
    scenario result;
    result.name = on.name + ": " + name;
    result.group = on.group;
    result.servers = on.servers;
    result.lease = lease;
    return result;
}

expectation after_election(replication state) {
    if (state == replication::up_to_date) return {.of_holds = loss::never, .recovery = 5000ms};
    return {.of_holds = loss::always, .exclusion = false, .notice = lease, .together = 1000ms, .recovery = 5000ms};
}

std::string promised_after_election(replication state) {
    return state == replication::up_to_date
               ? "the holder keeps the lock, the waiters go on waiting"
               : "not exclusion: the new master does not know the lock. The holder is told as soon as it is connected "
                 "to it";
}

replicated_topology& held_and_waited_for(stage& at, replication state) {
    auto& servers = at.on<replicated_topology>();
    at.holder();
    at.waiters();
    servers.wait_until_replicated(stage::lock);
    if (state == replication::behind) servers.empty_replica();
    servers.watch_closely();
    return servers;
}

std::vector<scenario> scenarios_of_a_lost_master(arrangement const& on) {
    std::vector<scenario> all;
    auto const add = [&](std::string const& name, std::string done, std::string promised, expectation expected,
                         std::function<void(stage&)> act) -> scenario& {
        auto one = with_election(on, name);
        one.done = std::move(done);
        one.promised = std::move(promised);
        one.expected = expected;
        one.act = std::move(act);
        return all.emplace_back(std::move(one));
    };
    for (auto const state : {replication::up_to_date, replication::behind}) {
        bool const behind = state == replication::behind;
        std::string const replica =
            behind ? "The replica is without the lock, as if it had not reached it yet" : "The replica has the lock";
        std::string const suffix = behind ? ", lock not replicated" : ", lock replicated";
        add("master killed" + suffix, "`kill -9` of the master; its replica " + on.takes_over + ". " + replica,
            promised_after_election(state), after_election(state), [state](stage& at) { kill_master(at, state); });
        add("stale master" + suffix,
            "SIGSTOP of the master until its replica " + on.takes_over + ", then it goes on. " + replica,
            promised_after_election(state), after_election(state),
            [state](stage& at) { stop_master_until_election(at, state); });
    }
    add("master killed, lock confirmed",
        "`kill -9` of the master as soon as the holder has the lock, with `replica_policy::all()`; Redisson waits for "
        "replicas by its default",
        "the holder keeps the lock", after_election(replication::up_to_date), kill_master_at_once)
        .replicas = -1;
    add("master and holder killed",
        "`kill -9` of both while two wait; the replica, which has the lock, " + on.takes_over,
        "free when the lease (6 s) is over; a waiter has it then, from the new master",
        {.of_holds = loss::never, .recovery = lease + 500ms}, kill_master_and_holder);
    return all;
}

std::vector<scenario> scenarios_of_a_cut_off_master(arrangement const& on, std::string const& done,
                                                    std::function<void(stage&, packet_filter const&)> const& cut) {
    std::vector<scenario> both;
    for (auto const state : {replication::up_to_date, replication::behind}) {
        bool const behind = state == replication::behind;
        auto one =
            with_election(on, behind ? "cut-off master, lock not replicated" : "cut-off master, lock replicated");
        one.done = done + "; clients reach all of them. "
                   + (behind ? "The replica is without the lock" : "The replica has the lock");
        one.promised = promised_after_election(state);
        one.expected = after_election(state);
        one.act = [state, cut](stage& at) {
            packet_filter const filter;
            auto& servers = held_and_waited_for(at, state);
            at.fault([&] { cut(at, filter); });
            servers.wait_for_election();
            filter.pass_all();
            at.healed();
        };
        one.needed = scenario::needs::own_network;
        both.push_back(std::move(one));
    }
    return both;
}

} // namespace redlatch::chaos
