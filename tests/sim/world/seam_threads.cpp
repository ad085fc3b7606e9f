// A detached thread as a fiber: linked instead of src/io/detached_thread.cpp.
#include "io/detached_thread.hpp"
#include "sim/world/shortage.hpp"
#include "sim/world/world.hpp"

#include <utility>

namespace redlatch::io {

void begin_detached(std::function<void()> work) {
    auto& in = sim::world::the();
    sim::request_thread(*in.current());
    sim::request_memory();
    sim::memory_of_the_world const own;
    in.spawn(*in.current(), std::move(work));
}

} // namespace redlatch::io
