// That other processes ask before this one.
#pragma once

#include "base/time.hpp"

namespace redlatch::locking {

struct precedence {
    base::nanoseconds time{}; ///< none, or less: nobody is before us
    bool near = false;        ///< our turn may come at any moment: listen meanwhile
};

} // namespace redlatch::locking
