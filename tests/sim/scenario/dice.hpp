// Chance for what is in a scenario.
#pragma once

#include "base/random.hpp"

#include <cstdint>

namespace redlatch::sim {

class dice {
public:
    explicit dice(std::uint64_t seed) : source_(seed) {}
    /// Both included.
    std::int64_t between(std::int64_t least, std::int64_t most) { return least + source_.up_to(most - least); }
    bool one_in(int n) { return source_.up_to(n - 1) == 0; }
    int index(int size) { return static_cast<int>(source_.up_to(size - 1)); }

private:
    base::random_source source_;
};

} // namespace redlatch::sim
