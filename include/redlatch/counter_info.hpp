// What can be seen of a semaphore or a latch from outside.
#pragma once

#include <cstdint>
#include <string>

namespace redlatch {

/// A snapshot of one. The server has a number, and does not know what it counts: the free permits of a semaphore, what is left
/// of a latch, or the permits of a permit semaphore of which none is taken.
struct counter_info {
    std::string name{};
    std::int64_t number = 0;
    /// Why the server does not let us look at it, as a message. Nothing else is known of it then; empty: it does.
    std::string problem{};
};

} // namespace redlatch
