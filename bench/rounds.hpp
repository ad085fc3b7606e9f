// Scenarios, the contenders in them, and the medians of interleaved rounds.
//
// The machine drifts by a third within an hour, so contenders take turns, and a ratio is the median of the ratios within each
// round.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace redlatch::bench {

/// What one round of one contender has shown; also the medians of such.
struct measurement {
    double value = 0; ///< in the scenario's unit
    std::optional<double> p99{};
    std::optional<double> commands{};   ///< per cycle
    std::optional<double> server_cpu{}; ///< microseconds per cycle
    std::optional<double> client_cpu{};
    std::optional<double> spread{}; ///< the busiest worker's cycles by the laziest one's
};

struct contender {
    std::string name;
    std::function<measurement()> round;
    /// What the ratio of this one is meant to be; none: nothing is promised.
    std::optional<double> aim{};
    /// What its value is meant to be.
    std::optional<double> limit{};
};

struct scenario {
    std::string name;
    std::string unit;
    bool more_is_better;
    /// Ratios are to the contender at this place.
    std::size_t floor;
    std::vector<contender> contenders;
};

struct line {
    std::string name;
    measurement median;
    double ratio;     ///< to the floor
    double ratio_low; ///< of the rounds, the smallest
    double ratio_high;
    std::string aim{}; ///< "ratio ≥ 0.9"
    bool met = true;
};

struct result {
    std::string placement;
    std::string scenario;
    std::string unit;
    bool more_is_better;
    std::vector<line> lines;
};

result measure(scenario const& what, std::string const& placement, int rounds);

double median(std::vector<double> values);
/// The value below which this share of all is; share in [0, 1].
double percentile(std::vector<double> values, double share);

} // namespace redlatch::bench
