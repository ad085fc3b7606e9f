#include "connection/role_reply.hpp"

namespace redlatch::connection {

server_role read_role(resp::value const& reply) noexcept {
    if (!reply.is_array() || reply.items.empty() || !reply.items.front().is_text()) return server_role::unknown;
    auto const& word = reply.items.front().text;
    if (word == "master") return server_role::master;
    if (word == "slave" || word == "replica") return server_role::replica;
    return word == "sentinel" ? server_role::sentinel : server_role::unknown;
}

std::optional<int> replicas_in_step(resp::value const& reply) {
    if (read_role(reply) != server_role::master || reply.items.size() < 3 || !reply.items[2].is_array())
        return std::nullopt;
    return static_cast<int>(reply.items[2].items.size());
}

std::string master_of(resp::value const& reply) {
    if (read_role(reply) != server_role::replica || reply.items.size() < 3) return {};
    auto const& host = reply.items[1];
    auto const& port = reply.items[2];
    if (!host.is_text() || host.text.empty() || !port.is_integer()) return {};
    return ", " + host.text + ":" + std::to_string(port.integer);
}

} // namespace redlatch::connection
