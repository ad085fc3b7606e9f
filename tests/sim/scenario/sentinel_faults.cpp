// What goes wrong with servers that Sentinels watch, and with these.
#include "sim/scenario/stage.hpp"

#include <algorithm>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using kind = fault::kind;

enum class stopping : std::uint8_t { crashes, vanishes, stands_still };

int number_of_sentinel(stage const& in, fault const& what) {
    return in.sentinels->servers() + what.server;
}

/// A replica takes over within its strength, unless the master comes back before.
void replace_master_later(stage& in, fault const& what) {
    in.universe.at(in.universe.now() + std::chrono::milliseconds(what.strength), [&in, &what] {
        auto const found = in.struck.find(&what);
        if (found != in.struck.end() && in.sentinels->master() == found->second)
            in.sentinels->fail_over(what.strength % 2 != 0);
    });
}

void strike_master(stage& in, fault const& what) {
    auto const master = in.sentinels->master();
    auto& it = in.servers.at(static_cast<std::size_t>(master));
    bool const already =
        std::any_of(in.struck.begin(), in.struck.end(), [&](auto const& one) { return one.second == master; });
    if (!it.running() || it.paused() || already) return;
    in.struck[&what] = master;
    replace_master_later(in, what);
    if (what.what == kind::part_master) {
        if (static_cast<parting>(what.way) == parting::stands_still) return it.pause();
        in.sentinels->isolate_master();
        return part_processes(in, what, master, true);
    }
    if ((what.way & with_its_machine) != 0) in.net.vanish(master);
    it.crash();
}

void give_master_back(stage& in, fault const& what) {
    auto const found = in.struck.find(&what);
    if (found == in.struck.end()) return;
    auto const master = found->second;
    in.struck.erase(found);
    auto& it = in.servers.at(static_cast<std::size_t>(master));
    bool const replaced = in.sentinels->is_outdated(master);
    if (what.what == kind::part_master) {
        it.go_on();
        part_processes(in, what, master, false);
        if (in.sentinels->master() == master) in.sentinels->rejoin_master();
        if (replaced) in.sentinels->demote(master, in.universe.between(10ms, 1'500ms));
        return;
    }
    if ((what.way & for_good) != 0 && replaced) return;
    in.net.appear(master);
    if (!it.running()) it.start(server_host::data::kept);
}

void switch_master(stage& in, fault const& what) {
    auto const master = in.sentinels->master();
    if (!in.sentinels->fail_over(what.strength % 2 != 0)) return;
    in.sentinels->demote(master, std::chrono::milliseconds(what.lasts));
}

void stop_sentinel(stage& in, fault const& what) {
    auto const number = number_of_sentinel(in, what);
    auto& it = in.servers.at(static_cast<std::size_t>(number));
    if (!it.running() || it.paused()) return;
    in.struck[&what] = number;
    auto const how = static_cast<stopping>(what.way);
    if (how == stopping::stands_still) return it.pause();
    if (how == stopping::vanishes) in.net.vanish(number);
    it.crash();
}

void let_sentinel_go_on(stage& in, fault const& what) {
    auto const found = in.struck.find(&what);
    if (found == in.struck.end()) return;
    auto const number = found->second;
    in.struck.erase(found);
    auto& it = in.servers.at(static_cast<std::size_t>(number));
    in.net.appear(number);
    it.go_on();
    if (!it.running()) it.start(server_host::data::kept);
    in.sentinels->part_sentinel(what.server, false); // it asks the others
}

} // namespace

bool is_on_sentinels(kind what) {
    return what == kind::switch_master || what == kind::part_sentinel || what == kind::stop_sentinel;
}

void begin_on_sentinels(stage& in, fault const& what) {
    if (!in.sentinels) return;
    if (what.what == kind::lose_master || what.what == kind::part_master) strike_master(in, what);
    if (what.what == kind::switch_master) switch_master(in, what);
    if (what.what == kind::part_sentinel) in.sentinels->part_sentinel(what.server, true);
    if (what.what == kind::stop_sentinel) stop_sentinel(in, what);
}

void end_on_sentinels(stage& in, fault const& what) {
    if (!in.sentinels) return;
    if (what.what == kind::lose_master || what.what == kind::part_master) give_master_back(in, what);
    if (what.what == kind::part_sentinel) in.sentinels->part_sentinel(what.server, false);
    if (what.what == kind::stop_sentinel) let_sentinel_go_on(in, what);
}

} // namespace redlatch::sim
