// Times for tests of the core, which never reads a clock: counted from one moment that means nothing.
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace redlatch::scripted {

inline constexpr base::instant beginning = base::instant{} + std::chrono::hours(1);

constexpr base::instant at(base::nanoseconds after) {
    return beginning + after;
}

/// Milliseconds after the beginning, for comparisons that print well; `at_no_time` for never.
inline constexpr std::int64_t at_no_time = -1;
constexpr std::int64_t ms(base::instant t) {
    if (t == base::never) return at_no_time;
    return std::chrono::duration_cast<base::milliseconds>(t - beginning).count();
}

} // namespace redlatch::scripted
