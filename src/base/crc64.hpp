// The checksum that Redis puts behind a dumped value: CRC-64/Redis (Jones' polynomial, reflected, begins with 0).
#pragma once

#include <cstdint>
#include <string_view>

namespace redlatch::base {

/// Goes on from `before`: the checksum of two pieces is that of the second one, begun with that of the first.
std::uint64_t crc64(std::string_view bytes, std::uint64_t before = 0) noexcept;

} // namespace redlatch::base
