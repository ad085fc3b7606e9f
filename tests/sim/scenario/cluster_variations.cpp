// A scenario of one server, played in a cluster.
#include "sim/scenario/draw_fault.hpp"
#include "sim/scenario/variations.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::sim {
namespace {

using kind = fault::kind;

fault make_cluster_fault(dice& by, scenario const& in) {
    constexpr kind kinds[] = {kind::migrate_slot, kind::migrate_slot, kind::migrate_slot,
                              kind::lose_master,  kind::lose_master,  kind::part_master,
                              kind::part_master,  kind::wrong_hosts,  kind::cluster_down};
    auto one = draw_fault(by, in, kinds, 3'000, 600);
    one.strength = by.one_in(3) ? by.between(1, 30) : by.between(30, at_once);
    auto const is = [&](kind which) { return one.what == which; };
    if (is(kind::migrate_slot)) {
        one.server = by.index(in.masters + 1);
        one.way = by.one_in(2) ? 0 : by.index(migration_ways);
    } else if (is(kind::lose_master) || is(kind::part_master)) {
        one.way = by.index(is(kind::part_master) ? partings : loss_ways);
        one.lasts += by.one_in(4) ? 0 : one.strength;
        if (is(kind::part_master) && by.one_in(3)) one.lasts += by.between(500, 3'000);
    } else {
        if (is(kind::wrong_hosts)) one.way = static_cast<int>(by.between(1, 3));
        one.server = by.one_in(2) ? every_server : by.index(in.masters);
    }
    return one;
}

} // namespace

bool can_be_played(lock_kind kind, topology with) {
    return with == topology::single || (kind != lock_kind::faster_multi && kind != lock_kind::red);
}

bool scenario::only_moves_slots() const {
    return std::all_of(faults.begin(), faults.end(), [](auto const& one) { return one.what == kind::migrate_slot; });
}

bool scenario::only_lacks_memory() const {
    return std::all_of(faults.begin(), faults.end(),
                       [](auto const& one) { return one.what == fault::kind::out_of_memory; });
}

void share_a_slot(scenario& in, bool with_faults) {
    dice by(in.seed * 0x8ebc6af09c88c6e3U + 0x517cc1b7);
    if (!by.one_in(4)) return;
    in.locks = std::max(in.locks, static_cast<int>(by.between(2, 4)));
    in.of_one_slot = by.one_in(3) ? static_cast<int>(by.between(2, in.locks)) : in.locks;
    for (auto& each : in.workers)
        for (auto& one : each.jobs)
            if (by.one_in(2)) one.lock = by.index(in.locks);
    if (!with_faults || !by.one_in(2)) return;
    // On its way for longer than a lease, and mostly nothing else is wrong: whatever is lost then is lost for nothing.
    if (!by.one_in(4)) in.faults.clear();
    fault one;
    one.what = kind::migrate_slot;
    one.at = by.between(1, 2'000);
    one.lasts = by.between(in.watchdog / 2, 6 * in.watchdog);
    one.lock = by.index(in.of_one_slot);
    one.server = by.index(in.masters + 1);
    one.way = by.one_in(2) ? 0 : by.index(migration_ways);
    if (!by.one_in(4)) one.way += migration_ways * static_cast<int>(by.between(1, in.of_one_slot));
    in.faults.push_back(one);
    // Many are held in the beginning, and renewed together; those who wait for them have gone along when they are released.
    bool const outlast = by.one_in(2);
    for (auto& each : in.workers) {
        if (each.jobs.empty() || by.one_in(3)) continue;
        auto& first = each.jobs.front();
        first.lock = by.index(in.of_one_slot);
        first.pause = by.between(0, 2);
        first.hold = outlast ? one.at + one.lasts + by.between(0, 1'000) : by.between(in.watchdog, 4 * in.watchdog);
        first.lease.reset();
        first.max_hold.reset();
    }
}

namespace {

void make_a_cluster(scenario& in, bool with_faults) {
    dice by(in.seed * 0xc2b2ae3d27d4eb4fU + 0x165667b1);
    in.masters = static_cast<int>(by.between(2, 3));
    in.servers = 2 * in.masters + 1;
    in.first_share = by.index(in.masters);
    in.named_first = by.index(in.masters);
    in.is_whole = by.one_in(2);
    in.shards_known = !by.one_in(4);
    in.redisson.clear(); // its peer here knows one server
    if (by.one_in(3)) in.locks = std::max(in.locks, static_cast<int>(by.between(2, 4)));
    for (auto& each : in.workers)
        for (auto& one : each.jobs) one.lock = by.one_in(2) ? one.lock : by.index(in.locks);
    for (auto& one : in.faults) {
        if (one.what == kind::failover) one.what = kind::lose_master;
        if (one.what == kind::read_only) one.what = kind::cluster_down; // a replica of a cluster names its master
        one.server = is_on_a_link(one.what) && !by.one_in(3) ? every_server : by.index(in.masters);
    }
    if (!with_faults || by.one_in(8)) return;
    if (by.one_in(2)) in.faults.clear(); // then it is about the cluster alone
    auto const count = by.between(1, by.one_in(3) ? 4 : 2);
    for (std::int64_t i = 0; i < count; ++i) in.faults.push_back(make_cluster_fault(by, in));
}

} // namespace

void change_topology(scenario& in, topology to, bool with_faults) {
    in.servers_are = to;
    if (to == topology::single) return;
    if (to == topology::replicas) return add_replicas(in, with_faults);
    if (to == topology::sentinel) return put_behind_sentinels(in, with_faults);
    make_a_cluster(in, with_faults);
    share_a_slot(in, with_faults);
}

} // namespace redlatch::sim
