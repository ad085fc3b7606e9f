#include "api/redisson_keys.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

namespace redlatch::redisson_keys {

namespace {

using namespace std::string_view_literals;

constexpr std::array top{
    "addressResolverGroupFactory"sv,
    "checkLockSyncedSlaves"sv,
    "cleanUpKeysAmount"sv,
    "codec"sv,
    "connectionListener"sv,
    "decodeInExecutor"sv,
    "eventLoopGroup"sv,
    "executor"sv,
    "keepPubSubOrder"sv,
    "lazyInitialization"sv,
    "maxCleanUpDelay"sv,
    "minCleanUpDelay"sv,
    "nettyExecutor"sv,
    "nettyHook"sv,
    "nettyThreads"sv,
    "protocol"sv,
    "referenceEnabled"sv,
    "registrationKey"sv,
    "reliableTopicWatchdogTimeout"sv,
    "slavesSyncTimeout"sv,
    "sslCiphers"sv,
    "sslKeyManagerFactory"sv,
    "sslProvider"sv,
    "sslTrustManagerFactory"sv,
    "tcpKeepAlive"sv,
    "tcpKeepAliveCount"sv,
    "tcpKeepAliveIdle"sv,
    "tcpKeepAliveInterval"sv,
    "tcpNoDelay"sv,
    "tcpUserTimeout"sv,
    "threads"sv,
    "transportMode"sv,
    "useScriptCache"sv,
    "useThreadClassLoader"sv,
    "valkeyCapabilities"sv,
};

constexpr std::array server{
    "connectionMinimumIdleSize"sv,
    "connectionPoolSize"sv,
    "dnsMonitoringInterval"sv,
    "dnsMonitoringTimes"sv,
    "idleConnectionTimeout"sv,
    "keepAlive"sv,
    "reconnectionDelay"sv,
    "sslCiphers"sv,
    "sslKeyManagerFactory"sv,
    "sslProvider"sv,
    "sslTrustManagerFactory"sv,
    "subscriptionConnectionMinimumIdleSize"sv,
    "subscriptionConnectionPoolSize"sv,
    "subscriptionTimeout"sv,
    "subscriptionsPerConnection"sv,
    "tcpKeepAlive"sv,
    "tcpKeepAliveCount"sv,
    "tcpKeepAliveIdle"sv,
    "tcpKeepAliveInterval"sv,
    "tcpNoDelay"sv,
    "tcpUserTimeout"sv,
};

constexpr std::array others{
    "sentinelServersConfig"sv,    "clusterServersConfig"sv,     "replicatedServersConfig"sv,
    "masterSlaveServersConfig"sv, "elasticacheServersConfig"sv,
};

constexpr std::array code{"nameMapper"sv, "commandMapper"sv, "credentialsResolver"sv};

std::string folded(std::string_view name) {
    std::string out;
    for (char const byte : name)
        if (byte != '-' && byte != '_') out += byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
    return out;
}

/// Levenshtein's, by rows.
std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        auto diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < to.size(); ++j) {
            auto const replaced = diagonal + (from[i] == to[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

} // namespace

std::span<std::string_view const> ignored_at_top() {
    return top;
}

std::span<std::string_view const> ignored_in_server() {
    return server;
}

std::span<std::string_view const> other_servers() {
    return others;
}

std::span<std::string_view const> java_code() {
    return code;
}

std::string nearest(std::string_view name, std::span<std::string_view const> known) {
    constexpr std::size_t longest_name = 64; // no known name is near to a longer one
    if (name.size() > longest_name) return {};
    auto const wanted = folded(name);
    std::string best;
    auto least = std::max<std::size_t>(2, wanted.size() / 3) + 1;
    for (auto const candidate : known) {
        auto const distance = edit_distance(wanted, folded(candidate));
        if (distance >= least) continue;
        least = distance;
        best = candidate;
    }
    constexpr std::size_t telling = 5;
    auto const begins_so = [&](std::string_view candidate) { return folded(candidate).starts_with(wanted); };
    if (best.empty() && wanted.size() >= telling)
        if (auto const found = std::ranges::find_if(known, begins_so); found != known.end()) best = *found;
    return best;
}

} // namespace redlatch::redisson_keys
