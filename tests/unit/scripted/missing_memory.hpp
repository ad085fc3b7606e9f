// Memory that ends at any allocation. For one file of a program: it replaces that program's operator new.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace redlatch::scripted {

/// How many more allocations succeed on this thread; negative: all.
inline thread_local int allocations_left = -1;

} // namespace redlatch::scripted

void* operator new(std::size_t size) {
    using redlatch::scripted::allocations_left;
    if (allocations_left == 0) throw std::bad_alloc();
    if (allocations_left > 0) --allocations_left;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
// Where the library's own is a sanitizer's, it does not come by way of the one above.
void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
    try {
        return ::operator new(size);
    } catch (std::bad_alloc const&) {
        return nullptr;
    }
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
