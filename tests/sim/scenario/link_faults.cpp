// What goes wrong between a process and its servers.
#include "sim/scenario/stage.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using kind = fault::kind;

std::vector<int> servers_of(stage const& in, fault const& what) {
    if (what.server != every_server) return {what.server};
    std::vector<int> all(static_cast<std::size_t>(in.plan.servers));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

void begin(stage& in, fault const& what, int server) {
    auto const& who = *in.actors.at(static_cast<std::size_t>(what.process)).who;
    auto const strength = std::chrono::milliseconds(what.strength);
    auto& link = in.net.link_of(who, server);
    auto const is = [&](kind one) { return what.what == one; };
    if (is(kind::cut)) in.net.cut(who, server, strength, -1ns);
    if (is(kind::cut_late_bytes)) in.net.cut(who, server, strength, strength);
    if (is(kind::block_up) || is(kind::block_both)) in.net.block(who, server, true, false);
    if (is(kind::block_down) || is(kind::block_both)) in.net.block(who, server, false, true);
    if (is(kind::half_open)) in.net.silence(who, server, strength);
    if (is(kind::half_sent)) link.half_sent = half_sent{static_cast<half_sent_way>(what.way), strength};
    if (is(kind::slow)) {
        link.least_delay = strength / 4;
        link.most_delay = strength;
    }
    if (is(kind::refuse)) {
        link.refuses = true;
        in.net.cut(who, server, 1ms, -1ns);
    }
}

void end(stage& in, fault const& what, int server) {
    auto const& who = *in.actors.at(static_cast<std::size_t>(what.process)).who;
    auto& link = in.net.link_of(who, server);
    auto const is = [&](kind one) { return what.what == one; };
    if (is(kind::block_up) || is(kind::block_down) || is(kind::block_both)) in.net.heal(who, server);
    if (is(kind::refuse)) link.refuses = false;
    if (is(kind::half_sent)) link.half_sent.reset();
    if (is(kind::slow)) {
        link.least_delay = std::chrono::microseconds(in.plan.how_fast.least_delay);
        link.most_delay = std::chrono::microseconds(in.plan.how_fast.most_delay);
    }
}

} // namespace

bool is_on_a_link(kind what) {
    constexpr kind all[] = {kind::cut,  kind::cut_late_bytes, kind::block_up,  kind::block_down, kind::block_both,
                            kind::slow, kind::refuse,         kind::half_open, kind::half_sent};
    return std::find(std::begin(all), std::end(all), what) != std::end(all);
}

void begin_on_links(stage& in, fault const& what) {
    if (!is_on_a_link(what.what)) return;
    for (auto const each : servers_of(in, what)) begin(in, what, each);
}

void end_on_links(stage& in, fault const& what) {
    if (!is_on_a_link(what.what)) return;
    for (auto const each : servers_of(in, what)) end(in, what, each);
}

} // namespace redlatch::sim
