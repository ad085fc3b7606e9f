// A scenario of one server, played with replicas: some acquisitions wait until these have the lock.
#include "sim/scenario/draw_fault.hpp"
#include "sim/scenario/variations.hpp"

#include <algorithm>
#include <iterator>

namespace redlatch::sim {
namespace {

using kind = fault::kind;

replica_policy make_policy(dice& by, scenario const& in, job const& of) {
    replica_policy made;
    made.replicas = by.one_in(4) ? replica_policy::all_connected : static_cast<int>(by.between(1, in.replicas + 1));
    if (by.one_in(6)) made.replicas = 1;
    if (by.one_in(3) && made.replicas != replica_policy::all_connected)
        made.required = static_cast<int>(by.between(1, made.replicas));
    if (made.replicas == replica_policy::all_connected && by.one_in(3)) made.required = 1;
    auto time = by.one_in(4) ? by.between(20, 250) : by.between(250, 1'500);
    // Else its lease is over before it is known who has it.
    auto const lease = of.lease.value_or(of.max_hold.value_or(0));
    if (lease > 0 && !by.one_in(6)) time = std::min(time, std::max<std::int64_t>(lease / 4, 1));
    made.time = duration(time);
    constexpr replica_shortage shortages[] = {replica_shortage::fail, replica_shortage::fail,
                                              replica_shortage::give_back, replica_shortage::accept};
    made.shortage = shortages[by.index(static_cast<int>(std::size(shortages)))];
    if (by.one_in(4)) made.retries = static_cast<int>(by.between(1, 4));
    made.needs_wait = !by.one_in(4);
    return made;
}

fault make_replica_fault(dice& by, scenario const& in) {
    constexpr kind kinds[] = {kind::part_replica, kind::part_replica, kind::slow_replica, kind::slow_replica,
                              kind::failover,     kind::failover,     kind::cut,          kind::cut_late_bytes};
    auto one = draw_fault(by, in, kinds, 3'000, 800);
    one.strength = by.one_in(3) ? by.between(100, at_once) : by.between(1, 100);
    if (is_on_replicas(one.what)) one.server = by.index(in.replicas);
    if (one.what == kind::part_replica || one.what == kind::failover) one.way = by.index(2);
    return one;
}

} // namespace

void let_replicas_confirm(scenario& in, std::uint64_t seed) {
    dice by(seed);
    in.replica_delay = by.one_in(4) ? by.between(1'000, 20'000) : by.between(100, 1'000);
    in.wait_refused = by.one_in(16);
    auto const share = static_cast<int>(by.between(1, 4));
    for (auto& each : in.workers)
        for (auto& one : each.jobs)
            if (by.one_in(share)) one.confirmed = make_policy(by, in, one);
}

void add_replicas(scenario& in, bool with_faults) {
    dice by(in.seed * 0xa0761d6478bd642fU + 0x8ebc6af0);
    in.servers_are = topology::replicas;
    in.replicas = static_cast<int>(by.between(1, 3));
    in.redisson.clear(); // its peer here asks no replicas
    let_replicas_confirm(in, in.seed * 0xe7037ed1a0b428dbU + 0x589965cc);
    for (auto& one : in.faults)
        if (one.what == kind::failover) one.way = by.index(2);
    if (!with_faults || by.one_in(8)) return;
    if (by.one_in(3)) in.faults.clear(); // then it is about the replicas alone
    auto const count = by.between(1, by.one_in(3) ? 4 : 2);
    for (std::int64_t i = 0; i < count; ++i) in.faults.push_back(make_replica_fault(by, in));
    if (!by.one_in(2)) return;
    // All are behind when one of them takes over.
    auto const at = by.between(200, 2'000);
    for (int each = 0; each < in.replicas; ++each)
        in.faults.push_back({.what = kind::slow_replica,
                             .at = at,
                             .lasts = 400,
                             .lock = by.index(in.locks),
                             .strength = by.between(20, at_once),
                             .server = each});
    in.faults.push_back({.what = kind::failover, .at = at + by.between(5, 400), .lasts = 1, .way = by.index(2)});
}

} // namespace redlatch::sim
