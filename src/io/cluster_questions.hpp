// What nodes of a cluster are asked, and what their answers mean.
#pragma once

#include "connection/call.hpp"
#include "connection/server_error.hpp"
#include "locking/wire_call.hpp"
#include "resp/command.hpp"

#include <optional>
#include <string>
#include <utility>

namespace redlatch::io {

inline locking::wire_call question(std::string bytes) {
    return {.bytes = std::move(bytes)};
}

/// What Redisson asks to know whether there are messages of shards.
inline std::string about_shards() {
    return resp::command("PUBSUB", "SHARDNUMSUB", "0");
}

/// Whether there are messages of shards, by the answer to PUBSUB SHARDNUMSUB. A server that refuses it by its name to this
/// user has them for others, who are to hear each other. Nothing: the server has not said.
inline std::optional<bool> says_shards(connection::call const& answered) {
    if (answered.status != connection::call::state::answered) return std::nullopt;
    auto const& answer = answered.reply;
    if (!answer.is_error()) return true;
    auto const why = connection::judge(answer);
    if (why == connection::verdict::not_executed || why == connection::verdict::read_only) return std::nullopt;
    return connection::is_missing_right(answer) && answer.text.find("pubsub|shardnumsub") != std::string::npos;
}

} // namespace redlatch::io
