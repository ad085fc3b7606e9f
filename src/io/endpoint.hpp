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
    /// Who says that it is there, as the beginning of a sentence: "the cluster says that a node of it is there". Empty: the
    /// configuration does.
    std::string told_by{};

    /// For messages: `redis://host:port`, `rediss://host:port`, `unix:///path` or `local:`; never with a password.
    std::string display() const;
    /// What to do where it cannot be reached, behind the reason; empty where the address is that of the configuration.
    std::string hint() const;
};

/// User, password and database of the address win over the fields. Throws error(bad_config).
endpoint resolve_endpoint(config const& settings);

} // namespace redlatch::io
