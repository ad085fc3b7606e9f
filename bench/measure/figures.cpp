#include "measure/figures.hpp"

#include <algorithm>
#include <cmath>

namespace redlatch::bench {

figure_name const& name_of(figure which) {
    static constexpr std::array<figure_name, figure_count> names{{{"value", "value", 2},
                                                                  {"p50", "p50", 1},
                                                                  {"p99", "p99", 1},
                                                                  {"commands", "commands", 2},
                                                                  {"server µs", "server_cpu_us", 1},
                                                                  {"client µs", "client_cpu_us", 1},
                                                                  {"max/min", "spread", 2},
                                                                  {"connections", "connections", 0},
                                                                  {"bytes a lock", "lock_bytes", 0},
                                                                  {"late", "late", 0}}};
    return names[static_cast<std::size_t>(which)];
}

measurement::measurement(std::initializer_list<std::pair<figure, std::optional<double>>> seen) {
    for (auto const& [which, number] : seen) (*this)[which] = number;
}

measurement median_of(std::vector<measurement> const& rounds) {
    measurement result;
    for (std::size_t place = 0; place < figure_count; ++place) {
        auto const which = static_cast<figure>(place);
        std::vector<double> values;
        for (auto const& round : rounds)
            if (round[which]) values.push_back(*round[which]);
        if (!values.empty()) result[which] = median(std::move(values));
    }
    return result;
}

double median(std::vector<double> values) {
    return percentile(std::move(values), 0.5);
}

double percentile(std::vector<double> values, double share) {
    std::ranges::sort(values);
    auto const last = static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(std::lround(share * last))];
}

} // namespace redlatch::bench
