// Simulated Sentinels, and the servers that they watch: a master, and replicas of which one takes over.
//
// | number                  | what it is in the beginning            |
// |-------------------------|----------------------------------------|
// | 0                       | the master                             |
// | 1 to servers - 1        | its replicas                           |
// | servers to the end      | the Sentinels                          |
// Which server is the master is known here. A Sentinel hears of a failover a little later than others, or much later, and names
// the old master until then. The old master goes on as one, if it is there, until it is told.
#pragma once

#include "sim/replicas/replica_set.hpp"
#include "sim/server/sentinel_view.hpp"
#include "sim/world/key_ownership.hpp"
#include "sim/world/server_host.hpp"
#include "sim/world/world.hpp"

#include <cstdint>
#include <deque>
#include <set>
#include <string>

namespace redlatch::sim {

class simulated_sentinels final : public key_ownership {
public:
    static constexpr int sentinels = 3;

    /// Before the hosts are there: Sentinels are given view_of(). Those are used from begin() on.
    simulated_sentinels(world& in, int servers);
    void begin(std::deque<server_host>& hosts, replica_set& replicas);

    sentinel_view const& view_of(int sentinel) const { return views_.at(static_cast<std::size_t>(sentinel)); }
    int master() const noexcept { return master_; }
    int servers() const noexcept { return servers_; }
    int home_of(std::string const&) const override { return master_; }
    bool has_keys_of(int number, std::string const&) const override { return number == master_; }

    /// The replica that has heard of most takes over, or with `other` another one. False: none is there.
    bool fail_over(bool other);
    /// An old master, if it is there, is told `later` that it is a replica.
    void demote(int number, moment later);
    /// The master's replicas do not hear of it; or do again, if it is still the master.
    void isolate_master() { replicas_->isolate_master(); }
    void rejoin_master() { replicas_->follow(host(master_), master_); }
    /// A Sentinel hears of no failover; or again of all.
    void part_sentinel(int sentinel, bool parted);

private:
    server_host& host(int number) { return hosts_->at(static_cast<std::size_t>(number)); }
    void tell(int sentinel);
    void hear(int sentinel);
    void on_started(int number);
    void become_replica(int number);

    world& world_;
    int const servers_;
    std::deque<server_host>* hosts_ = nullptr;
    replica_set* replicas_ = nullptr;
    std::deque<sentinel_view> views_;
    std::set<int> parted_;
    int master_ = 0;
    std::uint64_t epoch_ = 0;
};

} // namespace redlatch::sim
