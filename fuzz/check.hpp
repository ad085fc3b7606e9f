// What a fuzz target states: a broken promise ends the program, and libFuzzer keeps the input.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace redlatch::fuzz {

inline void check(bool holds, char const* promise) {
    if (holds) return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

} // namespace redlatch::fuzz
