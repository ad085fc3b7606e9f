// What a server knows of its replicas, and who waits for them.
#pragma once

#include "sim/server/redis_node.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace redlatch::sim {

struct replication {
    struct wait {
        std::uint64_t number;
        redis_node::client who;
        std::int64_t replicas; ///< so many are to have
        std::uint64_t writes;  ///< everything up to this change
    };

    std::map<int, std::uint64_t> acknowledged{}; ///< by replica that is connected: the last change that it has
    std::vector<wait> waits{};                   ///< in the order in which they began
    std::vector<redis_node::wait_begun> begun{}; ///< of which nobody was told
    std::uint64_t last = 0;

    /// How many have it.
    std::int64_t confirm(std::uint64_t writes) const {
        return std::count_if(acknowledged.begin(), acknowledged.end(),
                             [&](auto const& one) { return one.second >= writes; });
    }
    std::vector<wait>::iterator find(std::uint64_t number) {
        return std::find_if(waits.begin(), waits.end(), [&](auto const& one) { return one.number == number; });
    }
};

} // namespace redlatch::sim
