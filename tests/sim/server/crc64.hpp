// The checksum of DUMP and RESTORE: CRC-64 with Jones' polynomial. For payloads, not for speed.
#pragma once

#include <cstdint>
#include <string_view>

namespace redlatch::sim {

std::uint64_t crc64(std::string_view bytes) noexcept;

} // namespace redlatch::sim
