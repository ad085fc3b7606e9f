// What one node of a cluster says of all: the reply to CLUSTER NODES.
#pragma once

#include "connection/host_and_port.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::connection {

using node_address = host_and_port;

/// `host:port`; the host may be an IPv6 address without brackets, or empty. None: it is no address.
std::optional<node_address> read_node_address(std::string_view text);

struct cluster_view {
    struct slot_range {
        std::uint16_t first;
        std::uint16_t last;
    };
    /// A master that has slots.
    struct master {
        node_address where;
        std::uint64_t epoch = 0; ///< of two nodes that claim a slot, the one with the greater number is right
        std::vector<slot_range> slots{};
    };
    std::vector<master> masters{};
    /// They know who the masters are, too.
    std::vector<node_address> replicas{};
};

/// `asked`: the host of the node that was asked, for one that does not know its own. `hostnames`: rather the names of nodes
/// than their addresses, for certificates are made for names. None: not understood.
std::optional<cluster_view> read_cluster_view(std::string_view text, std::string const& asked, bool hostnames);

} // namespace redlatch::connection
