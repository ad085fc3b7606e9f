// Where the servers of a client are and how they are arranged: the address and the fields of a config, taken together.
#pragma once

#include "connection/host_and_port.hpp"
#include "io/endpoint.hpp"

#include <redlatch/config.hpp>

#include <string>
#include <vector>

namespace redlatch::io {

struct server_set {
    server_mode mode = server_mode::single;
    /// At least one. The server; the Sentinels, with the user and password for them; nodes of a cluster; all of several.
    std::vector<endpoint> nodes{};
    /// Of the master of Sentinels: all but where it is. Otherwise the first of nodes.
    endpoint master{};
    std::string master_name{};
    /// From what servers tell of each other to where that can be reached from here.
    connection::address_map reached_at{};

    /// For messages: as in the address.
    std::string display() const;
};

/// Throws error(bad_config).
server_set resolve_servers(config const& settings);

} // namespace redlatch::io
