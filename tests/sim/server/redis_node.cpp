#include "sim/server/redis_node.hpp"

#include "sim/server/node_state.hpp"

#include <algorithm>
#include <stdexcept>

namespace redlatch::sim {

redis_node::redis_node(node_settings settings) : redis_node(std::move(settings), keyspace()) {}

redis_node::redis_node(node_settings settings, keyspace data)
    : state_(std::make_unique<state>(std::move(settings), std::move(data))) {}

redis_node::redis_node(redis_node&&) noexcept = default;
redis_node& redis_node::operator=(redis_node&&) noexcept = default;
redis_node::~redis_node() = default;

redis_node::client redis_node::connect(std::string address) {
    auto const id = ++state_->last_id;
    state_->connections.emplace(id, connection{.id = id, .address = std::move(address)});
    return id;
}

void redis_node::disconnect(client which) {
    state_->subscriptions.leave(which);
    state_->connections.erase(which);
    std::erase(state_->active, which);
}

void redis_node::receive(client from, std::string_view bytes, std::int64_t now_ms) {
    state_->now_ms = now_ms;
    auto* const sender = state_->find(from);
    if (sender != nullptr && !sender->closing) state_->execute_all(*sender, bytes);
}

std::vector<redis_node::client> redis_node::take_active() {
    for (auto const which : state_->active) state_->connections.at(which).active = false;
    return std::exchange(state_->active, {});
}

std::string redis_node::take_output(client which) {
    auto* const found = state_->find(which);
    return found == nullptr ? std::string() : std::exchange(found->output, {});
}

bool redis_node::ended(client which) const {
    auto* const found = state_->find(which);
    return found == nullptr || found->closing;
}

std::size_t redis_node::clients() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(state_->connections, [](auto const& item) { return !item.second.closing; }));
}

keyspace const& redis_node::data() const {
    return state_->data;
}

void redis_node::replace_data(keyspace data) {
    state_->data = std::move(data);
    state_->changed();
}

std::optional<entry> redis_node::take_key(std::string const& key) {
    auto* const found = state_->find_key(0, key);
    if (found == nullptr) return std::nullopt;
    auto taken = *found;
    state_->remove_key(0, key);
    return taken;
}

void redis_node::put_key(std::string const& key, entry value) {
    state_->store(0, key, std::move(value));
}

std::uint64_t redis_node::writes() const {
    return state_->writes;
}

std::uint64_t redis_node::digest() const {
    std::uint64_t sum = hash_value(state_->data);
    auto const mix = [&sum](std::uint64_t what) {
        sum = (sum ^ what) * 0x9e3779b97f4a7c15U;
        sum ^= sum >> 29U;
    };
    auto const mix_text = [&mix](std::string_view text) { mix(std::hash<std::string_view>()(text)); };
    mix(state_->last_id);
    mix((state_->loading ? 1U : 0U) + (state_->read_only ? 2U : 0U) + (state_->out_of_memory ? 4U : 0U)
        + (state_->no_replicas ? 8U : 0U) + (state_->disk_error ? 16U : 0U) + (state_->busy ? 32U : 0U));
    mix_text(state_->settings.run_id);
    for (auto const& [sha1, function] : state_->scripts.known()) mix_text(sha1);
    for (auto const& [id, one] : state_->connections) {
        mix(id);
        mix_text(one.address);
        mix_text(one.name);
        mix_text(one.user);
        mix(one.database * 4 + (one.authenticated ? 2U : 0U) + (one.closing ? 1U : 0U));
        for (auto const kind : {pubsub::kind::channel, pubsub::kind::pattern, pubsub::kind::shard})
            for (auto const& name : state_->subscriptions.names(id, kind)) {
                mix_text(name);
                auto const listeners = state_->subscriptions.listeners(name, kind);
                mix(static_cast<std::uint64_t>(std::find(listeners.begin(), listeners.end(), id) - listeners.begin()));
            }
    }
    for (auto const& [replica, writes] : state_->replicas.acknowledged) mix(writes);
    for (auto const& one : state_->replicas.waits) mix(one.writes);
    return sum;
}

void redis_node::set_loading(bool loading) {
    state_->loading = loading;
}

void redis_node::set_read_only(bool read_only) {
    state_->read_only = read_only;
    if (read_only) state_->unblock_waits();
}

void redis_node::set_out_of_memory(bool out_of_memory) {
    state_->out_of_memory = out_of_memory;
}

void redis_node::set_no_replicas(bool no_replicas) {
    state_->no_replicas = no_replicas;
}

void redis_node::set_disk_error(bool disk_error) {
    state_->disk_error = disk_error;
}

void redis_node::set_busy(bool busy) {
    state_->busy = busy;
}

void redis_node::set_refused(std::string_view name, std::set<std::string, std::less<>> refused) {
    auto const place = state_->settings.users.find(name);
    if (place == state_->settings.users.end()) throw std::out_of_range("no user " + std::string(name));
    place->second.refused = std::move(refused);
}

void redis_node::hear(std::string_view channel, std::string_view message, bool of_shard) {
    of_shard ? state_->publish_in_shard(channel, message) : state_->publish(channel, message);
}

void redis_node::end_shard_subscriptions(std::function<bool(std::uint16_t slot)> const& gone) {
    state_->end_shard_subscriptions(gone);
}

void redis_node::acknowledge(int replica, std::uint64_t writes) {
    state_->replicas.acknowledged[replica] = writes;
    state_->end_waits();
}

void redis_node::disconnect_replica(int replica) {
    state_->replicas.acknowledged.erase(replica);
}

std::vector<redis_node::wait_begun> redis_node::take_waits() {
    return std::exchange(state_->replicas.begun, {});
}

void redis_node::end_wait(std::uint64_t number) {
    state_->end_wait(number);
}

void redis_node::flush_scripts() {
    state_->scripts.flush();
}

void redis_node::on_executed(std::function<void(executed const&)> observer) {
    state_->observer = std::move(observer);
}

} // namespace redlatch::sim
