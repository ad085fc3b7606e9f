// Processes and threads that share some locks, with time inside and between: what a row of the mix is.
#pragma once

#include <chrono>
#include <string>

namespace redlatch::bench {

struct mix_shape {
    int processes = 1;
    int threads = 1; ///< of each process, on one client
    int locks = 1;
    double zipf = 0;                   ///< how much the first locks are preferred; 0: all alike
    std::chrono::microseconds hold{};  ///< between acquisition and release
    std::chrono::microseconds pause{}; ///< between release and the next attempt
};

/// "4x1 on 1, hold 500, pause 500", "8x2 on 16 zipf 1.2, hold 2000, pause 500".
std::string name_of(mix_shape const& shape);

} // namespace redlatch::bench
