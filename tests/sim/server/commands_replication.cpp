// ROLE and WAIT. Redis notes with each command of a connection how far its replicas have to be for WAIT; here only commands
// that write do so, which is what the documentation of WAIT promises.
#include "sim/server/command.hpp"
#include "sim/server/commands.hpp"
#include "sim/server/reply.hpp"
#include "sim/server/sentinel_view.hpp"
#include "sim/server/text.hpp"

#include <string>

namespace redlatch::sim::commands {

void role(call& one) {
    auto const& node = one.node;
    if (node.settings.sentinel != nullptr) {
        reply::array(one.out, 2);
        reply::bulk(one.out, "sentinel");
        reply::array(one.out, 1);
        return reply::bulk(one.out, node.settings.sentinel->name);
    }
    if (node.read_only) {
        reply::array(one.out, 5);
        reply::bulk(one.out, "slave");
        reply::bulk(one.out, "10.0.0.1");
        reply::integer(one.out, 6379);
        reply::bulk(one.out, "connected");
        return reply::integer(one.out, 0);
    }
    reply::array(one.out, 3);
    reply::bulk(one.out, "master");
    reply::integer(one.out, static_cast<std::int64_t>(node.writes));
    reply::array(one.out, node.replicas.acknowledged.size());
    for (auto const& [number, writes] : node.replicas.acknowledged) {
        reply::array(one.out, 3);
        reply::bulk(one.out, "10.0.1." + std::to_string(number + 1));
        reply::bulk(one.out, "6379");
        reply::bulk(one.out, std::to_string(writes));
    }
}

void wait(call& one) {
    auto& node = one.node;
    if (node.read_only)
        return reply::error(
            one.out, "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a "
                     "replica is configured to be writable (which is not the default) writes to replicas are just "
                     "local and are not propagated.");
    auto const replicas = integer_in(one[1]);
    auto const ms = integer_in(one[2]);
    if (!replicas) return reply::not_an_integer(one.out);
    if (!ms) return reply::error(one.out, "ERR timeout is not an integer or out of range");
    if (*ms < 0) return reply::error(one.out, "ERR timeout is negative");
    auto const confirmed = node.replicas.confirm(one.from.wrote);
    if (confirmed >= *replicas) return reply::integer(one.out, confirmed);
    auto const number = ++node.replicas.last;
    node.replicas.waits.push_back({number, one.from.id, *replicas, one.from.wrote});
    node.replicas.begun.push_back({number, *ms});
    one.from.waits = true;
}

} // namespace redlatch::sim::commands
