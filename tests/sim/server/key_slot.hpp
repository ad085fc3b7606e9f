// The slot of a key in a cluster, computed without the library that is under test.
#pragma once

#include <cstdint>
#include <string_view>

namespace redlatch::sim {

inline constexpr unsigned slots_in_all = 16384;

std::uint16_t key_slot(std::string_view key) noexcept;

} // namespace redlatch::sim
