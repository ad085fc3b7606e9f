// Which command sends messages.
#pragma once

#include <atomic>
#include <string_view>

namespace redlatch::locking {

/// To all that listen, or, in a cluster where clients listen so, to those of the channel's shard.
inline constexpr std::string_view publish_command = "PUBLISH";
inline constexpr std::string_view publish_in_shard_command = "SPUBLISH";

/// Of one client, whose locks and counters refer to it: a client that connects lazily learns only later what its cluster takes.
///
/// Thread-safe.
class publish_method {
public:
    constexpr publish_method() noexcept = default;

    void use_shards(bool sharded) noexcept { sharded_.store(sharded, std::memory_order_relaxed); }
    std::string_view command() const noexcept {
        return sharded_.load(std::memory_order_relaxed) ? publish_in_shard_command : publish_command;
    }

    /// The right to it, as an ACL rule has it.
    std::string_view right() const noexcept {
        return sharded_.load(std::memory_order_relaxed) ? "spublish" : "publish";
    }

private:
    std::atomic<bool> sharded_{false};
};

/// Of what belongs to no client.
inline constinit publish_method const publish_to_all{};

} // namespace redlatch::locking
