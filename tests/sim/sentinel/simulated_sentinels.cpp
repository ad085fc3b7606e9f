#include "sim/sentinel/simulated_sentinels.hpp"

#include "sim/server/membership.hpp"
#include "sim/world/seams.hpp"

namespace redlatch::sim {

using namespace std::chrono_literals;

simulated_sentinels::simulated_sentinels(world& in, int servers) : world_(in), servers_(servers) {
    for (int i = 0; i < sentinels; ++i) {
        auto& one = views_.emplace_back();
        one.host = servers_host;
        one.port = first_port + master_;
        for (int other = 0; other < sentinels; ++other)
            if (other != i) one.others.push_back(first_port + servers + other);
    }
}

void simulated_sentinels::begin(std::deque<server_host>& hosts, replica_set& replicas) {
    hosts_ = &hosts;
    replicas_ = &replicas;
    for (int i = 0; i < servers_; ++i) {
        host(i).on_started = [this, i] { on_started(i); };
        host(i).node().set_read_only(i != master_);
    }
    replicas.begin(host(master_), master_);
}

void simulated_sentinels::on_started(int number) {
    bool const outdated = is_outdated(number);
    host(number).node().set_read_only(number != master_ && !outdated);
    if (outdated) demote(number, world_.between(20ms, 1'500ms));
}

bool simulated_sentinels::fail_over(bool other) {
    auto const is_there = [this](int number) {
        return number >= 0 && host(number).running() && !host(number).paused() && !is_outdated(number);
    };
    auto next = replicas_->most_recent(master_);
    if (other || !is_there(next))
        for (int i = 0; i < servers_; ++i)
            if (i != master_ && i != next && is_there(i)) next = i;
    if (!is_there(next)) return false;
    auto const before = master_;
    around_loss([&] {
        host(next).node().set_read_only(false);
        host(next).take_over(replicas_->data_of(next));
        replicas_->part(before, replica_set::absence::gone);
        master_ = next;
        outdated_.insert(before);
        replicas_->follow(host(next), next);
        ++epoch_;
        ++changes_;
    });
    for (int i = 0; i < sentinels; ++i)
        if (!parted_.contains(i)) tell(i);
    return true;
}

void simulated_sentinels::tell(int sentinel) {
    bool const is_slow = world_.chance().up_to(3) == 0;
    world_.at(world_.now() + (is_slow ? world_.between(60ms, 1s) : world_.between(200us, 60ms)), [this, sentinel] {
        auto& it = host(servers_ + sentinel);
        if (parted_.contains(sentinel) || !it.running()) return;
        it.when_awake([this, sentinel] { hear(sentinel); });
    });
}

void simulated_sentinels::hear(int sentinel) {
    auto& mine = views_.at(static_cast<std::size_t>(sentinel));
    if (mine.epoch == epoch_) return;
    mine.epoch = epoch_;
    auto const place = [&](int port) { return mine.host + " " + std::to_string(port); };
    auto const news = mine.name + " " + place(mine.port) + " " + place(first_port + master_);
    mine.port = first_port + master_;
    auto& it = host(servers_ + sentinel);
    it.node().hear("+switch-master", news, false);
    it.flush();
}

void simulated_sentinels::part_sentinel(int sentinel, bool parted) {
    if (parted) {
        parted_.insert(sentinel);
        return;
    }
    parted_.erase(sentinel);
    tell(sentinel);
}

void simulated_sentinels::demote(int number, moment later) {
    world_.at(world_.now() + later, [this, number] {
        if (!is_outdated(number) || !host(number).running()) return; // told when it starts
        host(number).when_awake([this, number] { become_replica(number); });
    });
}

void simulated_sentinels::become_replica(int number) {
    if (!is_outdated(number) || !host(number).running()) return;
    auto& it = host(number);
    it.node().set_read_only(true);
    it.hang_up_on_everybody(); // as Sentinels do: else its clients may go on to ask a replica
    outdated_.erase(number);
    it.take_over({});
    ++changes_;
    replicas_->rejoin(number);
}

} // namespace redlatch::sim
