// Assertions that stay on in release builds: a broken invariant of a lock must not go on quietly.
#pragma once

namespace redlatch::base {

/// Writes the place to stderr and aborts.
[[noreturn]] void assertion_failed(char const* expression, char const* file, int line) noexcept;

} // namespace redlatch::base

#define REDLATCH_ASSERT(expression)                                                                                    \
    ((expression) ? static_cast<void>(0) : ::redlatch::base::assertion_failed(#expression, __FILE__, __LINE__))
