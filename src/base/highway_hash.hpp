// HighwayHash, 128 bits: a keyed hash of which Redisson makes names of fields.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace redlatch::base {

using highway_key = std::array<std::uint64_t, 4>;
using highway_digest = std::array<std::uint64_t, 2>;

/// The same as the portable reference implementation (github.com/google/highwayhash), on machines of either byte order.
highway_digest highway_hash_128(highway_key const& key, std::string_view bytes) noexcept;

} // namespace redlatch::base
