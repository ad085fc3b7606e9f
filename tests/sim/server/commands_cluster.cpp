// CLUSTER, ASKING, and messages of a shard.
#include "sim/server/command.hpp"
#include "sim/server/commands.hpp"
#include "sim/server/membership.hpp"
#include "sim/server/reply.hpp"

namespace redlatch::sim::commands {
namespace {

constexpr std::string_view no_cluster = "ERR This instance has cluster support disabled";

// One confirmation; no name: there was nothing to leave.
void confirm_shard(call& one, std::string_view what, std::string_view const* name) {
    reply::array(one.out, 3);
    reply::bulk(one.out, what);
    name == nullptr ? reply::nil(one.out) : reply::bulk(one.out, *name);
    reply::integer(one.out, static_cast<std::int64_t>(one.node.subscriptions.count(one.from.id, pubsub::kind::shard)));
}

} // namespace

void asking(call& one) {
    if (one.node.settings.cluster == nullptr) return reply::error(one.out, no_cluster);
    one.from.asking = true;
    reply::ok(one.out);
}

void cluster_myid(call& one) {
    if (one.node.settings.cluster == nullptr) return reply::error(one.out, no_cluster);
    reply::bulk(one.out, one.node.settings.cluster->myself().id);
}

void cluster_nodes(call& one) {
    if (one.node.settings.cluster == nullptr) return reply::error(one.out, no_cluster);
    reply::bulk(one.out, one.node.settings.cluster->nodes());
}

void pubsub_shardnumsub(call& one) {
    auto const names = one.argv.subspan(2);
    reply::array(one.out, 2 * names.size());
    for (auto const name : names) {
        reply::bulk(one.out, name);
        auto const listeners = one.node.subscriptions.listeners(name, pubsub::kind::shard);
        reply::integer(one.out, static_cast<std::int64_t>(listeners.size()));
    }
}

void spublish(call& one) {
    auto const count = one.node.publish_in_shard(one[1], one[2]);
    if (auto const* const cluster = one.node.settings.cluster; cluster != nullptr && cluster->publishes)
        cluster->publishes(one[1], one[2], true);
    reply::integer(one.out, static_cast<std::int64_t>(count));
}

void ssubscribe(call& one) {
    for (auto const name : one.argv.subspan(1)) {
        one.node.subscriptions.subscribe(one.from.id, pubsub::kind::shard, name);
        confirm_shard(one, "ssubscribe", &name);
    }
}

void sunsubscribe(call& one) {
    auto const leave_one = [&](std::string_view name) {
        one.node.subscriptions.unsubscribe(one.from.id, pubsub::kind::shard, name);
        confirm_shard(one, "sunsubscribe", &name);
    };
    for (auto const name : one.argv.subspan(1)) leave_one(name);
    if (one.argv.size() > 1) return;
    auto const names = one.node.subscriptions.names(one.from.id, pubsub::kind::shard);
    for (auto const& name : names) leave_one(name);
    if (names.empty()) confirm_shard(one, "sunsubscribe", nullptr);
}

} // namespace redlatch::sim::commands
