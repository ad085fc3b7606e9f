#include "api/yaml_nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace redlatch {

namespace {

/// Levenshtein's, by rows.
std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        auto diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < to.size(); ++j) {
            auto const replaced = diagonal + (from[i] == to[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

} // namespace

std::string folded_key(std::string_view name) {
    std::string out;
    for (char const byte : name)
        if (byte != '-' && byte != '_') out += byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
    return out;
}

std::string nearest_key(std::string_view name, std::span<std::string_view const> known) {
    constexpr std::size_t longest_name = 64; // no known name is near to a longer one
    if (name.size() > longest_name) return {};
    auto const wanted = folded_key(name);
    std::string best;
    auto least = std::max<std::size_t>(2, wanted.size() / 3) + 1;
    for (auto const candidate : known) {
        auto const distance = edit_distance(wanted, folded_key(candidate));
        if (distance >= least) continue;
        least = distance;
        best = candidate;
    }
    constexpr std::size_t telling = 5;
    auto const begins_so = [&](std::string_view candidate) { return folded_key(candidate).starts_with(wanted); };
    if (best.empty() && wanted.size() >= telling)
        if (auto const found = std::ranges::find_if(known, begins_so); found != known.end()) best = *found;
    return best;
}

} // namespace redlatch
