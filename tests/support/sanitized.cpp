#include "support/sanitized.hpp"

namespace redlatch::test {

bool is_sanitized() noexcept {
#if defined(REDLATCH_SANITIZED)
    return true;
#else
    return false;
#endif
}

} // namespace redlatch::test
