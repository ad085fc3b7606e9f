#include "api/redisson_keys.hpp"

#include <array>

namespace redlatch::redisson_keys {

namespace {

constexpr std::string_view not_java = "it is about Java's runtime";
constexpr std::string_view no_pool = "one connection carries all calls, so there is no pool";
constexpr std::string_view no_threads = "there is one background thread, and callers wait on their own";
constexpr std::string_view other_objects = "it is about other objects than locks, semaphores and latches";
constexpr std::string_view one_subscriber = "one connection carries all subscriptions";
constexpr std::string_view own_sockets =
    "TCP_NODELAY and SO_KEEPALIVE are always on, and pingConnectionInterval probes a silent connection";
constexpr std::string_view own_names = "names are looked up anew for each connection";
constexpr std::string_view own_pauses = "the pauses between attempts to reconnect come from retry_delay";
constexpr std::string_view own_tls = "OpenSSL encrypts";
constexpr std::string_view no_replica_reads = "everything is asked of the master";
constexpr std::string_view own_checks = "the servers are asked for their arrangement as often as scan_interval says";

constexpr ignored_yaml_key top[]{
    {"addressResolverGroupFactory", not_java},
    {"cleanUpKeysAmount", other_objects},
    {"codec", "locks store names and numbers only"},
    {"connectionListener", not_java},
    {"decodeInExecutor", not_java},
    {"eventLoopGroup", not_java},
    {"executor", not_java},
    {"keepPubSubOrder", "messages of one channel never overtake each other"},
    {"maxCleanUpDelay", other_objects},
    {"minCleanUpDelay", other_objects},
    {"nettyExecutor", not_java},
    {"nettyHook", not_java},
    {"nettyThreads", no_threads},
    {"protocol", "connections speak RESP2; what is stored is the same"},
    {"referenceEnabled", other_objects},
    {"registrationKey", "it is a licence of Redisson PRO"},
    {"reliableTopicWatchdogTimeout", other_objects},
    {"sslKeyManagerFactory", own_tls},
    {"sslProvider", own_tls},
    {"sslTrustManagerFactory", own_tls},
    {"tcpKeepAlive", own_sockets},
    {"tcpKeepAliveCount", own_sockets},
    {"tcpKeepAliveIdle", own_sockets},
    {"tcpKeepAliveInterval", own_sockets},
    {"tcpNoDelay", own_sockets},
    {"tcpUserTimeout", own_sockets},
    {"threads", no_threads},
    {"transportMode", not_java},
    {"useScriptCache", "scripts are always called by their hash, and sent where the server does not know them"},
    {"useThreadClassLoader", not_java},
    {"valkeyCapabilities", "no capability of Valkey changes what is sent"},
};

constexpr ignored_yaml_key servers[]{
    {"dnsMonitoringInterval", own_names},
    {"dnsMonitoringTimes", own_names},
    {"idleConnectionTimeout", no_pool},
    {"keepAlive", own_sockets},
    {"reconnectionDelay", own_pauses},
    {"sslKeyManagerFactory", own_tls},
    {"sslProvider", own_tls},
    {"sslTrustManagerFactory", own_tls},
    {"subscriptionConnectionMinimumIdleSize", one_subscriber},
    {"subscriptionConnectionPoolSize", one_subscriber},
    {"subscriptionTimeout", one_subscriber},
    {"subscriptionsPerConnection", one_subscriber},
    {"tcpKeepAlive", own_sockets},
    {"tcpKeepAliveCount", own_sockets},
    {"tcpKeepAliveIdle", own_sockets},
    {"tcpKeepAliveInterval", own_sockets},
    {"tcpNoDelay", own_sockets},
    {"tcpUserTimeout", own_sockets},
};

constexpr ignored_yaml_key single_server[]{
    {"connectionMinimumIdleSize", no_pool},
    {"connectionPoolSize", no_pool},
};

constexpr ignored_yaml_key several_servers[]{
    {"failedSlaveCheckInterval", no_replica_reads},
    {"failedSlaveNodeDetector", no_replica_reads},
    {"failedSlaveReconnectionInterval", no_replica_reads},
    {"fallbackLoadingToMaster", no_replica_reads},
    {"loadBalancer", no_replica_reads},
    {"masterConnectionMinimumIdleSize", no_pool},
    {"masterConnectionPoolSize", no_pool},
    {"readMode", no_replica_reads},
    {"slaveConnectionMinimumIdleSize", no_pool},
    {"slaveConnectionPoolSize", no_pool},
    {"subscriptionMode", no_replica_reads},
};

constexpr ignored_yaml_key sentinel_servers[]{
    {"checkSentinelsList", own_checks},
    {"checkSlaveStatusWithSyncing", no_replica_reads},
};

constexpr ignored_yaml_key cluster_servers[]{
    {"checkMasterLinkStatus", no_replica_reads},
    {"checkSlotsCoverage", own_checks},
};

constexpr ignored_yaml_key replicated_servers[]{
    {"monitorIPChanges", own_names},
};

} // namespace

std::span<ignored_yaml_key const> ignored_at_top() {
    return top;
}

std::span<ignored_yaml_key const> ignored_in_servers() {
    return servers;
}

std::span<ignored_yaml_key const> ignored_in_single_server() {
    return single_server;
}

std::span<ignored_yaml_key const> ignored_in_several_servers() {
    return several_servers;
}

std::span<ignored_yaml_key const> ignored_in_sentinel_servers() {
    return sentinel_servers;
}

std::span<ignored_yaml_key const> ignored_in_cluster_servers() {
    return cluster_servers;
}

std::span<ignored_yaml_key const> ignored_in_replicated_servers() {
    return replicated_servers;
}

} // namespace redlatch::redisson_keys
