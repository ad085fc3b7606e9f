// The allocator, which refuses what a fiber is to be refused: instead of the standard library's.
#include "sim/world/fiber.hpp"

#include <cstdlib>
#include <new>

void* operator new(std::size_t size) {
    auto* const who = redlatch::sim::fiber::current();
    if (who != nullptr && who->is_refused_memory()) throw std::bad_alloc();
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
