// A loopback of one's own, and packets that get lost on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace redlatch::chaos {

struct network {
    bool own = false;         ///< this process is in a network namespace of its own, and nft works there
    std::string reason{};     ///< why not
    bool should_work = false; ///< the rights are there, only the tools are missing
};

/// Moves this process and all that it starts later into a new network namespace, which goes with the last of them. Before any
/// thread was started: a namespace belongs to a thread.
network enter_own_network();

/// Loses packets between clients and the server at this port. Only for a network of one's own; throws std::runtime_error when
/// nft refuses. What was lost is repaired by the destructor.
class packet_filter {
public:
    packet_filter() = default;
    packet_filter(packet_filter const&) = delete;
    packet_filter& operator=(packet_filter const&) = delete;
    ~packet_filter();

    void drop_to_server(std::uint16_t port) const;
    void drop_to_clients(std::uint16_t port) const;
    void drop_both(std::uint16_t port) const;
    /// Only the connections of the clients at these ports, as a firewall does that has forgotten them; new ones pass.
    void drop_connections(std::uint16_t port, std::vector<std::uint16_t> const& clients) const;
    /// A server that serves its clients and no other server hears or reaches: `source` is where its connections to others come
    /// from, `others` the network of those of all servers, `ports` are its own.
    void drop_between_servers(std::string const& source, std::string const& others,
                              std::vector<std::uint16_t> const& ports) const;
    void pass_all() const;
};

} // namespace redlatch::chaos
