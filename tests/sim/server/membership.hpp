// What one node of a cluster believes of it: who belongs to it, and who has which slot. Plain data, but for the way out.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::sim {

struct membership {
    static constexpr int nobody = -1;
    struct member {
        std::string id; ///< 40 hex digits
        std::uint16_t port = 0;
        std::uint64_t epoch = 0;
        int master = nobody; ///< of which it is a replica
        bool known = true;   ///< it has joined
    };
    /// How this node names others, and itself, to clients.
    enum class naming : std::uint8_t {
        usual,
        no_host,     ///< redirects name a port only, and CLUSTER NODES no host of the node itself
        refusing,    ///< a host that refuses connections
        unreachable, ///< a host that does not answer
    };

    int me = 0;
    std::vector<member> members{};
    std::vector<std::int8_t> owners{};        ///< of each slot: a member, or nobody
    std::vector<std::uint64_t> claims{};      ///< how new that is; the greater number is right
    std::map<std::uint16_t, int> migrating{}; ///< to
    std::map<std::uint16_t, int> importing{}; ///< from
    bool down = false;                        ///< CLUSTERDOWN: it cannot reach the others, or some slots have no master
    naming names = naming::usual;
    /// To the other nodes. `of_shard`: to those of the same shard only.
    std::function<void(std::string_view channel, std::string_view message, bool of_shard)> publishes{};

    member const& myself() const { return members.at(static_cast<std::size_t>(me)); }
    bool is_replica() const { return myself().master != nobody; }
    int owner_of(std::uint16_t slot) const { return owners[slot]; }
    /// The reply to CLUSTER NODES.
    std::string nodes() const;
    /// As in a redirect: `host:port`.
    std::string address_of(int which) const;
};

inline constexpr std::string_view servers_host = "10.0.0.1";
inline constexpr std::string_view refusing_host = "10.0.9.8";
inline constexpr std::string_view unreachable_host = "10.0.9.9";

} // namespace redlatch::sim
