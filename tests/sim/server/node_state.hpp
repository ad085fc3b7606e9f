// What one run of a server consists of, for the commands.
#pragma once

#include "sim/server/lua_engine.hpp"
#include "sim/server/pubsub.hpp"
#include "sim/server/redis_node.hpp"
#include "sim/server/replication.hpp"
#include "sim/server/request_reader.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::sim {

struct connection {
    redis_node::client id = 0;
    std::string address;
    std::string name{};
    std::string user = "default";
    bool authenticated = false;
    std::size_t database = 0;
    std::optional<std::int64_t> since_ms{}; ///< from its first bytes on
    std::int64_t active_ms = 0;
    std::string_view last_command = "NULL"; ///< as CLIENT LIST shows it
    request_reader requests{};
    std::string output{};
    bool asking = false;     ///< its next command is about a slot that is on its way here
    bool active = false;     ///< in node_state::active
    bool closing = false;    ///< nothing of it is executed any more
    bool waits = false;      ///< for replicas: what it has sent since is executed when that is over
    std::uint64_t wrote = 0; ///< the number of the last change that a command of it has made
};

struct redis_node::state {
    state(node_settings settings, keyspace data);

    node_settings settings;
    keyspace data;
    std::uint64_t writes = 0;
    std::int64_t now_ms = 0;
    bool loading = false;
    bool read_only = false;
    bool out_of_memory = false;
    bool no_replicas = false;
    bool disk_error = false;
    bool busy = false;

    std::map<client, connection> connections{};
    client last_id = 0;
    std::vector<client> active{};
    pubsub subscriptions{};
    replication replicas{};
    lua_engine scripts;
    std::function<void(executed const&)> observer{};

    std::vector<std::string_view> argv{}; ///< of the client's command that is being executed

    connection* find(client which);
    /// Its output has changed, or it is closing.
    void mark_active(connection& which);
    /// Says that it is to be closed and takes its subscriptions away.
    void close(connection& which);
    void execute_all(connection& from, std::string_view bytes);
    /// Sends a message to all subscribers; how many there were.
    std::size_t publish(std::string_view channel, std::string_view message);
    std::size_t publish_in_shard(std::string_view channel, std::string_view message);
    /// Those of channels whose slot has left this node's shard; their clients are told.
    void end_shard_subscriptions(std::function<bool(std::uint16_t slot)> const& gone);

    /// Answers all clients whose writes enough replicas have.
    void end_waits();
    /// With the number of replicas that have confirmed, or with an error.
    void end_wait(std::uint64_t number, std::string_view error = {});
    /// It becomes a replica.
    void unblock_waits();

    user const* user_of(connection const& which) const;
    bool needs_authentication(connection const& which) const;

    /// A key that can be seen now. One that has expired is removed first.
    entry* find_key(std::size_t number, std::string_view key);
    void store(std::size_t number, std::string_view key, entry value);
    bool remove_key(std::size_t number, std::string_view key);
    /// After a change of an entry in place.
    void changed() noexcept { ++writes; }
};

using node_state = redis_node::state;

} // namespace redlatch::sim
