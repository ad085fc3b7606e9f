#include "nearest.hpp"

#include <algorithm>
#include <cstddef>

namespace redlatch::cli {
namespace {

/// How many letters must be changed, added, removed or exchanged with their neighbour to make the one of the other.
std::size_t distance(std::string_view one, std::string_view other) {
    std::vector<std::vector<std::size_t>> cost(one.size() + 1, std::vector<std::size_t>(other.size() + 1));
    for (std::size_t i = 0; i <= one.size(); ++i) {
        for (std::size_t j = 0; j <= other.size(); ++j) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            auto const change = cost[i - 1][j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
            cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, change});
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[one.size()][other.size()];
}

} // namespace

std::string nearest(std::string_view given, std::vector<std::string> const& candidates) {
    constexpr std::size_t longest = 64; // nobody mistypes more, and the table of distances stays small
    if (given.size() > longest) return {};
    auto const letters = given.find_first_not_of('-');
    if (letters == std::string_view::npos) return {};
    std::string const* best = nullptr;
    std::size_t least = (given.size() - letters) / 3 + 1;
    for (auto const& one : candidates) {
        auto const cost = distance(given, one);
        if (cost >= least) continue;
        least = cost;
        best = &one;
    }
    if (best != nullptr) return *best;
    auto const begins = [given](auto const& one) { return one.starts_with(given); };
    auto const first = std::find_if(candidates.begin(), candidates.end(), begins);
    if (first == candidates.end() || std::find_if(first + 1, candidates.end(), begins) != candidates.end()) return {};
    return *first;
}

} // namespace redlatch::cli
