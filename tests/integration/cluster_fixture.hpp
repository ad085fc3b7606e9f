// A cluster of real servers, and who looks at its nodes.
#pragma once

#include "integration/fixture.hpp"
#include "support/redis_cluster.hpp"

#include <string>

namespace redlatch::test {

inline constexpr char const* messages_of_shards = "messages of shards came with Redis 7.0";

inline config of_cluster(redis_cluster const& cluster) {
    config settings;
    settings.address = cluster.uri();
    settings.timeout = 10s; // a test that passes never waits so long
    settings.connect_timeout = 5000ms;
    settings.retry_delay = 20ms;
    settings.topology.scan_interval = 1000ms;
    return settings;
}

inline std::size_t fields_of(redis_server const& server, std::string const& name) {
    auto const reply = server.run("HLEN", name);
    return reply.is_integer() ? static_cast<std::size_t>(reply.integer) : 0;
}

inline std::size_t keys_on(redis_server const& server) {
    return static_cast<std::size_t>(server.run("DBSIZE").integer);
}

/// Somebody listens to messages of the lock on this node.
inline bool somebody_listens(redis_server const& server, std::string const& name,
                             char const* command = "SHARDCHANNELS") {
    return !server.run("PUBSUB", command, channel_of(name)).items.empty();
}

/// Waits until it is valid for so much longer than now. False: it was lost.
inline bool is_renewed(hold const& one, std::chrono::milliseconds by) {
    auto const longer = one.valid_until() + by;
    return wait_until([&] { return one.status() == hold_status::lost || one.valid_until() > longer; })
           && one.status() == hold_status::held;
}

} // namespace redlatch::test
