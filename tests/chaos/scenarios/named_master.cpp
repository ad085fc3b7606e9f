// A master that stays the one that was named, and a replica that may have to confirm locks.
#include "named_master.hpp"

#include "scenario.hpp"

namespace redlatch::chaos {

using namespace std::chrono_literals;
using loss = expectation::loss;
using data = test::redis_server::data;

namespace {

scenario of_named_master(std::string const& name) {
    scenario result;
    result.name = "masterSlave: " + name;
    result.group = scenario::where::master_slave;
    result.servers = [] { return std::make_unique<named_master>(); };
    return result;
}

void crash_and_come_back(stage& at) {
    auto& master = at.on<named_master>().master();
    at.holder();
    at.waiters();
    at.fault([&] { master.kill9(); });
    stage::during(1s);
    master.restart(data::kept);
    at.healed();
}

void promote_one_that_is_not_named(stage& at) {
    auto& servers = at.on<named_master>();
    at.holder();
    at.waiters();
    at.fault([&] {
        servers.master().kill9();
        servers.replica().run("REPLICAOF", "NO", "ONE");
    });
    stage::during(5s);
    at.healed(); // first: once it runs, somebody has the lock
    servers.master().restart(data::kept);
}

void stop_replica(stage& at, milliseconds length) {
    auto& replica = at.on<named_master>().replica();
    at.fault([&] { replica.pause(); });
    stage::during(length);
    at.healed(); // first: what it has to confirm is confirmed at once
    replica.resume();
}

} // namespace

std::vector<scenario> master_slave_scenarios() {
    auto back = of_named_master("master crashes, data kept");
    back.done = "`kill -9` of the master, 1 s later a restart with its data (`appendfsync always`)";
    back.promised = "the holder keeps the lock, the waiters go on waiting";
    back.expected = {.of_holds = loss::never};
    back.act = crash_and_come_back;

    auto other = of_named_master("another master takes over");
    other.done = "`kill -9` of the master, its replica is promoted; 5 s later the named master is back with its data";
    other.promised =
        "nobody takes the lock from a server that was not named as the master; the holder is told before its key "
        "can expire; the first to come back has the lock";
    other.expected = {.of_holds = loss::always, .notice = 3000ms, .last_entry = 0ms};
    other.act = promote_one_that_is_not_named;

    auto held = of_named_master("replica stopped while held");
    held.done =
        "SIGSTOP of the replica for 5 s, with `replica_policy::at_least(1)`; Redisson waits for replicas by its "
        "default";
    held.promised = "the holder keeps the lock: renewals wait for no replica. The waiters go on waiting";
    held.expected = {.of_holds = loss::never};
    held.act = [](stage& at) {
        at.holder();
        at.waiters();
        stop_replica(at, 5s);
    };
    held.replicas = 1;

    auto contended = of_named_master("replica stopped under load");
    contended.done = "the same for 4 s, with 6 threads contending";
    contended.promised = "nobody is given a lock that the replica does not confirm, and nothing is left held";
    contended.expected = {.of_holds = loss::never, .last_entry = 200ms};
    contended.act = [](stage& at) {
        at.traffic(3, 2);
        stop_replica(at, 4s);
    };
    contended.replicas = 1;
    return {std::move(back), std::move(other), std::move(held), std::move(contended)};
}

} // namespace redlatch::chaos
