#include "sim/server/node_state.hpp"

#include "sim/server/command.hpp"
#include "sim/server/key_slot.hpp"
#include "sim/server/reply.hpp"
#include "sim/server/text.hpp"

namespace redlatch::sim {

redis_node::state::state(node_settings what, keyspace contents)
    : settings(std::move(what)), data(std::move(contents)), scripts(*this) {}

connection* redis_node::state::find(client which) {
    auto const place = connections.find(which);
    return place == connections.end() ? nullptr : &place->second;
}

void redis_node::state::mark_active(connection& which) {
    if (which.active) return;
    which.active = true;
    active.push_back(which.id);
}

void redis_node::state::close(connection& which) {
    which.closing = true;
    subscriptions.leave(which.id);
    mark_active(which);
}

void redis_node::state::execute_all(connection& from, std::string_view bytes) {
    from.active_ms = now_ms;
    if (!from.since_ms) from.since_ms = now_ms;
    from.requests.begin(bytes);
    while (!from.closing && !from.waits) {
        from.requests.set_trusted(!needs_authentication(from));
        auto const outcome = from.requests.next(argv);
        if (outcome == request_reader::result::need_more) break;
        if (outcome == request_reader::result::broken) {
            reply::error(from.output, from.requests.problem());
            close(from);
            break;
        }
        execute(*this, from, argv);
    }
    from.requests.end();
}

std::size_t redis_node::state::publish(std::string_view channel, std::string_view message) {
    std::size_t receivers = 0;
    auto const send = [&](client to, std::initializer_list<std::string_view> parts) {
        auto& listener = connections.at(to);
        reply::array(listener.output, parts.size());
        for (auto const part : parts) reply::bulk(listener.output, part);
        mark_active(listener);
        ++receivers;
    };
    for (auto const listener : subscriptions.listeners(channel)) send(listener, {"message", channel, message});
    for (auto const& [pattern, listeners] : subscriptions.patterns()) {
        if (!matches(pattern, channel)) continue;
        for (auto const listener : listeners) send(listener, {"pmessage", pattern, channel, message});
    }
    return receivers;
}

std::size_t redis_node::state::publish_in_shard(std::string_view channel, std::string_view message) {
    auto const listeners = subscriptions.listeners(channel, pubsub::kind::shard);
    for (auto const to : listeners) {
        auto& listener = connections.at(to);
        reply::array(listener.output, 3);
        for (auto const part : {std::string_view("smessage"), channel, message}) reply::bulk(listener.output, part);
        mark_active(listener);
    }
    return listeners.size();
}

void redis_node::state::end_shard_subscriptions(std::function<bool(std::uint16_t slot)> const& gone) {
    for (auto const& channel : subscriptions.channels(pubsub::kind::shard)) {
        if (!gone(key_slot(channel))) continue;
        auto const of_channel = subscriptions.listeners(channel, pubsub::kind::shard);
        for (auto const which : std::vector<client>(of_channel.begin(), of_channel.end())) {
            subscriptions.unsubscribe(which, pubsub::kind::shard, channel);
            auto& listener = connections.at(which);
            reply::array(listener.output, 3);
            reply::bulk(listener.output, "sunsubscribe");
            reply::bulk(listener.output, channel);
            reply::integer(listener.output, static_cast<std::int64_t>(subscriptions.count(which, pubsub::kind::shard)));
            mark_active(listener);
        }
    }
}

void redis_node::state::end_waits() {
    auto const waits = replicas.waits;
    for (auto const& one : waits)
        if (replicas.confirm(one.writes) >= one.replicas) end_wait(one.number);
}

void redis_node::state::unblock_waits() {
    for (auto const& one : std::vector(replicas.waits))
        end_wait(one.number,
                 "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)");
}

void redis_node::state::end_wait(std::uint64_t number, std::string_view error) {
    auto const found = replicas.find(number);
    if (found == replicas.waits.end()) return;
    auto const ended = *found;
    replicas.waits.erase(found);
    auto* const who = find(ended.who);
    if (who == nullptr || who->closing) return;
    auto const before = who->output.size();
    if (error.empty())
        reply::integer(who->output, replicas.confirm(ended.writes));
    else
        reply::error(who->output, error);
    mark_active(*who);
    if (observer) {
        std::string_view const words[] = {"WAIT", "(over)"};
        observer({who->id, who->address, words, std::string_view(who->output).substr(before), now_ms, 0});
    }
    who->waits = false;
    execute_all(*who, {});
}

user const* redis_node::state::user_of(connection const& which) const {
    auto const place = settings.users.find(which.user);
    return place == settings.users.end() ? nullptr : &place->second;
}

bool redis_node::state::needs_authentication(connection const& which) const {
    if (which.authenticated) return false;
    auto const* const who = user_of(which);
    return who == nullptr || who->password.has_value();
}

entry* redis_node::state::find_key(std::size_t number, std::string_view key) {
    auto& chosen = data.databases[number];
    auto const place = chosen.find(key);
    if (place == chosen.end()) return nullptr;
    if (!place->second.expired(now_ms)) return &place->second;
    chosen.erase(place);
    changed();
    return nullptr;
}

void redis_node::state::store(std::size_t number, std::string_view key, entry value) {
    data.databases[number].insert_or_assign(std::string(key), std::move(value));
    changed();
}

bool redis_node::state::remove_key(std::size_t number, std::string_view key) {
    if (find_key(number, key) == nullptr) return false;
    auto& chosen = data.databases[number];
    chosen.erase(chosen.find(key));
    changed();
    return true;
}

} // namespace redlatch::sim
