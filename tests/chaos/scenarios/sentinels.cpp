// A master with a replica that three Sentinels watch.
#include "scenarios/masters_lost.hpp"
#include "watched_master.hpp"

namespace redlatch::chaos {

namespace {

std::string const servers_among_themselves = "127.0.2.";

void cut_master_off(stage& at, packet_filter const& filter) {
    auto& servers = at.on<watched_master>();
    filter.drop_between_servers(servers.master_source(), servers_among_themselves + "0/24",
                                {servers.master().address().port});
}

} // namespace

std::vector<scenario> sentinel_scenarios() {
    arrangement const sentinels{"Sentinel", scenario::where::sentinel,
                                [] { return std::make_unique<watched_master>(); }};
    auto all = scenarios_of_a_lost_master(sentinels);
    arrangement const apart{sentinels.name, sentinels.group,
                            [] { return std::make_unique<watched_master>(servers_among_themselves); }};
    for (auto& one : scenarios_of_a_cut_off_master(
             apart, "packets between the master and its replica and all Sentinels dropped until the replica is elected",
             cut_master_off))
        all.push_back(std::move(one));
    auto by_hand = with_election(sentinels, "failover by hand");
    by_hand.done =
        "`SENTINEL FAILOVER` while the lock is held and replicated; the old master goes on as a master for some "
        "seconds";
    by_hand.promised = promised_after_election(replication::up_to_date);
    by_hand.expected = after_election(replication::up_to_date);
    by_hand.act = [](stage& at) {
        auto& servers = at.on<watched_master>();
        at.holder();
        at.waiters();
        servers.wait_until_replicated(stage::lock);
        at.fault([&] { servers.fail_over_by_hand(); });
        servers.wait_for_election();
        at.healed();
    };
    all.push_back(std::move(by_hand));
    return all;
}

} // namespace redlatch::chaos
