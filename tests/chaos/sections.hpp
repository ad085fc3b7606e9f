// Critical sections, as far as their holders vouched for them.
#pragma once

#include "history.hpp"

#include <string>
#include <vector>

namespace redlatch::chaos {

/// From `from` to `to` the hold said that it was valid: every look is dated before the question to the hold, and validity has
/// no gaps. A holder that vanished inside (killed) had still been promised the lock until its validity ended.
struct section {
    enum class ending { left, lost, cut };

    std::string who{};
    std::int64_t token = 0;
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t last_token = 0; ///< the latest entry that was known to the resource at the last valid look
    ending how = ending::cut;
};

/// In the order of their tokens. The history must be sorted.
std::vector<section> sections_of(history const& events);

/// Two sections at once, by their times.
struct overlap {
    section first;
    section second;
    std::int64_t length_us = 0;
};
std::vector<overlap> overlaps_of(std::vector<section> const& sections);

} // namespace redlatch::chaos
