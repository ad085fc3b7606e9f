#include "config_view.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace redlatch::cli {
namespace {

/// The parts of an address that can be used, as they are written.
struct address_parts {
    std::string scheme{};
    std::string username{};
    std::string password{};
    std::string rest{}; ///< hosts or a path, and what follows
};

address_parts parts_of(std::string const& address) {
    address_parts result;
    auto const mark = address.find("://");
    if (mark == std::string::npos) return {.rest = address}; // local:
    result.scheme = address.substr(0, mark);
    std::ranges::transform(result.scheme, result.scheme.begin(),
                           [](char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte; });
    auto const begin = mark + 3;
    auto const end = std::min(address.find_first_of("/?#", begin), address.size());
    auto const at = address.substr(0, end).rfind('@');
    if (at == std::string::npos || at < begin) {
        result.rest = address.substr(begin);
        return result;
    }
    auto const colon = std::min(address.find(':', begin), at);
    result.username = address.substr(begin, colon - begin);
    result.password = address.substr(std::min(colon + 1, at), at - std::min(colon + 1, at));
    result.rest = address.substr(at + 1);
    return result;
}

bool is_socket(address_parts const& parts) {
    return parts.scheme == "unix" || parts.scheme.ends_with("+uds");
}

/// Behind the slash, or behind `?db=`; what the fields say otherwise.
int database_of(address_parts const& parts, int otherwise) {
    auto const query = parts.rest.find("?db=");
    auto const slash = is_socket(parts) ? std::string::npos : parts.rest.find('/');
    auto const digits = query != std::string::npos   ? parts.rest.substr(query + 4)
                        : slash != std::string::npos ? parts.rest.substr(slash + 1)
                                                     : std::string();
    std::from_chars(digits.data(), digits.data() + digits.size(), otherwise);
    return otherwise;
}

std::string mode_of(config const& settings, address_parts const& first) {
    switch (settings.topology.mode) {
    case server_mode::sentinel: return "sentinel";
    case server_mode::cluster: return "cluster";
    case server_mode::master_slave: return "master_slave";
    case server_mode::replicated: return "replicated";
    case server_mode::single: break;
    }
    if (first.scheme.ends_with("-sentinel")) return "sentinel";
    if (first.scheme.ends_with("-cluster")) return "cluster";
    return "single";
}

} // namespace

std::string masked_address(std::string const& address) {
    auto const parts = parts_of(address);
    if (parts.scheme.empty()) return address;
    auto const user = parts.username.empty() && parts.password.empty() ? std::string()
                      : parts.password.empty()                         ? parts.username + ":@"
                                                                       : parts.username + ":***@";
    return parts.scheme + "://" + user + parts.rest;
}

shown_servers servers_of(config const& settings) {
    auto const& nodes = settings.topology.nodes;
    auto const written = nodes.empty() ? std::vector<std::string>{settings.address} : nodes;
    auto const first = parts_of(written.front());
    shown_servers result;
    result.mode = mode_of(settings, first);
    for (auto const& one : written) result.addresses.push_back(masked_address(one));
    result.master = settings.topology.master_name;
    if (auto const mark = first.rest.find('#'); mark != std::string::npos) result.master = first.rest.substr(mark + 1);
    result.username = first.username.empty() ? settings.username : first.username;
    result.has_password = !settings.password.empty() || !first.password.empty();
    result.database = database_of(first, settings.database);
    bool const with_tls = first.scheme.starts_with("rediss") || first.scheme.starts_with("valkeys");
    result.tls = settings.topology.servers_use_tls.value_or(with_tls);
    result.sentinel_tls = with_tls && result.mode == "sentinel";
    return result;
}

} // namespace redlatch::cli
