// What is lost, and what comes back, where another node of a cluster becomes the master of a lock: written down by looking at
// the keys before and after.
#include "locking/names.hpp"
#include "resp/command.hpp"
#include "sim/scenario/stage.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::sim {
namespace {

using leases = std::map<std::string, std::int64_t>; ///< of the owners of a lock: when they end on the server

leases leases_at(server_host const& server, std::string const& lock) {
    leases found;
    for (auto& owner : server.owners(lock)) found.emplace(std::move(owner), server.expiry(lock));
    return found;
}

} // namespace

void stage::begin_ownership() {
    if (cluster) {
        for (auto& one : servers) one.replica_lag = std::chrono::milliseconds(longest_lag);
        cluster->begin(servers);
    }
    if (sentinels) sentinels->begin(servers, *replicas);
    ownership->around_loss = [this](std::function<void()> const& change) { see_around_loss(change); };
}

/// Whose latest acquisition or renewal is not there any more has no promise; whose release is not there is back.
void stage::see_around_loss(std::function<void()> const& change) {
    std::vector<leases> before;
    std::vector<std::int64_t> tokens_before;
    auto const tokens = [this](int lock) { // keys of a slot move one by one
        auto const key = locking::token_counter(key_of(lock));
        return servers.at(ownership != nullptr ? static_cast<std::size_t>(ownership->home_of(key)) : home_of(lock))
            .number(key);
    };
    for (int i = 0; i < plan.locks; ++i) {
        before.push_back(leases_at(host_of(i), key_of(i)));
        tokens_before.push_back(tokens(i));
    }
    change();
    for (int i = 0; i < plan.locks; ++i) {
        if (tokens(i) < tokens_before[static_cast<std::size_t>(i)]) write({.what = fact::kind::missed, .lock = i});
        auto const now = leases_at(host_of(i), key_of(i));
        auto const& then = before[static_cast<std::size_t>(i)];
        for (auto const& [owner, ends] : then) {
            auto const found = now.find(owner);
            if (found == now.end() || found->second < ends)
                write({.what = fact::kind::missed, .lock = i, .owner = owner});
        }
        for (auto const& [owner, ends] : now)
            if (!then.contains(owner)) write({.what = fact::kind::returned, .lock = i, .owner = owner});
    }
    for (auto const number : ownership != nullptr ? ownership->outdated() : std::set<int>())
        for (int i = 0; i < plan.locks; ++i)
            outdated_[{number, i}] = leases_at(servers.at(static_cast<std::size_t>(number)), key_of(i));
    see_keys();
}

/// What a server executes whose slots are another one's: nobody will know of it.
void stage::see_outdated(int number) {
    if (!ownership->is_outdated(number)) return;
    auto const& outdated = servers.at(static_cast<std::size_t>(number));
    for (int i = 0; i < plan.locks; ++i) {
        auto now = leases_at(outdated, key_of(i));
        auto& known = outdated_[{number, i}];
        for (auto const& [owner, ends] : now)
            if (auto const found = known.find(owner); found == known.end() || found->second < ends)
                write({.what = fact::kind::missed, .lock = i, .owner = owner});
        for (auto const& [owner, ends] : known)
            if (!now.contains(owner)) write({.what = fact::kind::returned, .lock = i, .owner = owner});
        known = std::move(now);
    }
}

void stage::begin_replicas() {
    auto const places = plan.replicas + (sentinels ? 1 : 0); // whoever is the master has one, and does not use it
    replicas = std::make_unique<replica_set>(universe, places);
    for (int i = 0; i < places; ++i) replicas->set_delay(i, std::chrono::microseconds(plan.replica_delay));
    if (!sentinels) replicas->begin(server);
}

moment stage::unreachable_for(actor const& who) const {
    auto const of = [&](int number) {
        auto const found = who.unreachable_since.find(number);
        return found == who.unreachable_since.end() ? never : found->second;
    };
    if (!cluster) return of(0);
    auto latest = moment(0);
    for (int i = 0; i < plan.servers; ++i)
        if (!cluster->membership_of(i).is_replica() && i != cluster->spare()) latest = std::max(latest, of(i));
    return latest;
}

void stage::by_hand(int lock, std::string const& bytes) {
    host_of(lock).by_hand(cluster ? resp::command("ASKING") + bytes : bytes);
}

} // namespace redlatch::sim
