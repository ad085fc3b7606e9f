#include "sim/scenario/stage.hpp"

#include "locking/script.hpp"
#include "sim/world/seams.hpp"

#include <algorithm>
#include <cstdio>

namespace redlatch::sim {
namespace {

node_settings settings_of(scenario const& plan) {
    node_settings made;
    auto& refused = made.users["default"].refused;
    if (plan.kill_refused) refused.insert("client|kill");
    if (plan.evalsha_refused) refused.insert("evalsha");
    if (plan.subscribe_refused) refused.insert("subscribe");
    if (plan.restore_refused) refused.insert("restore");
    if (plan.publish_refused) refused.insert("publish");
    return made;
}

std::string printable(std::string_view bytes) {
    std::string text;
    for (char const c : bytes.substr(0, 400)) text += c == '\r' ? "" : c == '\n' ? " " : std::string(1, c);
    return text;
}

} // namespace

stage::stage(scenario const& of, bool with_trace)
    : plan(of), traced(with_trace), universe(of.seed), net(universe), server(universe, net, settings_of(of)) {
    use_network(&net);
    net.attach(server);
    server.drift_ppm = plan.server_drift;
    for (int i = 0; i < plan.processes; ++i) {
        auto& who = universe.add_process("process " + std::to_string(i));
        who.drift_ppm = plan.drifts.at(static_cast<std::size_t>(i));
        who.clock_offset = std::chrono::seconds(1'000 * (i + 1));
        actors.emplace_back().who = &who;
    }
    net.on_bytes = [this](tcp_connection const& on, bool up, std::string_view bytes) {
        if (up) see_renewals(on, bytes);
        if (traced)
            note((up ? "sent by " : "reaches ") + on.client->name + " on " + on.address + ": " + printable(bytes));
    };
    if (!traced) return;
    server.observe([this](redis_node::executed const& one) {
        if (one.depth > 0) return;
        std::string text;
        for (std::size_t i = 0; i < one.argv.size(); ++i)
            text += (i == 0 ? "" : " ") + printable(one.argv[i].substr(0, 60));
        note("server runs for " + std::string(one.address) + ": " + text + " -> " + printable(one.reply));
    });
}

stage::~stage() {
    holds.clear();
    use_network(nullptr);
}

void stage::note(std::string line) {
    char time[32];
    std::snprintf(time, sizeof time, "%12.3f ms  ", static_cast<double>(universe.now().count()) / 1e6);
    trace.push_back(time + std::move(line));
}

void stage::see_renewals(tcp_connection const& on, std::string_view bytes) {
    auto const& script = locking::scripts::lock_renew;
    auto const& user = actors.at(static_cast<std::size_t>(on.client->number)).user;
    auto at = std::min(bytes.find(script.sha1), bytes.find(script.text));
    if (!user || at == bytes.npos) return;
    auto const id = user->id() + ":";
    while ((at = bytes.find(id, at)) != bytes.npos) {
        auto const end = bytes.find('\r', at);
        if (end == bytes.npos) break; // cut off: a part of a longer one
        write({.what = fact::kind::renewal,
               .process = on.client->number,
               .owner = std::string(bytes.substr(at, end - at))});
        at = end;
    }
}

void stage::write(fact one) {
    if (one.process >= 0 && one.what != fact::kind::left && one.what != fact::kind::not_acquired) {
        auto const& who = *actors.at(static_cast<std::size_t>(one.process)).who;
        if (who.dead || who.retired) return;
    }
    one.when = universe.now();
    universe.observe(static_cast<std::uint64_t>(one.when.count()) * 31 + static_cast<std::uint64_t>(one.what));
    if (traced && !(one.what == fact::kind::probe && std::exchange(probed_[one.lock], one.yes) == one.yes))
        trace.push_back(to_text(one));
    facts.push_back(std::move(one));
}

bool stage::all_ended() const {
    for (auto const& one : actors)
        if (one.running > 0 && !one.who->dead) return false;
    return true;
}

} // namespace redlatch::sim
