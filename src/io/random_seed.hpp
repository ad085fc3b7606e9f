// Randomness from the operating system.
#pragma once

#include <cstdint>
#include <string>

namespace redlatch::io {

std::uint64_t random_seed();

/// A version 4 UUID in lower case (protocol section 0.1).
std::string random_uuid();

} // namespace redlatch::io
