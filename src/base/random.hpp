// Pseudo-random numbers with our own distributions, so that one seed gives the same run with every compiler.
#pragma once

#include <cstdint>

namespace redlatch::base {

/// splitmix64: small, fast, good enough for jitter. Not for secrets.
class random_source {
public:
    explicit random_source(std::uint64_t seed) noexcept : state_(seed) {}

    std::uint64_t next() noexcept {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }

    /// From 0 to limit, both included.
    std::int64_t up_to(std::int64_t limit) noexcept {
        if (limit <= 0) return 0;
        return static_cast<std::int64_t>(next() % (static_cast<std::uint64_t>(limit) + 1));
    }

private:
    std::uint64_t state_;
};

} // namespace redlatch::base
