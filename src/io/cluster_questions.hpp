// What nodes of a cluster are asked, and what their answers mean.
#pragma once

#include "connection/call.hpp"
#include "connection/server_error.hpp"
#include "locking/wire_call.hpp"
#include "resp/command.hpp"

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

/// To PUBSUB SHARDNUMSUB. A server that refuses it by its name to this user has it for others, who are to hear each other.
inline bool knows_shards(resp::value const& answer) {
    return !answer.is_error()
           || (connection::is_missing_right(answer) && answer.text.find("pubsub|shardnumsub") != std::string::npos);
}

inline bool says_shards(connection::call const& answered) {
    return answered.status == connection::call::state::answered && knows_shards(answered.reply);
}

} // namespace redlatch::io
