// Notices when the machine stands still: a virtual machine that is paused, a processor that somebody else has.
#pragma once

#include "history.hpp"

#include <atomic>
#include <cstdint>
#include <thread>

namespace redlatch::chaos {

/// Wakes every 10 ms for as long as it lives, and remembers the longest time that it was late.
class stall_watch {
public:
    stall_watch();
    stall_watch(stall_watch const&) = delete;
    stall_watch& operator=(stall_watch const&) = delete;

    std::int64_t longest_us() const noexcept { return longest_; }

private:
    std::atomic<std::int64_t> longest_{0};
    std::jthread thread_;
};

} // namespace redlatch::chaos
