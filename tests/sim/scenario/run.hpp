// Runs one scenario and says what was seen.
#pragma once

#include "sim/check/checkers.hpp"
#include "sim/scenario/scenario.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace redlatch::sim {

struct outcome {
    std::optional<violation> broken;
    history facts;
    std::vector<std::string> trace; ///< if asked for: who sent what, what the server did, who believed what
    std::uint64_t acquired = 0;
    std::uint64_t events = 0;
    std::uint64_t digest = 0; ///< equal for equal runs
    moment lasted{0};
};

outcome run(scenario const& what, bool with_trace = false);

} // namespace redlatch::sim
