// A cluster: masters that are lost or cut off, slots that move.
#include "scenarios/masters_lost.hpp"
#include "sharded_masters.hpp"

namespace redlatch::chaos {

using namespace std::chrono_literals;
using loss = expectation::loss;

namespace {

/// The slot of the lock goes from one master to the other one; with a stay in each state between.
void move_slot(test::redis_cluster& cluster, std::size_t from, std::size_t to, milliseconds stay) {
    auto const slot = test::redis_cluster::slot_of(stage::lock);
    cluster.begin_move(slot, from, to);
    stage::during(stay);
    cluster.move_keys(slot, from, to);
    stage::during(stay);
    cluster.end_move(slot, from, to);
}

void move_once(stage& at) {
    auto& servers = at.on<sharded_masters>();
    at.holder();
    at.waiters();
    at.fault([&] { move_slot(servers.cluster(), servers.owner(), servers.another(), 1500ms); });
    at.healed();
}

void move_under_load(stage& at) {
    auto& servers = at.on<sharded_masters>();
    at.traffic(3, 2);
    at.fault([&] {
        for (int i = 0; i < 4; ++i) {
            move_slot(servers.cluster(), servers.owner(), servers.another(), 100ms);
            move_slot(servers.cluster(), servers.another(), servers.owner(), 100ms);
        }
    });
    at.healed();
}

void cut_master_off(stage& at, packet_filter const& filter) {
    auto& servers = at.on<sharded_masters>();
    auto const index = servers.owner();
    filter.drop_between_servers(test::redis_cluster::source_address(index), test::redis_cluster::node_network,
                                {servers.master().address().port, servers.cluster().bus_port(index)});
}

} // namespace

std::vector<scenario> cluster_scenarios() {
    arrangement const cluster{"cluster", scenario::where::cluster,
                              [] { return std::make_unique<sharded_masters>(stage::lock); }};
    auto all = scenarios_of_a_lost_master(cluster);
    for (auto& one : scenarios_of_a_cut_off_master(
             cluster, "packets between the master and all other nodes dropped until its replica is elected",
             cut_master_off))
        all.push_back(std::move(one));
    auto moved = with_election(cluster, "slot moved while held");
    moved.done = "the slot of the lock goes to another master, in 3 s, while the lock is held, renewed and waited for";
    moved.promised = "the holder keeps the lock, the waiters go on waiting";
    moved.expected = {.of_holds = loss::never, .recovery = 3000ms};
    moved.act = move_once;
    moved.lease = worker_settings{}.watchdog;
    all.push_back(std::move(moved));
    auto loaded = with_election(cluster, "slot moved under load");
    loaded.done = "eight times, to and fro, with 6 threads contending";
    loaded.promised = "no loss, never two at once, no wake-up lost";
    loaded.expected = {.of_holds = loss::never};
    loaded.act = move_under_load;
    loaded.lease = worker_settings{}.watchdog;
    all.push_back(std::move(loaded));
    return all;
}

} // namespace redlatch::chaos
