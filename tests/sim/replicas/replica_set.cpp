#include "sim/replicas/replica_set.hpp"

#include <algorithm>
#include <variant>

namespace redlatch::sim {

using namespace std::chrono_literals;

void replica_set::listen_to(server_host& master, int but) {
    master_ = &master;
    run_ = master.run();
    no_replica_ = but;
    master.on_changed = [this, &master] {
        if (master_ == &master) copy();
    };
}

void replica_set::begin(server_host& master, int but) {
    listen_to(master, but);
    for (int i = 0; i < size(); ++i) {
        if (i == but) continue;
        at(i).connected = true;
        master.node().acknowledge(i, master.node().writes());
    }
}

void replica_set::follow(server_host& master, int but) {
    if (master_ != &master)
        for (int i = 0; i < size(); ++i) master_->node().disconnect_replica(i);
    listen_to(master, but);
    isolated_ = false;
    for (int i = 0; i < size(); ++i) {
        at(i).connected = false;
        ++at(i).period;
        if (i != but && !at(i).parted) come_back(i);
    }
}

/// It synchronises anew.
void replica_set::come_back(int number) {
    auto const period = ++at(number).period;
    world_.at(world_.now() + at(number).delay + world_.between(1ms, 30ms), [this, number, period] {
        auto& one = at(number);
        if (one.period != period) return;
        if (!master_->running() || master_->paused() || isolated_) return come_back(number);
        one.connected = true;
        one.last_arrival = one.last_word = moment(0);
        receive(number, master_->node().data(), master_->node().writes(), world_.now());
    });
}

void replica_set::part(int number, absence how) {
    auto& one = at(number);
    one.parted = true;
    ++one.period;
    if (how != absence::gone || number == no_replica_) return;
    one.connected = false;
    master_->node().disconnect_replica(number);
}

void replica_set::rejoin(int number) {
    auto& one = at(number);
    if (!std::exchange(one.parted, false) || number == no_replica_) return;
    one.connected = false;
    master_->node().disconnect_replica(number);
    come_back(number);
}

void replica_set::isolate_master() {
    isolated_ = true;
    for (auto& one : all_) ++one.period;
}

void replica_set::copy() {
    if (isolated_) return;
    if (master_->run() != run_) return follow(*master_, no_replica_);
    auto const data = std::make_shared<keyspace const>(master_->node().data());
    for (int i = 0; i < size(); ++i)
        if (at(i).connected && !at(i).parted) send(i, data);
}

void replica_set::send(int number, std::shared_ptr<keyspace const> const& data) {
    auto& one = at(number);
    one.last_arrival = std::max(one.last_arrival, world_.now() + world_.between(one.delay / 4, one.delay));
    world_.at(one.last_arrival,
              [this, number, data, period = one.period, writes = master_->node().writes(), since = world_.now()] {
                  if (at(number).period == period) receive(number, *data, writes, since);
              });
}

void replica_set::receive(int number, keyspace const& data, std::uint64_t writes, moment since) {
    auto& one = at(number);
    one.data = data;
    one.heard_until = since;
    for (auto const& [name, value] : data.databases.front())
        if (auto const* const fields = std::get_if<hash_fields>(&value.value))
            for (auto const& [field, count] : *fields) one.had.emplace(name, field);
    one.last_word = std::max(one.last_word, world_.now() + world_.between(20us, 300us));
    world_.at(one.last_word, [this, number, writes, period = one.period, run = run_] {
        if (at(number).period != period || master_->run() != run || !master_->running()) return;
        master_->when_awake([this, number, writes, run, on = master_] {
            if (on->run() != run || on != master_ || !at(number).connected) return;
            on->node().acknowledge(number, writes);
            on->flush();
        });
    });
}

int replica_set::connected() const {
    return static_cast<int>(std::count_if(all_.begin(), all_.end(), [](auto const& one) { return one.connected; }));
}

int replica_set::that_had(std::string const& lock, std::string const& owner, moment since) const {
    return static_cast<int>(std::count_if(all_.begin(), all_.end(), [&](auto const& one) {
        return one.had.contains(std::pair(lock, owner)) || one.heard_until >= since;
    }));
}

int replica_set::most_recent(int but) const {
    int best = -1;
    for (int i = 0; i < size(); ++i) {
        if (i == but || all_[static_cast<std::size_t>(i)].parted) continue;
        if (best < 0
            || all_[static_cast<std::size_t>(i)].heard_until > all_[static_cast<std::size_t>(best)].heard_until)
            best = i;
    }
    return best;
}

} // namespace redlatch::sim
