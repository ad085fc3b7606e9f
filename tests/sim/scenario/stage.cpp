#include "sim/scenario/stage.hpp"

#include "locking/names.hpp"
#include "locking/script.hpp"
#include "sim/world/seams.hpp"

#include <algorithm>
#include <cstdio>

namespace redlatch::sim {
namespace {

node_settings settings_of(scenario const& plan, simulated_cluster* cluster, simulated_sentinels* sentinels,
                          int number) {
    node_settings made;
    made.users["default"].refused = refused_for_good(plan);
    made.address = std::string(servers_host) + ":" + std::to_string(first_port + number);
    if (cluster != nullptr) made.cluster = &cluster->membership_of(number);
    if (sentinels != nullptr && number >= sentinels->servers()) {
        made.users["default"].refused.clear();
        made.sentinel = &sentinels->view_of(number - sentinels->servers());
    }
    if (!plan.shards_known) made.removed = {"ssubscribe", "sunsubscribe", "spublish", "pubsub|shardnumsub"};
    made.is_newer = plan.shards_known && number % 2 == 0; // as while servers are upgraded, one after the other
    return made;
}

std::unique_ptr<simulated_cluster> cluster_of(scenario const& plan, world& in) {
    if (!plan.is_cluster()) return nullptr;
    return std::make_unique<simulated_cluster>(
        in, simulated_cluster::arrangement{plan.masters, plan.first_share, plan.is_whole});
}

std::unique_ptr<simulated_sentinels> sentinels_of(scenario const& plan, world& in) {
    if (!plan.is_behind_sentinels()) return nullptr;
    return std::make_unique<simulated_sentinels>(in, plan.servers - simulated_sentinels::sentinels);
}

key_ownership* either(simulated_cluster* cluster, simulated_sentinels* sentinels) {
    if (cluster != nullptr) return cluster;
    return sentinels;
}

server_host& first_of(std::deque<server_host>& all, world& in, network& with, scenario const& plan,
                      simulated_cluster* cluster, simulated_sentinels* sentinels) {
    for (int i = 0; i < plan.servers; ++i) all.emplace_back(in, with, settings_of(plan, cluster, sentinels, i), i);
    return all.front();
}

std::string printable(std::string_view bytes) {
    std::string text;
    for (char const c : bytes.substr(0, 400)) text += c == '\r' ? "" : c == '\n' ? " " : std::string(1, c);
    return text;
}

} // namespace

rights of_topology(scenario const& plan, rights all) {
    for (auto const* const one : {"subscribe", "publish"})
        if (plan.is_cluster() && all.contains(one)) all.insert(std::string("s") + one);
    return all;
}

rights refused_for_good(scenario const& plan) {
    rights refused;
    if (plan.kill_refused) refused.insert("client|kill");
    if (plan.evalsha_refused) refused.insert("evalsha");
    if (plan.subscribe_refused) refused.insert("subscribe");
    if (plan.restore_refused) refused.insert("restore");
    if (plan.publish_refused) refused.insert("publish");
    if (plan.wait_refused) refused.insert("wait");
    return of_topology(plan, std::move(refused));
}

belief belief_of(hold_view const& which) {
    return belief_of(which.status());
}

belief belief_of(hold_status status) {
    switch (status) {
    case hold_status::held: return belief::held;
    case hold_status::suspect: return belief::suspect;
    case hold_status::none:
    case hold_status::released:
    case hold_status::lost: break;
    }
    return belief::lost;
}

stage::stage(scenario const& of, bool with_trace)
    : plan(of), traced(with_trace), universe(of.seed), net(universe), cluster(cluster_of(of, universe)),
      sentinels(sentinels_of(of, universe)), ownership(either(cluster.get(), sentinels.get())), servers(),
      server(first_of(servers, universe, net, of, cluster.get(), sentinels.get())) {
    use_network(&net);
    for (auto& one : servers) net.attach(one);
    if (plan.has_replicas()) begin_replicas();
    if (ownership != nullptr) begin_ownership();
    net.one_by_one = plan.one_by_one;
    for (int i = 0; i < plan.servers; ++i)
        servers[static_cast<std::size_t>(i)].drift_ppm =
            i % 2 == 0 || ownership != nullptr ? plan.server_drift : -plan.server_drift;
    for (int i = 0; i < plan.processes; ++i) {
        auto& who = universe.add_process("process " + std::to_string(i));
        who.drift_ppm = plan.drifts.at(static_cast<std::size_t>(i));
        who.clock_offset = std::chrono::seconds(1'000 * (i + 1));
        actors.emplace_back().who = &who;
        for (int s = 0; s < plan.servers; ++s) {
            net.link_of(who, s).least_delay = std::chrono::microseconds(plan.how_fast.least_delay);
            net.link_of(who, s).most_delay = std::chrono::microseconds(plan.how_fast.most_delay);
        }
    }
    universe.woken_within = {std::chrono::microseconds(plan.how_fast.least_wake),
                             std::chrono::microseconds(plan.how_fast.most_wake), plan.how_fast.stalls};
    auto const of_cluster = [this](int at) { return cluster ? at : 0; }; // else they are looked at as one
    net.on_bytes = [this, of_cluster](tcp_connection const& on, bool up, std::string_view bytes) {
        if (up) see_renewals(on, bytes);
        if (!up) actors.at(static_cast<std::size_t>(on.client->number)).unreachable_since.erase(of_cluster(on.server));
        if (traced)
            note((up ? "sent by " : "reaches ") + on.client->name + " on " + on.address + ": " + printable(bytes));
    };
    net.on_failed = [this, of_cluster](process const& who, int at) {
        if (sentinels && at >= sentinels->servers()) return; // that says nothing of the master
        auto& all = actors.at(static_cast<std::size_t>(who.number)).unreachable_since;
        all.try_emplace(of_cluster(at), universe.now());
    };
    for (int i = 0; i < plan.servers; ++i)
        servers[static_cast<std::size_t>(i)].observe(
            [this, i](redis_node::executed const& one) { see_command(one, i); });
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

void stage::see_command(redis_node::executed const& one, int which) {
    if (one.depth > 0) return;
    auto const from = network::process_at(one.address).value_or(-1);
    bool const ours = from >= 0 && from < static_cast<int>(actors.size());
    if (ours) ++actors[static_cast<std::size_t>(from)].commands;
    if (ownership != nullptr) see_outdated(which, one, ours ? from : -1);
    see_keys(ours ? from : -1);
    if (ours && !one.reply.starts_with('-'))
        for (int i = 0; i < plan.locks; ++i)
            if (std::find(one.argv.begin(), one.argv.end(), lock_name(i)) != one.argv.end())
                write({.what = fact::kind::answered, .process = from, .lock = i, .yes = !keys_[i].all.empty()});
    if (!traced) return;
    std::string text;
    for (std::size_t i = 0; i < one.argv.size(); ++i)
        text += (i == 0 ? "" : " ") + printable(one.argv[i].substr(0, 60));
    note((plan.servers > 1 ? "server " + std::to_string(which) : "server") + " runs for " + std::string(one.address)
         + ": " + text + " -> " + printable(one.reply));
}

void stage::see_key(int lock, owners_of_key& known, int by) {
    auto const now_ms = host_of(lock).now_ms();
    auto const before = std::exchange(known.all, owners_in_key(lock));
    auto const expired = std::exchange(known.expires_at_ms, last_ms_of(lock));
    for (auto const& owner : before) {
        if (std::find(known.all.begin(), known.all.end(), owner) != known.all.end()) continue;
        fact gone{.what = fact::kind::in_key, .process = by, .lock = lock, .owner = owner};
        gone.until = universe.now();
        if (expired < now_ms) {
            gone.process = -1;
            gone.until -= std::chrono::milliseconds(now_ms - expired);
            gone.text = "expired";
        }
        write(std::move(gone));
    }
    for (auto const& owner : known.all)
        if (std::find(before.begin(), before.end(), owner) == before.end()) {
            in_key_since_.try_emplace({lock, owner}, universe.now());
            write({.what = fact::kind::in_key, .lock = lock, .owner = owner, .yes = true, .is_rest = is_rest(owner)});
        }
}

bool stage::had_unconfirmed(int process, int lock, moment since) const {
    auto const found = unconfirmed_until.find({process, lock});
    if (found != unconfirmed_until.end() && found->second >= since) return true;
    return plan.has_replicas() && std::any_of(taking_all.begin(), taking_all.end(), [&](auto const& one) {
               return one.second.first == process && (one.second.second >> lock & 1) != 0;
           });
}

bool stage::is_rest(std::string const& owner) {
    return locking::kept_owner(owner) == owner;
}

moment stage::in_key_since(int lock, std::string const& owner) const {
    auto const found = in_key_since_.find({lock, owner});
    return found == in_key_since_.end() ? never : found->second;
}

moment stage::kept_until(moment since, duration at_least) {
    return since == never
               ? moment(0)
               : since + std::max<moment>(at_least - at_least / 100 - std::chrono::milliseconds(2), moment(0));
}

void stage::see_keys(int by) {
    if (plan.locks_are == lock_kind::permit_semaphore) return see_permit_ids(by);
    if (plan.locks_are == lock_kind::latch) return see_latches(by);
    std::set<int> changed;
    for (int i = 0; i < plan.servers; ++i) {
        auto const& one = servers[static_cast<std::size_t>(i)];
        auto const seen = std::pair(one.node().writes(), one.run());
        if (std::exchange(writes_seen_[i], seen) != seen) changed.insert(i);
    }
    bool const moved =
        ownership != nullptr && std::exchange(changes_seen_, ownership->changes()) != ownership->changes();
    for (int i = 0; i < plan.locks; ++i) {
        auto& known = keys_[i];
        // In a cluster a key may have left another server than the one that has the lock now.
        if (moved || (ownership != nullptr ? !changed.empty() : changed.contains(plan.server_of(i)))
            || known.expires_at_ms < host_of(i).now_ms())
            see_key(i, known, by);
    }
}

void stage::see_renewals(tcp_connection const& on, std::string_view bytes) {
    auto const& script =
        plan.locks_are == lock_kind::faster_multi ? locking::scripts::faster_multi_renew : locking::scripts::lock_renew;
    auto const* const user = actors.at(static_cast<std::size_t>(on.client->number)).user_of(on.server);
    if (user == nullptr) return;
    auto const id = user->id() + ":";
    for (std::size_t from = 0;;) {
        auto const call = std::min(bytes.find(script.sha1, from), bytes.find(script.text, from));
        if (call == bytes.npos) return;
        from = std::min(bytes.find("\r\n*", call), bytes.size()); // where the next command begins
        for (auto at = bytes.find(id, call); at < from; at = bytes.find(id, at)) {
            auto const end = bytes.find('\r', at);
            if (end == bytes.npos) return; // cut off: a part of a longer one
            write({.what = fact::kind::renewal,
                   .process = on.client->number,
                   .owner = std::string(bytes.substr(at, end - at))});
            at = end;
        }
    }
}

void stage::write(fact one) {
    bool const of_server =
        one.what == fact::kind::in_key || one.what == fact::kind::count_there; // late bytes of the dead
    if (one.process >= 0 && one.what != fact::kind::left && one.what != fact::kind::not_acquired && !of_server) {
        auto const& who = *actors.at(static_cast<std::size_t>(one.process)).who;
        if (who.dead || who.retired) return;
    }
    one.when = universe.now();
    bool const of_commands = one.what == fact::kind::traffic || one.what == fact::kind::answered;
    if (!of_commands && one.what != fact::kind::in_key) // how many commands led there makes no end another one
        universe.observe(static_cast<std::uint64_t>(one.when.count()) * 31 + static_cast<std::uint64_t>(one.what));
    if (traced && one.what != fact::kind::traffic
        && !(one.what == fact::kind::probe && std::exchange(probed_[one.lock], one.yes) == one.yes))
        trace.push_back(to_text(one));
    facts.push_back(std::move(one));
}

void stage::tell_beliefs(int lock, int worker, std::string const& acquired_by) {
    auto const reads = [&](std::string const& owner) {
        return plan.locks_are == lock_kind::read_write && !owner.ends_with(":write");
    };
    for (auto const& other : holds) {
        if (other.lock != lock) continue;
        // Those who read may do so together, and who writes may read as well.
        if (reads(acquired_by) && (reads(other.owner) || other.worker == worker)) continue;
        auto& who = actors.at(static_cast<std::size_t>(other.process));
        fact seen{.what = fact::kind::believes, .process = other.process, .worker = other.worker, .lock = lock};
        seen.owner = other.owner;
        seen.other = acquired_by;
        if (who.java) {
            seen.believed = who.java->holds(lock_name(lock), other.java_thread) ? belief::held : belief::lost;
            seen.yes = true; // Redisson tells nobody: a lock that has run out is held to be lost
        } else {
            universe.as(who.who, nullptr, [&] {
                seen.believed = belief_of(other.status());
                seen.yes = other.lost().stop_requested();
            });
        }
        write(seen);
    }
}

void stage::let_redisson_sleep(int process) {
    for (std::size_t i = 0; i < plan.workers.size(); ++i)
        if (plan.workers[i].process == process)
            write({.what = fact::kind::not_acquired,
                   .process = process,
                   .worker = static_cast<int>(i),
                   .said = answer::untold,
                   .text = "it may have missed its message"});
}

bool stage::all_ended() const {
    for (auto const& one : actors)
        if (one.running > 0 && !one.who->dead) return false;
    return true;
}

} // namespace redlatch::sim
