#include "sim/server/key_slot.hpp"

namespace redlatch::sim {

/// CRC16 as XMODEM has it, without a table: keys are short.
std::uint16_t key_slot(std::string_view key) noexcept {
    constexpr unsigned polynomial = 0x1021;
    constexpr unsigned highest_bit = 0x8000;
    auto part = key;
    if (auto const open = key.find('{'); open != key.npos)
        if (auto const close = key.find('}', open); close != key.npos && close > open + 1)
            part = key.substr(open + 1, close - open - 1);
    unsigned sum = 0;
    for (char const letter : part) {
        sum ^= static_cast<unsigned>(static_cast<unsigned char>(letter)) << 8U;
        for (int bit = 0; bit < 8; ++bit) sum = (sum << 1U) ^ ((sum & highest_bit) != 0 ? polynomial : 0U);
        sum &= 0xffffU;
    }
    return static_cast<std::uint16_t>(sum % slots_in_all);
}

} // namespace redlatch::sim
