// SHA-1 (FIPS 180-4), by which Redis names scripts. Not for security.
#pragma once

#include <string>
#include <string_view>

namespace redlatch::sim {

/// 40 lower-case hex digits.
std::string sha1_hex(std::string_view bytes);

} // namespace redlatch::sim
