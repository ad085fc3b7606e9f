// Servers that clients ask for their roles. Nobody watches them but what would be the control plane of a service.
#include "replicated_servers.hpp"

#include "scenarios/masters_lost.hpp"

namespace redlatch::chaos {

using namespace std::chrono_literals;

namespace {

/// Clients ask every second who is the master, and have found another one by then.
constexpr milliseconds found = 2s;

/// For some seconds both say that they are the master.
void promote_beside_master(stage& at) {
    auto& servers = at.on<replicated_servers>();
    at.holder();
    at.waiters();
    servers.wait_until_replicated(stage::lock);
    at.fault([&] { servers.promote_replica(); });
    stage::during(3s);
    servers.demote_old_master();
    at.healed();
}

} // namespace

std::vector<scenario> replicated_scenarios() {
    arrangement const replicated{"replicated", scenario::where::replicated,
                                 [] { return std::make_unique<replicated_servers>(); },
                                 "is promoted 1 s later (`REPLICAOF NO ONE`)"};
    auto all = scenarios_of_a_lost_master(replicated);
    for (auto& each : all) {
        if (each.expected.notice) each.expected.notice = replicated_servers::election + found;
        if (each.name.find("stale master") != std::string::npos)
            each.done += ". The old master is made a replica as soon as it goes on";
    }
    auto beside = with_election(replicated, "replica promoted beside its master");
    beside.done =
        "`REPLICAOF NO ONE` of the replica, which has the lock; the old master goes on as a master for 3 s, and is "
        "made a replica then";
    beside.promised = promised_after_election(replication::up_to_date);
    beside.expected = after_election(replication::up_to_date);
    beside.act = promote_beside_master;
    all.push_back(std::move(beside));
    return all;
}

} // namespace redlatch::chaos
