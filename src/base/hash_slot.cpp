#include "base/hash_slot.hpp"

#include <array>

namespace redlatch::base {

namespace {

constexpr std::array<std::uint16_t, 256> make_crc16_table() {
    constexpr unsigned polynomial = 0x1021;
    std::array<std::uint16_t, 256> table{};
    for (unsigned byte = 0; byte < table.size(); ++byte) {
        unsigned crc = byte << 8U;
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000U) != 0 ? (crc << 1U) ^ polynomial : crc << 1U;
        table[byte] = static_cast<std::uint16_t>(crc & 0xffffU);
    }
    return table;
}

constexpr auto crc16_table = make_crc16_table();

std::string_view hashed_part(std::string_view key) noexcept {
    auto const open = key.find('{');
    if (open == std::string_view::npos) return key;
    auto const close = key.find('}', open + 1);
    if (close == std::string_view::npos || close == open + 1) return key;
    return key.substr(open + 1, close - open - 1);
}

} // namespace

std::uint16_t hash_slot(std::string_view key) noexcept {
    unsigned crc = 0;
    for (char const letter : hashed_part(key)) {
        auto const byte = static_cast<unsigned char>(letter);
        crc = ((crc << 8U) ^ crc16_table[((crc >> 8U) ^ byte) & 0xffU]) & 0xffffU;
    }
    return static_cast<std::uint16_t>(crc % hash_slots);
}

} // namespace redlatch::base
