// What goes wrong in a cluster, or is done to it by those who run it.
#include "sim/scenario/stage.hpp"
#include "sim/server/key_slot.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using kind = fault::kind;

server_host& host(stage& in, int number) {
    return in.servers.at(static_cast<std::size_t>(number));
}

std::uint16_t slot_of(stage const& in, fault const& what) {
    return key_slot(in.key_of(what.lock));
}

std::vector<int> nodes_of(stage const& in, fault const& what) {
    if (what.server != every_server) return {what.server};
    std::vector<int> all;
    for (int i = 0; i < in.plan.servers; ++i) all.push_back(i);
    return all;
}

void migrate(stage& in, fault const& what) {
    auto const to = what.server % (in.cluster->masters() + 1);
    auto const target = to == in.cluster->masters() ? in.cluster->spare() : to;
    auto const begin = [&in, &what, target] {
        constexpr simulated_cluster::ending endings[] = {simulated_cluster::ending::usual,
                                                         simulated_cluster::ending::source_told_late,
                                                         simulated_cluster::ending::given_up};
        // The slots of those whose replica is master now go to that one.
        for (auto const each : {target, target + in.cluster->masters()})
            if (each < in.plan.servers
                && in.cluster->migrate(slot_of(in, what), each, std::chrono::milliseconds(what.lasts),
                                       endings[what.way % migration_ways], what.way / migration_ways))
                return;
    };
    if (target != in.cluster->spare()) return begin();
    in.cluster->join(target);
    in.universe.at(in.universe.now() + 50ms, begin); // it has heard of all slots
}

/// Its replica takes over with what it knows now, unless it comes back before.
void replace_later(stage& in, fault const& what, int master) {
    auto const lag = std::chrono::milliseconds(what.strength % 2 != 0 ? longest_lag : 0);
    auto data = host(in, master).known_to_replica(lag);
    in.universe.at(in.universe.now() + std::chrono::milliseconds(what.strength),
                   [&in, &what, master, data = std::move(data)] {
                       if (!in.struck.contains(&what)) return;
                       in.cluster->lack_slots_of(master);
                       in.cluster->take_over(master, data);
                   });
}

void part(stage& in, fault const& what, int master) {
    auto const way = static_cast<parting>(what.way);
    if (way == parting::stands_still) return host(in, master).pause();
    in.cluster->isolate(master);
    part_processes(in, what, master, true);
    // It notices that it is alone at about the time at which the others replace it, or later.
    auto const least = what.strength / 2;
    auto const most = what.strength % 3 == 0 ? what.lasts : 2 * what.strength;
    auto const alone =
        in.universe.between(std::chrono::milliseconds(least), std::chrono::milliseconds(std::max(least, most)));
    in.universe.at(in.universe.now() + alone, [&in, &what, master] {
        if (in.struck.contains(&what)) in.cluster->set_down(master, simulated_cluster::reason::minority, true);
    });
}

void strike(stage& in, fault const& what) {
    auto const master = in.cluster->master_of(slot_of(in, what));
    auto& it = host(in, master);
    bool const already =
        std::any_of(in.struck.begin(), in.struck.end(), [&](auto const& one) { return one.second == master; });
    if (!it.running() || it.paused() || already) return;
    in.struck[&what] = master;
    replace_later(in, what, master);
    if (what.what == kind::part_master) return part(in, what, master);
    if ((what.way & with_its_machine) != 0) in.net.vanish(master);
    it.crash();
}

void give_back(stage& in, fault const& what, int master) {
    auto& it = host(in, master);
    if (what.what == kind::part_master) {
        it.go_on();
        part_processes(in, what, master, false);
        in.cluster->rejoin(master);
        return;
    }
    if ((what.way & for_good) != 0 && in.cluster->is_outdated(master)) return;
    in.net.appear(master);
    if (!it.running()) {
        it.start(server_host::data::kept);
        in.cluster->on_started(master);
    }
}

} // namespace

void part_processes(stage& in, fault const& what, int master, bool parted) {
    auto const way = static_cast<parting>(what.way);
    for (auto& one : in.actors) {
        bool const chosen = one.who->number == what.process;
        for (int i = 0; i < in.plan.servers; ++i) {
            bool const apart = way == parting::from_all_but_one_process ? chosen != (i == master)
                               : way == parting::from_one_process       ? chosen && i == master
                                                                        : false;
            if (!apart) continue;
            parted ? in.net.block(*one.who, i, true, true) : in.net.heal(*one.who, i);
        }
    }
}

void begin_on_cluster(stage& in, fault const& what) {
    if (!in.cluster) return;
    auto const is = [&](kind one) { return what.what == one; };
    if (is(kind::migrate_slot)) migrate(in, what);
    if (is(kind::lose_master) || is(kind::part_master)) strike(in, what);
    if (is(kind::wrong_hosts))
        for (auto const each : nodes_of(in, what))
            in.cluster->membership_of(each).names = static_cast<membership::naming>(what.way);
    if (is(kind::cluster_down))
        for (auto const each : nodes_of(in, what)) in.cluster->set_down(each, simulated_cluster::reason::fault, true);
}

void end_on_cluster(stage& in, fault const& what) {
    if (!in.cluster) return;
    auto const is = [&](kind one) { return what.what == one; };
    if (auto const found = in.struck.find(&what); found != in.struck.end()) {
        auto const master = found->second;
        in.struck.erase(found);
        give_back(in, what, master);
    }
    if (is(kind::wrong_hosts))
        for (auto const each : nodes_of(in, what)) in.cluster->membership_of(each).names = membership::naming::usual;
    if (is(kind::cluster_down))
        for (auto const each : nodes_of(in, what)) in.cluster->set_down(each, simulated_cluster::reason::fault, false);
}

bool is_on_the_cluster(kind what) {
    return what == kind::migrate_slot || what == kind::lose_master || what == kind::part_master
           || what == kind::wrong_hosts || what == kind::cluster_down;
}

} // namespace redlatch::sim
