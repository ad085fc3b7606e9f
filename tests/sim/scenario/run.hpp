// Runs one scenario and says what was seen.
#pragma once

#include "sim/check/checkers.hpp"
#include "sim/scenario/scenario.hpp"

#include <algorithm>
#include <cstddef>
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

    std::ptrdiff_t count(fact::kind what) const {
        return std::count_if(facts.begin(), facts.end(), [&](fact const& one) { return one.what == what; });
    }
};

struct stage;

/// Decides what happens next, instead of chance.
class director {
public:
    virtual ~director() = default;
    virtual void begin(stage& in) = 0;
    /// From then on nothing goes wrong.
    virtual moment calm_after() const = 0;
};

outcome run(scenario const& what, bool with_trace = false, director* by = nullptr, patience const* how = nullptr);

} // namespace redlatch::sim
