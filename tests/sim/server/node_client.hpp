// A client of a simulated server, for tests: one command, its reply as the bytes on the wire.
#pragma once

#include "sim/server/redis_node.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redlatch::sim {

inline std::string encoded(std::vector<std::string_view> const& words) {
    std::string bytes = "*" + std::to_string(words.size()) + "\r\n";
    for (auto const word : words) {
        bytes.append("$").append(std::to_string(word.size())).append("\r\n").append(word).append("\r\n");
    }
    return bytes;
}

/// Stays connected until the server ends it. Its wall clock is `now_ms`, which the test moves.
class node_client {
public:
    explicit node_client(redis_node& node, std::string address = "10.0.0.2:40001")
        : node_(&node), id_(node.connect(std::move(address))) {}

    template <class... Words> std::string operator()(Words const&... words) {
        return send(encoded({std::string_view(words)...}));
    }
    std::string send(std::string_view bytes) {
        node_->receive(id_, bytes, now_ms);
        return received();
    }
    /// What has come without a command: messages.
    std::string received() { return node_->take_output(id_); }

    redis_node::client id() const noexcept { return id_; }
    bool ended() const { return node_->ended(id_); }

    std::int64_t now_ms = 1'700'000'000'000;

private:
    redis_node* node_;
    redis_node::client id_;
};

} // namespace redlatch::sim
