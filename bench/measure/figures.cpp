#include "measure/figures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace redlatch::bench {

figure_name const& name_of(figure which) {
    static constexpr std::array<figure_name, figure_count> names{{{"value", "value", 2},
                                                                  {"p50", "p50", 1},
                                                                  {"p99", "p99", 1},
                                                                  {"commands", "commands", 2},
                                                                  {"server µs", "server_cpu_us", 1},
                                                                  {"client µs", "client_cpu_us", 1},
                                                                  {"longest ms", "longest_wait_ms", 1},
                                                                  {"in rounds", "longest_wait_rounds", 1},
                                                                  {"processes max/min", "process_spread", 2},
                                                                  {"max/min", "spread", 2},
                                                                  {"its share %", "guest_share", 1},
                                                                  {"its longest ms", "guest_longest_wait_ms", 1},
                                                                  {"overlaps", "overlaps", 0},
                                                                  {"connections", "connections", 0},
                                                                  {"bytes a lock", "lock_bytes", 0},
                                                                  {"late", "late", 0}}};
    return names[static_cast<std::size_t>(which)];
}

measurement::measurement(std::initializer_list<std::pair<figure, std::optional<double>>> seen) {
    for (auto const& [which, number] : seen) (*this)[which] = number;
}

namespace {

/// One of these is one too many, in whatever round.
bool is_a_fault(figure which) {
    return which == figure::overlaps || which == figure::late;
}

} // namespace

measurement median_of(std::vector<measurement> const& rounds) {
    measurement result;
    for (std::size_t place = 0; place < figure_count; ++place) {
        auto const which = static_cast<figure>(place);
        std::vector<double> values;
        for (auto const& round : rounds)
            if (round[which]) values.push_back(*round[which]);
        if (values.empty()) continue;
        result[which] =
            is_a_fault(which) ? std::accumulate(values.begin(), values.end(), 0.0) : median(std::move(values));
    }
    return result;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    auto const upper = values.size() / 2;
    return values.size() % 2 != 0 ? values[upper] : (values[upper - 1] + values[upper]) / 2;
}

double percentile(std::vector<double> values, double share) {
    std::ranges::sort(values);
    auto const last = static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(std::lround(share * last))];
}

} // namespace redlatch::bench
