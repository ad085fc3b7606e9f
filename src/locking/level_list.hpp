// The levels of one tenure, in the order in which they were acquired.
#pragma once

#include "base/one_or_more.hpp"
#include "locking/level.hpp"

#include <algorithm>
#include <cstdint>

namespace redlatch::locking {

class level_list : public base::one_or_more<level> {
public:
    /// end(): there is none of this number.
    level const* find(std::uint64_t number) const noexcept {
        return std::find_if(begin(), end(), [&](level const& one) { return one.number == number; });
    }
};

} // namespace redlatch::locking
