#include "measure/aims.hpp"

#include <algorithm>
#include <cstdio>

namespace redlatch::bench {

namespace {

std::string text_of(aim const& what) {
    char bound[32];
    std::snprintf(bound, sizeof bound, "%g", what.bound);
    std::string text = what.of == figure::value ? "" : std::string(name_of(what.of).heading) + " ";
    text += what.is == aim::sense::at_least ? "≥ " : "≤ ";
    text += bound;
    if (!what.beside.empty()) text += " × " + what.beside;
    return text;
}

} // namespace

judgement judge(aim const& what, std::vector<measurement> const& own, std::vector<measurement> const& other) {
    judgement result{text_of(what), std::nullopt};
    if (what.beside.empty()) {
        result.seen = median_of(own)[what.of];
    } else if (auto const seen = ratios(what.of, own, other); !seen.empty()) {
        result.seen = median(seen);
    }
    if (result.seen)
        result.met = what.is == aim::sense::at_least ? *result.seen >= what.bound : *result.seen <= what.bound;
    return result;
}

std::vector<double> ratios(figure which, std::vector<measurement> const& own, std::vector<measurement> const& other) {
    std::vector<double> result;
    for (std::size_t round = 0; round < std::min(own.size(), other.size()); ++round)
        if (own[round][which] && other[round][which] && *other[round][which] > 0)
            result.push_back(*own[round][which] / *other[round][which]);
    return result;
}

} // namespace redlatch::bench
