// What a round shows: figures, most of them for each cycle.
#pragma once

#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::bench {

enum class figure {
    value,          ///< in the scenario's unit
    p50,            ///< of an acquisition in µs; where the unit is a time, of that, in the unit
    p99,            ///< likewise
    commands,       ///< sent by clients
    server_cpu,     ///< microseconds, from INFO
    client_cpu,     ///< microseconds, from the operating system
    longest,        ///< wait for a lock, in ms; one that did not end counts until the end of the round
    longest_rounds, ///< the same beside the time in which each worker could have had one turn
    process_spread, ///< the busiest process's cycles by the laziest one's
    spread,         ///< the busiest worker's cycles by the laziest one's
    guest_share,    ///< of one process of another kind among the others, in percent
    guest_longest,  ///< wait of that one, in ms
    overlaps,       ///< how often somebody came in where somebody was inside; of the whole round
    connections,    ///< open on the server
    lock_bytes,     ///< of the client's memory for each lock
    late,           ///< holds that were not renewed in time
};
inline constexpr std::size_t figure_count = 16;

struct figure_name {
    char const* heading; ///< on the page
    char const* key;     ///< in JSON
    int digits;
};
figure_name const& name_of(figure which);

/// What one round of one contender has shown; also of several, summed up.
class measurement {
public:
    measurement() = default;
    measurement(std::initializer_list<std::pair<figure, std::optional<double>>> seen);

    std::optional<double>& operator[](figure which) { return values_[static_cast<std::size_t>(which)]; }
    std::optional<double> const& operator[](figure which) const { return values_[static_cast<std::size_t>(which)]; }
    double value() const { return (*this)[figure::value].value_or(0); }

    /// For each cycle what the server has executed by name, also what scripts have called; none: nobody has counted.
    std::optional<std::map<std::string, double>> calls{};

private:
    std::array<std::optional<double>, figure_count> values_{};
};

/// Of each figure, over those rounds that have it; of overlaps and of what is late the sum.
measurement median_of(std::vector<measurement> const& rounds);

/// Of an even count the mean of the two in the middle. Of at least one value.
double median(std::vector<double> values);
/// The value below which this share of all is; share in [0, 1].
double percentile(std::vector<double> values, double share);

} // namespace redlatch::bench
