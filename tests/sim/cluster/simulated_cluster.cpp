#include "sim/cluster/simulated_cluster.hpp"

#include "sim/server/key_slot.hpp"
#include "sim/world/seams.hpp"

#include <algorithm>
#include <cstdio>

namespace redlatch::sim {

using namespace std::chrono_literals;

namespace {

std::string id_of(int number) {
    char text[41];
    std::snprintf(text, sizeof text, "%040x", 0xc1000 + number);
    return text;
}

} // namespace

simulated_cluster::simulated_cluster(world& in, arrangement how)
    : world_(in), how_(how), truth_(slots_in_all, membership::nobody) {
    auto const masters = how.masters;
    for (unsigned slot = 0; slot < slots_in_all; ++slot) {
        auto const share = static_cast<int>(slot * static_cast<unsigned>(masters) / slots_in_all);
        truth_[slot] = static_cast<std::int8_t>((share + how.first_share) % masters);
    }
    std::vector<membership::member> all;
    for (int i = 0; i < servers_for(masters); ++i) {
        bool const replica = i >= masters && i < 2 * masters;
        all.push_back({.id = id_of(i),
                       .port = static_cast<std::uint16_t>(first_port + i),
                       .epoch = i < masters ? static_cast<std::uint64_t>(i) + 1 : 0,
                       .master = replica ? i - masters : membership::nobody,
                       .known = i != spare()});
    }
    latest_epoch_ = static_cast<std::uint64_t>(masters);
    for (int i = 0; i < std::ssize(all); ++i) {
        auto& one = nodes_.emplace_back();
        one.me = i;
        one.members = all;
        one.owners = truth_;
        one.claims.assign(slots_in_all, 1);
        one.publishes = [this, i](std::string_view channel, std::string_view message, bool of_shard) {
            publish(i, channel, message, of_shard);
        };
    }
    auto& fresh = nodes_.back();
    fresh.owners.assign(slots_in_all, membership::nobody);
    fresh.claims.assign(slots_in_all, 0);
    for (auto& one : fresh.members) one.known = false;
}

void simulated_cluster::begin(std::deque<server_host>& hosts) {
    hosts_ = &hosts;
}

// --- who is right

int simulated_cluster::home_of(std::string const& key) const {
    auto const slot = key_slot(key);
    auto const owner = truth_[slot];
    auto const moving = migrations_.find(slot);
    if (moving == migrations_.end()) return owner;
    auto const& [from, to, number] = moving->second;
    bool const is_there = !host(from).exists(key) && host(to).exists(key);
    return is_there ? to : from;
}

bool simulated_cluster::has_keys_of(int number, std::string const& key) const {
    auto const slot = key_slot(key);
    auto const moving = migrations_.find(slot);
    return truth_[slot] == number
           || (moving != migrations_.end() && (moving->second.from == number || moving->second.to == number));
}

int simulated_cluster::partner_of(int number) const {
    if (number == spare()) return membership::nobody;
    return number < how_.masters ? number + how_.masters : number - how_.masters;
}

// --- what they tell each other

bool simulated_cluster::hears(int number) const {
    return host(number).running() && !host(number).paused() && !isolated_.contains(number);
}

void simulated_cluster::after_a_while(std::function<void()> what) {
    world_.at(world_.now() + world_.between(500us, 40ms), std::move(what));
}

void simulated_cluster::tell(int from) {
    for (int to = 0; to < size(); ++to)
        if (to != from) after_a_while([this, from, to] { hear(from, to); });
}

void simulated_cluster::tell_all() {
    for (int from = 0; from < size(); ++from) tell(from);
}

void simulated_cluster::hear(int from, int to) {
    if (!hears(from) || !hears(to) || !membership_of(from).myself().known) return;
    auto& mine = membership_of(to);
    auto const& theirs = membership_of(from);
    auto& known = mine.members.at(static_cast<std::size_t>(from));
    known.known = true;
    known.master = theirs.myself().master;
    for (std::size_t i = 0; i < mine.members.size(); ++i)
        mine.members[i].epoch = std::max(mine.members[i].epoch, theirs.members[i].epoch);
    learn_slots(from, to);
    if (!theirs.is_replica()) set_down(to, reason::uncovered, false);
    set_down(to, reason::minority, false);
}

/// The newer claim to a slot counts. What is on its way to a node is changed by nobody but whoever moves it.
void simulated_cluster::learn_slots(int from, int to) {
    auto& mine = membership_of(to);
    auto const& theirs = membership_of(from);
    std::map<int, std::vector<std::uint16_t>> lost; // by who has them now
    bool knows_more = false;
    for (unsigned slot = 0; slot < slots_in_all; ++slot) {
        auto const here = static_cast<std::uint16_t>(slot);
        if (theirs.claims[slot] == mine.claims[slot] || mine.importing.contains(here)) continue;
        if (theirs.claims[slot] < mine.claims[slot]) {
            knows_more = true;
            continue;
        }
        if (mine.owners[slot] == to) lost[theirs.owners[slot]].push_back(here);
        mine.owners[slot] = theirs.owners[slot];
        mine.claims[slot] = theirs.claims[slot];
    }
    for (auto const& [winner, slots] : lost) settle(to, slots, winner);
    if (knows_more) after_a_while([this, from, to] { hear(to, from); });
}

/// A node has lost slots to another one; with all of them its part as a master.
void simulated_cluster::settle(int number, std::vector<std::uint16_t> const& lost, int winner) {
    auto& mine = membership_of(number);
    for (auto const slot : lost) mine.migrating.erase(slot);
    bool const has_none = std::find(mine.owners.begin(), mine.owners.end(), number) == mine.owners.end();
    auto& node = host(number).node();
    if (has_none) {
        mine.members[static_cast<std::size_t>(number)].master = winner;
        node.replace_data({});
    }
    std::set<std::uint16_t> const gone(lost.begin(), lost.end());
    node.end_shard_subscriptions([&](std::uint16_t slot) { return gone.contains(slot); });
    host(number).changed();
    if (!has_none) return;
    outdated_.erase(number);
    set_down(number, reason::rejoining, false);
    tell(number);
}

void simulated_cluster::publish(int from, std::string_view channel, std::string_view message, bool of_shard) {
    for (int to = 0; to < size(); ++to) {
        if (to == from || (of_shard && to != partner_of(from))) continue;
        auto& last = last_message_[{from, to}];
        last = std::max(last, world_.now() + world_.between(20us, 500us));
        world_.at(last, [this, from, to, of_shard, name = std::string(channel), what = std::string(message)] {
            if (isolated_.contains(from) || isolated_.contains(to) || !host(to).running()) return;
            host(to).when_awake([this, to, name, what, of_shard] {
                host(to).node().hear(name, what, of_shard);
                host(to).flush();
            });
        });
    }
}

void simulated_cluster::set_down(int number, reason why, bool down) {
    auto& all = down_[number];
    down ? void(all.insert(why)) : void(all.erase(why));
    membership_of(number).down = !all.empty();
}

void simulated_cluster::lack_slots_of(int number) {
    for (int other = 0; other < size() && how_.is_whole; ++other)
        if (other != number) set_down(other, reason::uncovered, true);
}

void simulated_cluster::isolate(int number) {
    isolated_.insert(number);
}

void simulated_cluster::rejoin(int number) {
    isolated_.erase(number);
    tell_all();
}

void simulated_cluster::on_started(int number) {
    if (is_outdated(number)) set_down(number, reason::rejoining, true);
    tell_all();
}

void simulated_cluster::join(int number) {
    if (membership_of(number).myself().known) return;
    membership_of(number).members[static_cast<std::size_t>(number)].known = true;
    tell_all();
}

// --- a replica takes over

void simulated_cluster::own(int number, std::uint16_t slot, int owner) {
    auto& mine = membership_of(number);
    mine.owners[slot] = static_cast<std::int8_t>(owner);
    mine.claims[slot] = latest_epoch_;
}

bool simulated_cluster::take_over(int master, keyspace data) {
    auto const next = partner_of(master);
    if (next == membership::nobody || !hears(next) || !membership_of(next).is_replica()) return false;
    if (std::find(truth_.begin(), truth_.end(), master) == truth_.end()) return false;
    around_loss([&] {
        for (auto one = migrations_.begin(); one != migrations_.end();) {
            auto const& [slot, what] = *one++;
            if (what.from == master || what.to == master) give_up(slot);
        }
        host(next).take_over(std::move(data));
        auto& mine = membership_of(next);
        mine.members[static_cast<std::size_t>(next)].master = membership::nobody;
        mine.members[static_cast<std::size_t>(next)].epoch = ++latest_epoch_;
        for (unsigned slot = 0; slot < slots_in_all; ++slot) {
            if (truth_[slot] != master) continue;
            truth_[slot] = static_cast<std::int8_t>(next);
            own(next, static_cast<std::uint16_t>(slot), next);
        }
        outdated_.insert(master);
        ++changes_;
    });
    set_down(next, reason::uncovered, false);
    tell(next);
    return true;
}

// --- slots move

bool simulated_cluster::goes_on(std::uint16_t slot, std::uint64_t number) const {
    auto const found = migrations_.find(slot);
    return found != migrations_.end() && found->second.number == number;
}

bool simulated_cluster::migrate(std::uint16_t slot, int to, moment lasts, ending how, int early) {
    auto const from = master_of(slot);
    if (from == to || migrations_.contains(slot) || !hears(from) || !hears(to) || is_outdated(to)
        || membership_of(from).is_replica() || membership_of(to).is_replica())
        return false;
    membership_of(to).importing[slot] = from;
    membership_of(from).migrating[slot] = to;
    auto const number = ++numbered_;
    migrations_[slot] = {from, to, number};
    ++changes_;
    constexpr int usual_steps = 6; // more than keys of a lock
    auto const steps = early > 0 ? early : usual_steps;
    auto const [first, within] = early > 0 ? std::pair(moment(0), lasts / 8) : std::pair(lasts / 2, lasts / 2);
    for (int step = 1; step <= steps; ++step)
        world_.at(world_.now() + first + within * step / (steps + 1), [this, slot, number] {
            if (goes_on(slot, number)) move_a_key(slot);
        });
    world_.at(world_.now() + lasts, [this, slot, number, how] {
        if (goes_on(slot, number)) finish(slot, how);
    });
    return true;
}

void simulated_cluster::move_a_key(std::uint16_t slot) {
    auto const& [from, to, number] = migrations_.at(slot);
    if (hears(from) && hears(to)) carry_key(from, to, slot);
}

bool simulated_cluster::carry_key(int from, int to, std::uint16_t slot) {
    auto& source = host(from);
    auto& target = host(to);
    for (auto const& [name, value] : source.node().data().databases.front()) {
        if (key_slot(name) != slot) continue;
        auto const key = name;
        if (auto taken = source.node().take_key(key); taken && !taken->expired(source.now_ms())) {
            // What is left of the lease goes along, and not the time of its end: clocks differ.
            if (taken->expires_at_ms) *taken->expires_at_ms += target.now_ms() - source.now_ms();
            target.node().put_key(key, *std::move(taken));
        }
        source.changed();
        target.changed();
        return true;
    }
    return false;
}

void simulated_cluster::finish(std::uint16_t slot, ending how) {
    auto const [from, to, number] = migrations_.at(slot);
    if (!hears(from) || !hears(to)) { // whoever moves it waits
        world_.at(world_.now() + 50ms, [this, slot, mine = number, how] {
            if (goes_on(slot, mine)) finish(slot, how);
        });
        return;
    }
    bool const given_up = how == ending::given_up;
    auto const last = given_up ? from : to;
    while (carry_key(given_up ? to : from, last, slot)) {
    }
    membership_of(to).importing.erase(slot);
    migrations_.erase(slot);
    ++changes_;
    if (given_up) {
        membership_of(from).migrating.erase(slot);
        return;
    }
    truth_[slot] = static_cast<std::int8_t>(to);
    auto& target = membership_of(to);
    target.members[static_cast<std::size_t>(to)].epoch = ++latest_epoch_;
    own(to, slot, to);
    for (int each = 0; each < size(); ++each)
        if (each != to && !membership_of(each).is_replica())
            world_.at(world_.now() + (how == ending::usual ? world_.between(100us, 2ms) : world_.between(2ms, 60ms)),
                      [this, slot, each, to = to] { be_told(each, slot, to); });
    tell(to);
}

/// By whoever has moved it: CLUSTER SETSLOT NODE.
void simulated_cluster::be_told(int number, std::uint16_t slot, int owner) {
    auto& mine = membership_of(number);
    if (!hears(number) || truth_[slot] != owner || mine.owners[slot] == owner) return;
    bool const was_its_own = mine.owners[slot] == number;
    own(number, slot, owner);
    if (was_its_own) settle(number, {slot}, owner);
}

/// One of the two is master no more: what is on its way is lost to whoever asks for it.
void simulated_cluster::give_up(std::uint16_t slot) {
    auto const [from, to, number] = migrations_.at(slot);
    membership_of(from).migrating.erase(slot);
    membership_of(to).importing.erase(slot);
    auto& node = host(to).node();
    std::vector<std::string> stranded;
    for (auto const& [name, value] : node.data().databases.front())
        if (key_slot(name) == slot) stranded.push_back(name);
    for (auto const& name : stranded) node.take_key(name);
    migrations_.erase(slot);
    ++changes_;
}

} // namespace redlatch::sim
