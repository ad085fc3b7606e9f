// The address of a server as a URI.
//
//     redis://[user:password@]host[:port][/db]      valkey://…       TCP; an IPv6 address stands in brackets
//     rediss://…                                    valkeys://…      TCP with TLS
//     redis-sentinel://[user:password@]host[:port][,host[:port]…][/db]#master-name    the master that these Sentinels know
//     redis-cluster://[user:password@]host[:port][,host[:port]…]                      a cluster that these nodes belong to
//     redis-replicated://[user:password@]host[:port][,host[:port]…][/db]              whichever of these is the master
//     rediss-sentinel://…  rediss-cluster://…       the same with TLS; valkey-…:// and valkeys-…:// too
//     unix://[user:password@]/path[?db=n]           redis+uds://…    a Unix socket; valkey+uds://… too
//     local:                                                         the private server
//
// User, password and path may contain %XX. `?db=n` works everywhere.
#pragma once

#include <redlatch/topology_options.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::io {

struct server_uri {
    enum class kind { tcp, unix_socket, local };
    struct host_and_port {
        std::string host{};
        std::uint16_t port = 0;
    };

    kind type = kind::tcp;
    server_mode mode = server_mode::single; ///< of kind tcp; any but master_slave
    std::string host_or_path{};             ///< empty for local
    std::uint16_t port = 0;                 ///< of kind tcp
    std::vector<host_and_port> others{};    ///< behind the first host
    std::string master_name{};              ///< that the Sentinels know the master by
    bool tls = false;                       ///< of kind tcp
    std::optional<std::string> username{};
    std::optional<std::string> password{};
    std::optional<int> database{};
};

/// Throws error(bad_config); the message shows the URI with its password masked and says what is wrong with it.
server_uri parse_server_uri(std::string_view uri);

/// `host:port`, `[::1]:port` or `host`, which has the usual port then. Throws error(bad_config): what is wrong with it.
server_uri::host_and_port parse_host_and_port(std::string_view text, std::uint16_t usual_port);

constexpr std::uint16_t default_port = 6379;
constexpr std::uint16_t default_sentinel_port = 26379;

} // namespace redlatch::io
