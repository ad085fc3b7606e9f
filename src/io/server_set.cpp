#include "io/server_set.hpp"

#include "io/server_uri.hpp"
#include "io/uri_text.hpp"

#include <redlatch/error.hpp>

#include <map>
#include <utility>

namespace redlatch::io {

namespace {

[[noreturn]] void refuse_set(std::string const& message) {
    throw error(errc::bad_config, "the configuration cannot be used: " + message);
}

/// What its options for TLS are for is seen when all is known: servers and Sentinels may differ.
config without_tls_options(config settings) {
    settings.tls = {};
    return settings;
}

/// Those of one server, with its user, password and database.
std::vector<endpoint> nodes_of_address(config const& settings, server_uri const& address) {
    auto first = resolve_endpoint(address.mode == server_mode::sentinel ? without_tls_options(settings) : settings);
    std::vector<endpoint> nodes{first};
    for (auto const& other : address.others) {
        first.host_or_path = other.host;
        first.port = other.port;
        nodes.push_back(first);
    }
    return nodes;
}

std::vector<endpoint> nodes_of_list(config const& settings) {
    std::vector<endpoint> nodes;
    auto one = settings.topology.mode == server_mode::sentinel ? without_tls_options(settings) : settings;
    for (auto const& address : settings.topology.nodes) {
        one.topology.nodes = {address}; // of thousands each would be checked with all
        one.address = address;
        auto const where = parse_server_uri(address);
        if (where.type != server_uri::kind::tcp || where.mode != server_mode::single)
            refuse_set("topology.nodes has " + masked_uri(address)
                       + "; each is written redis://host:port or rediss://host:port");
        nodes.push_back(resolve_endpoint(one));
        if (nodes.back().tls != nodes.front().tls)
            refuse_set("topology.nodes has addresses with TLS and without it; use one of both for all");
        if (nodes.back().username != nodes.front().username || nodes.back().password != nodes.front().password)
            refuse_set("topology.nodes has addresses with different users or passwords; they are those of all servers: "
                       "write the same in each address, or none, and give them once in username and password");
    }
    return nodes;
}

/// A port of 0: there is none.
connection::host_and_port parse_address(std::string const& text) {
    try {
        auto const parsed = parse_host_and_port(text, 0);
        return {parsed.host, parsed.port};
    } catch (error const& problem) {
        refuse_set("topology.address_map has '" + printable(text) + "': " + problem.what());
    }
}

connection::address_map parse_address_map(std::map<std::string, std::string> const& text) {
    std::map<connection::host_and_port, connection::host_and_port> parsed;
    for (auto const& [told, reached] : text) {
        auto const from = parse_address(told);
        auto const to = parse_address(reached);
        if ((from.port == 0) != (to.port == 0))
            refuse_set("topology.address_map has '" + printable(told) + "' and '" + printable(reached)
                       + "' for it; each is written host:port, or both without a port");
        parsed.emplace(from, to);
    }
    return connection::address_map(std::move(parsed));
}

void check(server_set const& servers) {
    if (servers.nodes.empty()) refuse_set("topology.nodes is empty; it needs the address of at least one server");
    if (servers.mode == server_mode::sentinel && servers.master_name.empty())
        refuse_set("topology.master_name is empty; Sentinels are asked for a master by its name");
}

void check_tls(server_set const& servers, config const& settings) {
    auto const& topology = settings.topology;
    if (servers.mode != server_mode::sentinel) {
        if (topology.sentinel_tls) refuse_set("topology.sentinel_tls is for Sentinels, and there are none");
        if (topology.servers_use_tls) refuse_set("topology.servers_use_tls is for Sentinels, and there are none");
        return;
    }
    auto const first = servers.nodes.front();
    if (topology.sentinel_tls && !first.tls)
        refuse_set("topology.sentinel_tls has options for TLS, but the address of the Sentinel " + first.display()
                   + " does not use it; write rediss://host:port");
    if (settings.tls != tls_options{} && !servers.master.tls && (!first.tls || topology.sentinel_tls))
        refuse_set("it has options for TLS, but the address of the Sentinel " + first.display()
                   + (first.tls
                          ? " has its own, and topology.servers_use_tls is false"
                          : " does not use it; write rediss://host:port, or set topology.servers_use_tls where only "
                            "the servers use it"));
}

} // namespace

std::string server_set::display() const {
    if (mode == server_mode::single) return nodes.front().display();
    std::string text;
    for (auto const& one : nodes) text += (text.empty() ? "" : ", ") + one.display();
    return mode == server_mode::sentinel ? "the master '" + master_name + "' of the Sentinels " + text : text;
}

server_set resolve_servers(config const& settings) {
    server_set servers;
    if (settings.topology.mode == server_mode::single) {
        if (!settings.topology.nodes.empty())
            refuse_set("topology.nodes has " + masked_uri(settings.topology.nodes.front())
                       + ", and topology.mode is single, which has no nodes; say in topology.mode how the servers are "
                         "arranged, or name the one server in address and leave topology.nodes empty");
        auto const address = parse_server_uri(settings.address);
        servers.mode = address.mode;
        servers.nodes = nodes_of_address(settings, address);
        servers.master_name = address.master_name;
    } else {
        if (!settings.address.empty()) refuse_set("address is for a single server; topology.nodes has several");
        servers.mode = settings.topology.mode;
        servers.nodes = nodes_of_list(settings);
        servers.master_name = settings.topology.master_name;
    }
    check(servers);
    servers.reached_at = parse_address_map(settings.topology.address_map);
    servers.master = servers.nodes.front();
    servers.master.tls = settings.topology.servers_use_tls.value_or(servers.master.tls);
    check_tls(servers, settings);
    if (servers.mode != server_mode::sentinel) return servers;
    for (auto& one : servers.nodes) {
        one.username = settings.topology.sentinel_username;
        one.password = settings.topology.sentinel_password;
        one.database = 0;
    }
    return servers;
}

} // namespace redlatch::io
