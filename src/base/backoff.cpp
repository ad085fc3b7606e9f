#include "base/backoff.hpp"

#include <algorithm>

namespace redlatch::base {

milliseconds backoff_pause(int attempt, milliseconds first, milliseconds most, random_source& random) noexcept {
    constexpr int enough_doublings = 20;
    auto pause = std::max(first, milliseconds(1));
    for (int i = 0; i < std::min(attempt, enough_doublings) && pause < most; ++i) pause *= 2;
    pause = std::min(pause, std::max(most, milliseconds(1)));
    auto const half = pause.count() / 2;
    return milliseconds(pause.count() - half + random.up_to(half));
}

} // namespace redlatch::base
