// What the project promises itself about a figure, and whether it is so.
#pragma once

#include "measure/figures.hpp"

#include <optional>
#include <string>
#include <vector>

namespace redlatch::bench {

struct aim {
    enum class sense { at_least, at_most };

    sense is;
    double bound;
    std::string beside{}; ///< a contender whose figure the bound multiplies; empty: the figure itself
    figure of = figure::value;
};

inline aim at_least(double bound, std::string beside = {}, figure of = figure::value) {
    return {aim::sense::at_least, bound, std::move(beside), of};
}
inline aim at_most(double bound, std::string beside = {}, figure of = figure::value) {
    return {aim::sense::at_most, bound, std::move(beside), of};
}
inline aim at_most(double bound, figure of) {
    return {aim::sense::at_most, bound, {}, of};
}

struct judgement {
    std::string text;           ///< "≥ 7 × Redisson", "client µs ≤ 8"
    std::optional<double> seen; ///< none: the other contender was not measured
    bool met = false;
};

/// Beside another contender it is the median of the ratios within each round that counts. `other` is empty when that
/// contender was not measured.
judgement judge(aim const& what, std::vector<measurement> const& own, std::vector<measurement> const& other);

/// The ratios of two contenders' figures in each round that has both.
std::vector<double> ratios(figure which, std::vector<measurement> const& own, std::vector<measurement> const& other);

} // namespace redlatch::bench
