// Memory that ends at any allocation. For one file of a program: it replaces that program's operator new.
#pragma once

#include "support/replaced_allocator.hpp"

#include <new>

namespace redlatch::scripted {

/// How many more allocations succeed on this thread; negative: all.
inline thread_local int allocations_left = -1;

} // namespace redlatch::scripted

inline void redlatch::test::before_allocation() {
    using scripted::allocations_left;
    if (allocations_left == 0) throw std::bad_alloc();
    if (allocations_left > 0) --allocations_left;
}
