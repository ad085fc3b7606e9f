#include "mix/shape.hpp"

#include <cstdio>

namespace redlatch::bench {

std::string name_of(mix_shape const& shape) {
    char zipf[32] = "";
    if (shape.locks > 1) std::snprintf(zipf, sizeof zipf, " zipf %.1f", shape.zipf);
    return std::to_string(shape.processes) + "x" + std::to_string(shape.threads) + " on " + std::to_string(shape.locks)
           + zipf + ", hold " + std::to_string(shape.hold.count()) + ", pause " + std::to_string(shape.pause.count());
}

} // namespace redlatch::bench
