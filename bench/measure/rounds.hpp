// Scenarios, the contenders in them, and the medians of interleaved rounds.
//
// The machine drifts by a third within an hour, so contenders take turns, and a ratio is the median of the ratios within each
// round.
#pragma once

#include "measure/aims.hpp"
#include "measure/figures.hpp"
#include "measure/server.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace redlatch::bench {

struct contender {
    std::string name;
    std::function<measurement(std::chrono::milliseconds period)> round;
    std::vector<aim> aims{};
    /// A peer that breaks is left out with a note; all else ends the run.
    bool is_peer = false;
};

struct scenario {
    std::string name;
    std::string unit;
    bool more_is_better;
    std::vector<contender> contenders;
    /// Whose value the ratios are to; empty: there are none.
    std::string floor{};
    /// What limits a figure that misses its aim, as profiles have shown it. Shown with the aims that are missed.
    std::string limits{};
    /// For what takes long and is compared with nobody.
    std::optional<int> most_rounds{};
    /// Of one contender in one round, where the user has not said another.
    std::chrono::milliseconds usual_period{350};
    /// Of the round that shows who has sent what: long enough for each kind of command to occur.
    std::chrono::milliseconds longest_sample{50};
};

struct line {
    std::string name;
    measurement median;
    std::optional<double> ratio{};     ///< to the floor
    std::optional<double> ratio_low{}; ///< of the rounds, the smallest
    std::optional<double> ratio_high{};
    std::vector<judgement> judgements{};
};

struct result {
    std::string placement;
    std::string scenario;
    std::string unit;
    std::vector<line> lines;
    std::vector<std::string> notes{}; ///< peers that broke
    std::string limits{};
};

/// Without a period each scenario takes its usual one.
result measure(server const& at, scenario const& what, std::string const& placement, int rounds,
               std::optional<std::chrono::milliseconds> period);

} // namespace redlatch::bench
