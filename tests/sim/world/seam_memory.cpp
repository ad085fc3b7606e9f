// The allocator, which refuses what a fiber is to be refused: instead of the standard library's.
#include "sim/world/fiber.hpp"
#include "support/replaced_allocator.hpp"

void redlatch::test::before_allocation() {
    auto* const who = sim::fiber::current();
    if (who != nullptr && who->is_refused_memory()) throw std::bad_alloc();
}
