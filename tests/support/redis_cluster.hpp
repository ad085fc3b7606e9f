// A cluster of the test's own: masters that share the slots, each with replicas if wanted.
#pragma once

#include "support/redis_server.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace redlatch::test {

/// All nodes know each other when the constructor returns. Thread safety: as redis_server.
class redis_cluster {
public:
    /// Where the connections of a node to other nodes come from: 127.0.0.1, as those of clients, or an address of its own, so
    /// that a packet filter can tell them apart. All nodes are reached at 127.0.0.1.
    enum class addresses { shared, of_each_node };

    /// `more`: further arguments of each node, as on the command line.
    explicit redis_cluster(int masters = 3, int replicas_each = 0, addresses of_connections = addresses::shared,
                           std::vector<std::string> more = {});

    /// All nodes, as an address of redlatch.
    std::string uri() const;
    std::size_t size() const noexcept { return nodes_.size(); }
    /// The masters of the beginning come first; then the replicas of the first one, and so on; then those that have joined.
    redis_server& node(std::size_t index) { return *nodes_.at(index); }
    redis_server& replica_of(std::size_t master, std::size_t number = 0) {
        return *nodes_.at(masters_ + master * replicas_each_ + number);
    }
    std::string const& id(std::size_t index) const { return ids_.at(index); }
    /// Where other nodes reach it.
    std::uint16_t bus_port(std::size_t index) const {
        if (!bus_ports_.empty()) return bus_ports_.at(index)->number();
        return static_cast<std::uint16_t>(nodes_.at(index)->address().port + 10'000); // before 7.0, always
    }
    /// With addresses::of_each_node: where its connections to others come from; all these are in node_network.
    static std::string source_address(std::size_t index) { return "127.0.1." + std::to_string(index + 1); }
    static constexpr char const* node_network = "127.0.1.0/24";

    static std::uint16_t slot_of(std::string const& key);
    /// The master of the beginning that has the slot of a key.
    std::size_t owner_of(std::string const& key) const;
    /// A name whose slot that master has.
    std::string name_on(std::size_t master) const;

    // A slot goes to another master; in three steps, for tests that look at what is between them.
    void begin_move(std::uint16_t slot, std::size_t from, std::size_t to);
    /// All keys that are in the slot now.
    void move_keys(std::uint16_t slot, std::size_t from, std::size_t to);
    /// One of them.
    void move_key(std::string const& key, std::size_t from, std::size_t to);
    void end_move(std::uint16_t slot, std::size_t from, std::size_t to);

    /// All slots of a master of the beginning, without their keys: as if the other one had them from now on.
    void give_all_slots(std::size_t from, std::size_t to);

    /// All that this master of the beginning has executed has reached its replicas.
    bool has_replicated(std::size_t master) const;
    /// SIGKILL for a master of the beginning that has one replica, which is returned when it is the master of these slots.
    redis_server& lose(std::size_t master);
    /// A fresh server becomes a master without slots, and is known to all others. Its index.
    std::size_t join();
    /// As `redis-cli --cluster del-node` does it: the others, which all have to run, forget a node that has no slots, and it
    /// forgets them. It goes on as a server that knows nobody.
    void leave(std::size_t index);

    /// Whether this node, by its own word, is a master with slots.
    static bool is_master(redis_server const& node);

private:
    void start_node();
    void introduce(std::size_t first);

    std::size_t masters_;
    std::size_t replicas_each_;
    addresses of_connections_;
    std::vector<std::string> more_;
    std::vector<std::unique_ptr<redis_server>> nodes_;
    std::vector<std::unique_ptr<reserved_port>> bus_ports_;
    std::vector<std::string> ids_;
};

} // namespace redlatch::test
