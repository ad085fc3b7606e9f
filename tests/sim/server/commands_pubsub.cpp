#include "sim/server/command.hpp"
#include "sim/server/commands.hpp"
#include "sim/server/membership.hpp"
#include "sim/server/reply.hpp"

namespace redlatch::sim::commands {
namespace {

// One confirmation; no name: there was nothing to leave.
void confirm(call& one, std::string_view what, std::string_view const* name) {
    reply::array(one.out, 3);
    reply::bulk(one.out, what);
    name == nullptr ? reply::nil(one.out) : reply::bulk(one.out, *name);
    reply::integer(one.out, static_cast<std::int64_t>(one.node.subscriptions.count(one.from.id)));
}

void enter(call& one, pubsub::kind what, std::string_view word) {
    for (auto const name : one.argv.subspan(1)) {
        one.node.subscriptions.subscribe(one.from.id, what, name);
        confirm(one, word, &name);
    }
}

void leave(call& one, pubsub::kind what, std::string_view word) {
    auto const leave_one = [&](std::string_view name) {
        one.node.subscriptions.unsubscribe(one.from.id, what, name);
        confirm(one, word, &name);
    };
    for (auto const name : one.argv.subspan(1)) leave_one(name);
    if (one.argv.size() > 1) return;
    auto const names = one.node.subscriptions.names(one.from.id, what);
    for (auto const& name : names) leave_one(name);
    if (names.empty()) confirm(one, word, nullptr);
}

} // namespace

void psubscribe(call& one) {
    enter(one, pubsub::kind::pattern, "psubscribe");
}

void publish(call& one) {
    auto const count = one.node.publish(one[1], one[2]);
    if (auto const* const cluster = one.node.settings.cluster; cluster != nullptr && cluster->publishes)
        cluster->publishes(one[1], one[2], false);
    reply::integer(one.out, static_cast<std::int64_t>(count));
}

void pubsub_numsub(call& one) {
    auto const names = one.argv.subspan(2);
    reply::array(one.out, 2 * names.size());
    for (auto const name : names) {
        reply::bulk(one.out, name);
        reply::integer(one.out, static_cast<std::int64_t>(one.node.subscriptions.listeners(name).size()));
    }
}

void punsubscribe(call& one) {
    leave(one, pubsub::kind::pattern, "punsubscribe");
}

void subscribe(call& one) {
    enter(one, pubsub::kind::channel, "subscribe");
}

void unsubscribe(call& one) {
    leave(one, pubsub::kind::channel, "unsubscribe");
}

} // namespace redlatch::sim::commands
