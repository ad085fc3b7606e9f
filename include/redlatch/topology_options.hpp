// How the servers that hold the locks are arranged: one server, a master that Sentinels watch, a cluster, or several servers
// of which one is the master.
#pragma once

#include <redlatch/lease_clock.hpp>
#include <redlatch/tls_options.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace redlatch {

enum class server_mode {
    single,       ///< one server: config::address
    sentinel,     ///< the master of a name that Sentinels watch: Redisson's sentinelServersConfig
    cluster,      ///< Redis Cluster, or Valkey's: Redisson's clusterServersConfig
    master_slave, ///< a master that stays the master: Redisson's masterSlaveServersConfig
    replicated,   ///< whichever of several servers is the master: Redisson's replicatedServersConfig
};

/// Which messages a client of a cluster publishes and subscribes to. Clients that wake each other have to agree.
enum class sharded_messages {
    automatic, ///< those of the shard (SPUBLISH) where the cluster knows them, as Redisson does: from version 7
    on,
    off, ///< those of the whole cluster (PUBLISH), as Redisson does before 3.22, or with shardedSubscriptionMode OFF
};

/// Plain data. User, password and database of the servers are those of config; user and password of the Sentinels stand here.
/// So may their settings of TLS.
struct topology_options {
    server_mode mode = server_mode::single;

    /// Addresses, `redis://host:port` or `rediss://host:port`, all with TLS or none. The Sentinels, some nodes of the cluster,
    /// or all servers of a replicated set. Of a master with replicas: the master first. None for a single server: where there
    /// are some, `mode` has to be another one.
    std::vector<std::string> nodes{};

    /// The name that the Sentinels know the master by.
    std::string master_name{};
    /// For the Sentinels themselves; empty: no authentication.
    std::string sentinel_username{};
    std::string sentinel_password{};
    /// Names a file that holds the password, in place of it: read at each connect, as config::password_file. Sentinels whose
    /// user and password a function tells: config::sentinel_credentials.
    std::string sentinel_password_file{};
    /// The settings of TLS for the Sentinels, whose addresses say whether they use it. None: those of config::tls.
    std::optional<tls_options> sentinel_tls{};
    /// Whether the servers that Sentinels name use TLS. None: as the Sentinels do.
    std::optional<bool> servers_use_tls{};
    /// Whether Sentinels that only other Sentinels have told of are asked too: sentinelsDiscovery of Redisson. Otherwise those
    /// of `nodes` alone are, where the others cannot be reached from here or are not trusted.
    bool discover_sentinels = true;

    /// `host:port` as Sentinels or nodes of a cluster tell it, and `host:port` at which it can be reached from here; an IPv6
    /// address stands in brackets. Without a port in both: a host with all its ports, which stay as they are; an entry with
    /// the port comes first. What is not in it stays as it is.
    std::map<std::string, std::string> address_map{};

    /// How often the arrangement is asked for where nothing has said that it changed. From 10 ms.
    duration scan_interval{5000};

    sharded_messages sharded = sharded_messages::automatic;

    friend bool operator==(topology_options const&, topology_options const&) = default;
};

} // namespace redlatch
