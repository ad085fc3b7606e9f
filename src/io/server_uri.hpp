// The address of a server as a URI.
//
//     redis://[user:password@]host[:port][/db]      valkey://…       TCP; an IPv6 address stands in brackets
//     rediss://…                                    valkeys://…      TCP with TLS
//     unix://[user:password@]/path[?db=n]           redis+uds://…    a Unix socket; valkey+uds://… too
//     local:                                                         the private server
//
// User, password and path may contain %XX. `?db=n` works everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace redlatch::io {

struct server_uri {
    enum class kind { tcp, unix_socket, local };

    kind type = kind::tcp;
    std::string host_or_path{}; ///< empty for local
    std::uint16_t port = 0;     ///< of kind tcp
    bool tls = false;           ///< of kind tcp
    std::optional<std::string> username{};
    std::optional<std::string> password{};
    std::optional<int> database{};
};

/// Throws error(bad_config); the message shows the URI with its password masked and says what is wrong with it.
server_uri parse_server_uri(std::string_view uri);

} // namespace redlatch::io
