// The slot of a key in a cluster: what Redis Cluster and Valkey's define, and Java computes.
#pragma once

#include <cstdint>
#include <string_view>

namespace redlatch::base {

inline constexpr std::uint16_t hash_slots = 16384;

/// CRC16 (XMODEM) of what stands between the first { and the next }, or of the whole key where nothing does, modulo 16384.
std::uint16_t hash_slot(std::string_view key) noexcept;

} // namespace redlatch::base
