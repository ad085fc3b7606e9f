// Memory that was given back is asked for anew: linked instead of src/base/recycling.cpp. What a stock holds depends on what
// the thread has done before, and so would the request that is refused (shortage.hpp): equal seeds would not give equal runs.
#include "base/recycling.hpp"

namespace redlatch::base {

void* take_memory(std::size_t bytes) {
    return ::operator new(bytes);
}

void keep_memory(void* memory, std::size_t) noexcept {
    ::operator delete(memory);
}

std::string spare_text() {
    return {};
}

void keep_text(std::string&&) noexcept {}

} // namespace redlatch::base
