#include "mix/zipf.hpp"

#include <algorithm>
#include <cmath>

namespace redlatch::bench {

zipf::zipf(std::size_t count, double exponent) {
    double sum = 0;
    for (std::size_t place = 1; place <= count; ++place)
        up_to_.push_back(sum += 1 / std::pow(static_cast<double>(place), exponent));
    for (auto& each : up_to_) each /= sum;
}

std::size_t zipf::at(double drawn) const {
    auto const found = std::ranges::upper_bound(up_to_, drawn);
    return std::min(static_cast<std::size_t>(found - up_to_.begin()), up_to_.size() - 1);
}

} // namespace redlatch::bench
