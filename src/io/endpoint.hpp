// Where the server is and how to introduce oneself: the address and the fields of a config, taken together.
#pragma once

#include <redlatch/config.hpp>

#include <cstdint>
#include <string>

namespace redlatch::io {

struct endpoint {
    bool local = false;       ///< the private server; its socket is not known yet
    bool unix_socket = false; ///< also for local
    std::string
        host_or_path{};     ///< a name, an IPv4 address, a bare IPv6 address (with %zone), or a socket; empty for local
    std::uint16_t port = 0; ///< zero for a Unix socket
    std::string username{};
    std::string password{};
    int database = 0;
    bool tls = false; ///< only of TCP

    /// For messages: `redis://host:port`, `rediss://host:port`, `unix:///path` or `local:`; never with a password.
    std::string display() const;
};

/// User, password and database of the address win over the fields. Throws error(bad_config).
endpoint resolve_endpoint(config const& settings);

} // namespace redlatch::io
