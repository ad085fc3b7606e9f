// The replicas of one simulated server: each copies its data some time later, and says so later still.
//
// | a replica is       | what it does                                                        |
// |--------------------|---------------------------------------------------------------------|
// | connected          | gets each change after a delay of its own, in order                 |
// | out of reach       | gets nothing; the master does not know that yet, and counts it      |
// | gone               | gets nothing, and the master knows that                             |
// | on its way back    | gets all data as they are then, and is connected                    |
// Replicas answer no client.
#pragma once

#include "sim/server/keyspace.hpp"
#include "sim/world/server_host.hpp"
#include "sim/world/world.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::sim {

class replica_set {
public:
    replica_set(world& in, int replicas) : world_(in), all_(static_cast<std::size_t>(replicas)) {}

    int size() const { return static_cast<int>(all_.size()); }
    /// From now on they copy this server, `but` for one that is a master itself: they are on their way back.
    void follow(server_host& master, int but = -1);
    /// Its data are copied once at the beginning as they are.
    void begin(server_host& master, int but = -1);

    enum class absence : std::uint8_t { out_of_reach, gone };
    void part(int replica, absence how);
    void rejoin(int replica);
    /// None of them hears anything of the master until they follow another one, or the same again.
    void isolate_master();
    /// What it takes a change to get to it.
    void set_delay(int replica, moment delay) { at(replica).delay = delay; }

    keyspace const& data_of(int replica) const { return all_.at(static_cast<std::size_t>(replica)).data; }
    /// How many take part, as their master sees it.
    int connected() const;
    /// How many have, or have had, this owner of a lock, which came to be there `since`; or know of what was later.
    int that_had(std::string const& lock, std::string const& owner, moment since) const;
    /// The one that has heard of most; `but` for that one.
    int most_recent(int but = -1) const;

private:
    using owners = std::set<std::pair<std::string, std::string>>; ///< a lock and one of its owners

    struct follower {
        moment delay{1'000'000};
        bool parted = false;
        bool connected = false;   ///< as the master sees it
        std::uint64_t period = 0; ///< of its connection: what was sent in an earlier one does not arrive
        moment last_arrival{0};
        moment last_word{0}; ///< of its acknowledgements
        keyspace data{};
        moment heard_until{0}; ///< when the master had these data
        owners had{};
    };
    follower& at(int number) { return all_.at(static_cast<std::size_t>(number)); }
    void listen_to(server_host& master, int but);
    void copy();
    void send(int number, std::shared_ptr<keyspace const> const& data);
    void receive(int number, keyspace const& data, std::uint64_t writes, moment since);
    void come_back(int number);

    world& world_;
    server_host* master_ = nullptr;
    std::uint64_t run_ = 0; ///< of the master
    int no_replica_ = -1;
    bool isolated_ = false;
    std::vector<follower> all_;
};

} // namespace redlatch::sim
