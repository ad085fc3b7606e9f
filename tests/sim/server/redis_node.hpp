// A Redis server without sockets, threads, clock or chance: one run of one server process. Bytes and the time go in, bytes
// come out; equal input gives equal output. It runs the shipped scripts in Lua 5.1, as Redis 7.0 does, and answers as that
// version does, byte for byte; the differential test holds it against a real one.
//
// It is not a whole Redis: the commands are those of command_table.cpp, the protocol is RESP2, and there is one kind of
// replication: whoever drives it copies data() into the next node.
#pragma once

#include "sim/server/keyspace.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::sim {

struct user {
    std::optional<std::string> password{}; ///< none: any password will do
    /// Lower-case commands ("publish", "client"), subcommands ("client|kill") or "@dangerous", the one category that is known;
    /// they are answered with NOPERM.
    std::set<std::string, std::less<>> refused{};
};

struct membership;
struct sentinel_view;

struct node_settings {
    std::string run_id = "0000000000000000000000000000000000000001"; ///< 40 hex digits; another one for each run
    std::string version = "7.0.15";
    std::string address = "10.0.0.1:6379"; ///< its own: laddr in CLIENT LIST
    /// Connections begin as "default"; if that one has a password they have to AUTH first.
    std::map<std::string, user, std::less<>> users{{"default", {}}};
    /// Lower-case commands that it does not know, as after "rename-command NAME ''" in its configuration.
    std::set<std::string, std::less<>> removed{};
    /// It is interrupted by each PEXPIRE: a key that gets less than this is deleted.
    std::int64_t expires_at_once_below_ms = 0;
    bool is_newer = false;                   ///< tells a script that meets a divided slot what Redis 7.2 and later say
    membership* cluster = nullptr;           ///< of which it is a node; none: it is alone
    sentinel_view const* sentinel = nullptr; ///< what it knows as a Sentinel; none: it is none
};

/// Not thread-safe. Distinct objects share nothing.
class redis_node {
public:
    using client = std::uint64_t; ///< Redis' CLIENT ID: counts from 1 in each run

    explicit redis_node(node_settings settings); ///< without data
    redis_node(node_settings settings, keyspace data);
    redis_node(redis_node&&) noexcept;
    redis_node& operator=(redis_node&&) noexcept;
    ~redis_node();

    // Connections.

    /// `address` is shown by CLIENT LIST and matched by CLIENT KILL ADDR: "10.0.0.1:40001".
    client connect(std::string address);
    /// The connection has ended: its subscriptions and its unfinished command go.
    void disconnect(client which);
    /// Executes every command that is complete, in order, at the server's wall clock `now_ms`. What a killed or unknown
    /// client sends is dropped.
    void receive(client from, std::string_view bytes, std::int64_t now_ms);
    /// The clients for which there is output, or which the server wants closed, since the last call; each once, in the
    /// order in which that came about.
    std::vector<client> take_active();
    /// The bytes for this client since the last call. Take them after each receive(): a client that is killed gets nothing
    /// any more, as what one round of a server's loop has written is sent at its end only.
    std::string take_output(client which);
    /// Killed, QUIT, or a protocol error: close the connection after its output. Also true after disconnect().
    bool ended(client which) const;
    std::size_t clients() const;

    // Data.

    keyspace const& data() const;
    /// Takes other data, as a replica does that is synchronised anew. Connections and scripts stay.
    void replace_data(keyspace data);
    /// Removes a key, as MIGRATE does behind its copy. None: there is no such key.
    std::optional<entry> take_key(std::string const& key);
    void put_key(std::string const& key, entry value);
    /// Grows with every change of the data, also when an expired key is removed.
    std::uint64_t writes() const;
    /// Of everything that decides how it answers whole commands from now on, but for the idle times in CLIENT LIST.
    std::uint64_t digest() const;

    // Conditions. Each takes effect with the next command.

    void set_loading(bool loading);             ///< -LOADING, as a server that reads its data from disk
    void set_read_only(bool read_only);         ///< -READONLY for writes, as a replica or a demoted master
    void set_out_of_memory(bool out_of_memory); ///< -OOM for writes that need memory
    void set_no_replicas(bool no_replicas);     ///< -NOREPLICAS for writes, as with min-replicas-to-write
    void set_disk_error(bool disk_error);       ///< -MISCONF for writes and PING, as when a snapshot has failed
    void set_busy(bool busy);                   ///< -BUSY for nearly all, as while somebody's script does not end
    /// Of a user in the settings; std::out_of_range for another one.
    void set_refused(std::string_view user, std::set<std::string, std::less<>> refused);
    void flush_scripts();

    // Among others.

    /// A message that no client of it has published.
    void hear(std::string_view channel, std::string_view message, bool of_shard);
    /// In a cluster: subscriptions to channels of slots that are `gone` end, and their clients are told.
    void end_shard_subscriptions(std::function<bool(std::uint16_t slot)> const& gone);

    // With replicas, which whoever drives it plays: a replica has a number.

    /// It is connected, and has everything up to the change of this number (writes()).
    void acknowledge(int replica, std::uint64_t writes);
    void disconnect_replica(int replica);
    /// A client that waits for its replicas, and for how long; 0: for ever.
    struct wait_begun {
        std::uint64_t number;
        std::int64_t ms;
    };
    /// Those that have begun since the last call.
    std::vector<wait_begun> take_waits();
    /// Its time is over: it is told how many replicas have what it has written. No matter: it has ended before.
    void end_wait(std::uint64_t number);

    // Observation.

    /// One command that was executed or refused. Views are valid during the call only.
    struct executed {
        client from;
        std::string_view address;
        std::span<std::string_view const> argv;
        std::string_view reply; ///< its bytes; several replies for SUBSCRIBE and UNSUBSCRIBE
        std::int64_t now_ms;
        std::size_t depth; ///< 0: sent by a client; 1: by a script that this client runs
    };
    /// Called after each command; a script's own commands come before the script's.
    void on_executed(std::function<void(executed const&)> observer);

    struct state; ///< inside only

private:
    std::unique_ptr<state> state_;
};

} // namespace redlatch::sim
