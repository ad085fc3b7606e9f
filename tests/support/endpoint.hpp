// Where a server listens: a Unix socket, or a TCP port on 127.0.0.1.
#pragma once

#include "support/descriptor.hpp"

#include <cstdint>
#include <string>

namespace redlatch::test {

struct endpoint {
    std::string path{};     ///< of a Unix socket; empty: TCP
    std::uint16_t port = 0; ///< on 127.0.0.1

    bool is_unix() const noexcept { return !path.empty(); }

    /// `unix:///path` or `redis://127.0.0.1:port`
    std::string uri() const;
    /// With `user:password@`, for servers with rights. A Unix socket cannot carry them in its URI: use config's fields.
    std::string uri(std::string const& user, std::string const& password) const;
};

/// A blocking connection; empty when nobody listens.
descriptor connect_to(endpoint const& where);

/// A listening socket. A port of 0 is replaced by the one that the system chose.
descriptor listen_on(endpoint& where);

} // namespace redlatch::test
