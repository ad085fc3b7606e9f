#include "rounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace redlatch::bench {

namespace {

using member = std::optional<double> measurement::*;

std::optional<double> median_of(std::vector<measurement> const& rounds, member which) {
    std::vector<double> values;
    for (auto const& round : rounds)
        if (round.*which) values.push_back(*(round.*which));
    if (values.empty()) return std::nullopt;
    return median(std::move(values));
}

measurement median_of(std::vector<measurement> const& rounds) {
    std::vector<double> values;
    for (auto const& round : rounds) values.push_back(round.value);
    return {.value = median(std::move(values)),
            .p99 = median_of(rounds, &measurement::p99),
            .commands = median_of(rounds, &measurement::commands),
            .server_cpu = median_of(rounds, &measurement::server_cpu),
            .client_cpu = median_of(rounds, &measurement::client_cpu),
            .spread = median_of(rounds, &measurement::spread)};
}

} // namespace

result measure(scenario const& what, std::string const& placement, int rounds) {
    std::vector<std::vector<measurement>> seen(what.contenders.size());
    for (int round = 0; round < rounds; ++round)
        for (std::size_t place = 0; place < what.contenders.size(); ++place) {
            // Each is first in turn, so that none always follows the same other.
            auto const which = (place + static_cast<std::size_t>(round)) % what.contenders.size();
            seen[which].push_back(what.contenders[which].round());
        }
    result all{placement, what.name, what.unit, what.more_is_better, {}};
    for (std::size_t which = 0; which < what.contenders.size(); ++which) {
        std::vector<double> ratios;
        for (std::size_t round = 0; round < seen[which].size(); ++round)
            ratios.push_back(seen[which][round].value / seen[what.floor][round].value);
        auto const& who = what.contenders[which];
        line one{who.name, median_of(seen[which]), median(ratios), std::ranges::min(ratios), std::ranges::max(ratios)};
        auto const judge = [&](char const* subject, double is, double meant) {
            char text[64];
            std::snprintf(text, sizeof text, "%s%s %g", subject, what.more_is_better ? "≥" : "≤", meant);
            one.aim = text;
            one.met = what.more_is_better ? is >= meant : is <= meant;
        };
        if (who.aim) judge("ratio ", one.ratio, *who.aim);
        if (who.limit) judge("", one.median.value, *who.limit);
        all.lines.push_back(std::move(one));
    }
    return all;
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
