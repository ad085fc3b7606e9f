// An operator new of a test program's own, so that it can count requests for memory or refuse them. For one file of a program:
// it replaces that program's operator new.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace redlatch::test {

/// Defined by the file that includes this one. Before each request; what it throws is the answer.
void before_allocation();

} // namespace redlatch::test

// All forms that the library could use; the others of the standard library call these.
void* operator new(std::size_t size) {
    redlatch::test::before_allocation();
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
// Where the standard library's own is a sanitizer's, it does not come by way of the one above.
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
