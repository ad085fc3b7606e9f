// What one Sentinel knows of the master that it watches. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace redlatch::sim {

struct sentinel_view {
    std::string name = "mymaster";
    std::string host{};
    int port = 0;
    std::uint64_t epoch = 0;   ///< of the last failover of which it has heard
    std::vector<int> others{}; ///< ports of the other Sentinels
};

} // namespace redlatch::sim
