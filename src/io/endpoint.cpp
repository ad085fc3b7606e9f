#include "io/endpoint.hpp"

#include "io/server_uri.hpp"
#include "io/uri_text.hpp"

#include <redlatch/error.hpp>

namespace redlatch::io {

std::string endpoint::display() const {
    if (local) return "local:";
    if (unix_socket) return "unix://" + percent_encoded_path(host_or_path);
    auto const is_ipv6 = host_or_path.find(':') != std::string::npos;
    auto const host = is_ipv6 ? "[" + percent_encoded_path(host_or_path) + "]" : host_or_path;
    return (tls ? "rediss://" : "redis://") + host + ":" + std::to_string(port);
}

std::string endpoint::hint() const {
    if (told_by.empty()) return {};
    return "; " + told_by
           + "; where it has another address from here (containers, NAT), set topology.address_map (natMapper in YAML)";
}

endpoint resolve_endpoint(config const& settings) {
    auto const address = parse_server_uri(settings.address);
    endpoint result;
    result.local = address.type == server_uri::kind::local;
    result.unix_socket = address.type != server_uri::kind::tcp;
    result.host_or_path = address.host_or_path;
    result.port = address.port;
    result.tls = address.tls;
    if (!result.tls && settings.tls != tls_options{})
        throw error(errc::bad_config, "the configuration cannot be used: it has options for TLS, but the address "
                                          + result.display() + " does not use it; write rediss://host:port");
    result.username = address.username.value_or(settings.username);
    result.password = address.password.value_or(settings.password);
    result.database = address.database.value_or(settings.database);
    return result;
}

} // namespace redlatch::io
