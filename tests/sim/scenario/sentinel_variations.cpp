// A scenario of one server, played behind Sentinels.
#include "sim/scenario/draw_fault.hpp"
#include "sim/scenario/variations.hpp"
#include "sim/sentinel/simulated_sentinels.hpp"

#include <utility>

namespace redlatch::sim {
namespace {

using kind = fault::kind;

fault make_sentinel_fault(dice& by, scenario const& in) {
    constexpr kind kinds[] = {kind::lose_master,   kind::lose_master,   kind::part_master,   kind::part_master,
                              kind::switch_master, kind::switch_master, kind::part_sentinel, kind::part_sentinel,
                              kind::stop_sentinel, kind::part_replica,  kind::slow_replica,  kind::slow_replica};
    auto one = draw_fault(by, in, kinds, 3'000, 600);
    one.strength = by.one_in(3) ? by.between(1, 30) : by.between(30, at_once);
    auto const is = [&](kind which) { return one.what == which; };
    if (is(kind::lose_master)) one.way = by.index(loss_ways);
    if (is(kind::part_master)) one.way = by.index(partings);
    if (is(kind::lose_master) || is(kind::part_master)) one.lasts += by.one_in(4) ? 0 : one.strength;
    if (is(kind::part_master) && by.one_in(3)) one.lasts += by.between(500, 3'000);
    if (is(kind::part_sentinel) || is(kind::stop_sentinel)) one.server = by.index(simulated_sentinels::sentinels);
    if (is(kind::stop_sentinel)) one.way = by.index(3);
    if (is_on_replicas(one.what)) one.server = by.index(in.replicas + 1);
    if (is(kind::part_replica)) one.way = by.index(2);
    return one;
}

} // namespace

void put_behind_sentinels(scenario& in, bool with_faults) {
    dice by(in.seed * 0x9fb21c651e98df25U + 0x7c15ab3d);
    in.servers_are = topology::sentinel;
    in.replicas = static_cast<int>(by.between(1, 2));
    in.servers = in.replicas + 1 + simulated_sentinels::sentinels;
    in.named_first = by.index(simulated_sentinels::sentinels);
    in.redisson.clear(); // its peer here knows one server
    let_replicas_confirm(in, in.seed * 0xd6e8feb86659fd93U + 0x1b873593);
    if (!by.one_in(3))
        for (auto& each : in.workers)
            for (auto& one : each.jobs) one.confirmed.reset();
    for (auto& one : in.faults) {
        if (one.what == kind::failover) one.what = kind::switch_master;
        if (one.what == kind::read_only) one.what = kind::loading; // who is a replica is decided elsewhere
        if (one.what != kind::switch_master)
            one.server = is_on_a_link(one.what) && !by.one_in(3) ? every_server : by.index(in.replicas + 1);
    }
    if (!with_faults || by.one_in(8)) return;
    if (by.one_in(2)) in.faults.clear(); // then it is about failovers alone
    auto const count = by.between(1, by.one_in(3) ? 4 : 2);
    for (std::int64_t i = 0; i < count; ++i) in.faults.push_back(make_sentinel_fault(by, in));
    bool lost = false;
    for (auto& one : in.faults) // one of them is to be left
        if (one.what == kind::lose_master && (one.way & for_good) != 0 && std::exchange(lost, true))
            one.way &= ~for_good;
}

} // namespace redlatch::sim
