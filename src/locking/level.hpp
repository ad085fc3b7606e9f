// One acquisition within a tenure.
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace redlatch::locking {

struct level {
    std::uint64_t number = 0; ///< unique within the client
    base::milliseconds lease{};
    bool renewed = false; ///< by the watchdog
    bool adapter = false; ///< taken by lock(), given back by unlock()
    base::instant max_hold_until = base::never;
};

} // namespace redlatch::locking
