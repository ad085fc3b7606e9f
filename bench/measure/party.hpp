// One user of a lock. What it needs is connected when it is made, before the clock runs.
#pragma once

#include <functional>

namespace redlatch::bench {

struct party {
    std::function<void()> acquire;
    std::function<void()> release;
};

} // namespace redlatch::bench
