#include "io/detached_thread.hpp"

#include <thread>
#include <utility>

namespace redlatch::io {

void begin_detached(std::function<void()> work) {
    std::thread(std::move(work)).detach();
}

} // namespace redlatch::io
