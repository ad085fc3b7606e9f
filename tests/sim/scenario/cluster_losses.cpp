// What is lost, and what comes back, where another node of a cluster becomes the master of a lock: written down by looking at
// the keys before and after.
#include "locking/departure.hpp"
#include "locking/names.hpp"
#include "locking/recipes/permits.hpp"
#include "resp/command.hpp"
#include "sim/scenario/stage.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace redlatch::sim {
namespace {

/// When the hold of `owner` ends. The key of a read-write lock stays for the longest hold of all that read, each of which has
/// keys of its own.
std::int64_t end_of_lease(server_host const& of, std::string const& key, std::string const& owner) {
    auto const holds = locking::read_hold_prefix(key) + owner + ":rwlock_timeout:";
    auto const& all = of.node().data().databases.front();
    std::int64_t ends = 0;
    for (auto at = all.lower_bound(holds); at != all.end() && at->first.starts_with(holds); ++at)
        if (of.exists(at->first)) ends = std::max(ends, of.expiry(at->first));
    return ends != 0 ? ends : of.expiry(key);
}

} // namespace

stage::leases stage::leases_at(server_host const& of, int lock) const {
    leases found;
    if (plan.locks_are == lock_kind::permit_semaphore)
        for (auto const& [id, ends] : permits_at(of, semaphore_name(lock))) found.emplace(id, ends);
    else
        for (auto& owner : of.owners(key_of(lock))) {
            auto const ends = end_of_lease(of, key_of(lock), owner);
            found.emplace(std::move(owner), ends);
        }
    return found;
}

/// What a server has of a semaphore or a latch: how many, and for which requests; empty: of other kinds. How many permits with
/// ids there are, together, says whether all of their keys are of one moment.
std::string stage::counted_at(server_host const& of, int lock) const {
    if (!plan.are_counters()) return {};
    auto const name = key_of(lock);
    auto const count = of.number(name);
    if (plan.locks_are == lock_kind::permit_semaphore)
        return std::to_string(count + std::ssize(of.members(locking::permits::timeouts_of(name))));
    auto text = std::to_string(count);
    auto const record = locking::request_record(name, {});
    for (auto const& [key, value] : of.node().data().databases.front())
        if (key.starts_with(record) && of.exists(key)) text += " " + key;
    return text;
}

/// The same, wherever the keys are.
std::string stage::counted_now(int lock) const {
    if (!plan.are_counters()) return {};
    if (plan.locks_are == lock_kind::permit_semaphore) {
        auto const name = key_of(lock);
        auto const timeouts = locking::permits::timeouts_of(name);
        return std::to_string(host_of(lock).number(name) + std::ssize(host_of_key(lock, timeouts).members(timeouts)));
    }
    std::string text = std::to_string(host_of(lock).number(key_of(lock)));
    auto const record = locking::request_record(key_of(lock), {});
    std::set<std::string> requests;
    for (auto const& one : servers)
        if (ownership == nullptr || ownership->has_keys_of(one.number(), key_of(lock)))
            for (auto const& [key, value] : one.node().data().databases.front())
                if (key.starts_with(record) && one.exists(key)) requests.insert(key);
    for (auto const& key : requests) text += " " + key;
    return text;
}

/// Who reaches nobody but the former master hears of the new one when that fault is over. What left too long before then is not
/// remembered any more.
bool stage::may_hear_too_late() const {
    constexpr auto news_and_lag = 2s; // until it is heard then; and what has left may have done so a little earlier
    auto const remembered = universe.now() + locking::longest_departure - news_and_lag;
    return std::any_of(struck.begin(), struck.end(), [&](auto const& one) {
        auto const& what = *one.first;
        return what.what == fault::kind::part_master
               && moment(std::chrono::milliseconds(what.at + what.lasts)) > remembered;
    });
}

/// Permits with ids, too, of which nobody knows any more.
void stage::returns(int lock, std::string const& owner) {
    if (auto const of = permit_ids.find(lock); of != permit_ids.end())
        if (auto const one = of->second.find(owner); one != of->second.end()) one->second.taken_by = -1;
    // Where another server has the same address, clients do not know that it is another one.
    bool const is_told = (plan.is_cluster() || plan.is_behind_sentinels()) && !may_hear_too_late();
    bool const is_released_again =
        is_told && !plan.are_counters()
        && std::any_of(actors.begin(), actors.end(), [&](auto const& one) { return !one.java && one.is_of(owner); });
    write({.what = fact::kind::returned, .lock = lock, .owner = owner, .yes = is_released_again});
}

void stage::miss_count(int lock) {
    permits_may_be_missing = permits_may_be_missing || plan.locks_are == lock_kind::semaphore;
    torn.insert(lock);
    write({.what = fact::kind::missed, .lock = lock});
}

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
    std::vector<std::string> counted_before;
    auto const leases_now = [this](int lock) {
        bool const beside = plan.locks_are == lock_kind::permit_semaphore;
        return leases_at(beside ? host_of_key(lock, locking::permits::timeouts_of(key_of(lock))) : host_of(lock), lock);
    };
    auto const tokens = [this](int lock) { // keys of a slot move one by one
        auto const key = locking::token_counter(key_of(lock));
        return servers.at(ownership != nullptr ? static_cast<std::size_t>(ownership->home_of(key)) : home_of(lock))
            .number(key);
    };
    for (int i = 0; i < plan.locks; ++i) {
        before.push_back(leases_now(i));
        counted_before.push_back(counted_now(i));
        tokens_before.push_back(tokens(i));
    }
    change();
    for (int i = 0; i < plan.locks; ++i) {
        if (tokens(i) < tokens_before[static_cast<std::size_t>(i)]) write({.what = fact::kind::missed, .lock = i});
        if (counted_now(i) != counted_before[static_cast<std::size_t>(i)]) miss_count(i);
        auto const now = leases_now(i);
        auto const& then = before[static_cast<std::size_t>(i)];
        for (auto const& [owner, ends] : then) {
            auto const found = now.find(owner);
            if (found == now.end() || found->second < ends)
                write({.what = fact::kind::missed, .lock = i, .owner = owner});
        }
        for (auto const& [owner, ends] : now)
            if (!then.contains(owner)) returns(i, owner);
    }
    for (auto const number : ownership != nullptr ? ownership->outdated() : std::set<int>())
        for (int i = 0; i < plan.locks; ++i) {
            auto const& outdated = servers.at(static_cast<std::size_t>(number));
            outdated_[{number, i}] = leases_at(outdated, i);
            outdated_counts_[{number, i}] = counted_at(outdated, i);
        }
    see_keys();
}

/// What a server executes whose slots are another one's: nobody will know of it.
void stage::see_outdated(int number, redis_node::executed const& one, int by) {
    if (!ownership->is_outdated(number)) return;
    auto const& outdated = servers.at(static_cast<std::size_t>(number));
    for (int i = 0; i < plan.locks; ++i) {
        bool const is_watched = plan.locks_are == lock_kind::latch || plan.locks_are == lock_kind::election;
        if (by >= 0 && is_watched && !one.reply.starts_with('-')
            && std::find(one.argv.begin(), one.argv.end(), key_of(i)) != one.argv.end()) {
            auto const owners = outdated.owners(key_of(i));
            write({.what = fact::kind::outdated,
                   .process = by,
                   .lock = i,
                   .owner = owners.empty() ? std::string() : owners.front(),
                   .amount = outdated.number(key_of(i))});
        }
        if (auto counted = counted_at(outdated, i); outdated_counts_[{number, i}] != counted) {
            outdated_counts_[{number, i}] = std::move(counted);
            miss_count(i);
        }
        auto now = leases_at(outdated, i);
        auto& known = outdated_[{number, i}];
        for (auto const& [owner, ends] : now)
            if (auto const found = known.find(owner); found == known.end() || found->second < ends)
                write({.what = fact::kind::missed, .lock = i, .owner = owner});
        for (auto const& [owner, ends] : known)
            if (!now.contains(owner)) returns(i, owner);
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
    // The node that has joined late may have the slot of a lock.
    auto const has_a_lock = [&](int number) {
        for (int lock = 0; lock < plan.locks; ++lock)
            if (cluster->home_of(key_of(lock)) == number) return true;
        return false;
    };
    auto latest = moment(0);
    for (int i = 0; i < plan.servers; ++i)
        if (!cluster->membership_of(i).is_replica() && (i != cluster->spare() || has_a_lock(i)))
            latest = std::max(latest, of(i));
    return latest;
}

void stage::by_hand(int lock, std::string const& bytes) {
    host_of(lock).by_hand(cluster ? resp::command("ASKING") + bytes : bytes);
}

void stage::tell_by_hand(int lock, std::string const& channel, std::string const& message) {
    by_hand(lock, resp::command(cluster && plan.shards_known ? "SPUBLISH" : "PUBLISH", channel, message));
}

} // namespace redlatch::sim
