// Randomness from the operating system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace redlatch::io {

std::uint64_t random_seed();

/// Fit for names that nobody else has.
std::string random_bytes(std::size_t size);

/// A version 4 UUID in lower case (protocol section 0.1).
std::string random_uuid();

} // namespace redlatch::io
