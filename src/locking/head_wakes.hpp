// How often in a row a process that releases a lock on the server wakes its own next waiter at once: after that many times, or
// that long, other processes are to come first.
#pragma once

#include "base/time.hpp"

namespace redlatch::locking {

/// Not thread-safe.
class head_wakes {
public:
    static constexpr int most = 16;
    static constexpr base::milliseconds longest{5};

    /// One more. False: it is to yield, and a new row begins.
    bool at_once(base::instant now) noexcept {
        if (count_ == 0) began_ = now;
        ++count_;
        if (count_ <= most && now - began_ <= longest) return true;
        count_ = 0;
        return false;
    }
    /// Nobody waited.
    void reset() noexcept { count_ = 0; }

private:
    int count_ = 0;
    base::instant began_{};
};

} // namespace redlatch::locking
