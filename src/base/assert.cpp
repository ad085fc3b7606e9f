#include "base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace redlatch::base {

void assertion_failed(char const* expression, char const* file, int line) noexcept {
    std::fprintf(stderr, "redlatch: internal error: %s does not hold (%s:%d)\n", expression, file, line);
    std::abort();
}

} // namespace redlatch::base
