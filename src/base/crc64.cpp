#include "base/crc64.hpp"

#include <array>

namespace redlatch::base {
namespace {

constexpr std::uint64_t polynomial = 0x95ac9329ac4bc9b5U; // 0xad93d23594c935a9 with its bits in reverse

constexpr std::array<std::uint64_t, 256> make_table() {
    std::array<std::uint64_t, 256> table{};
    for (std::uint64_t byte = 0; byte < table.size(); ++byte) {
        auto rest = byte;
        for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1U) ^ ((rest & 1U) != 0 ? polynomial : 0);
        table[byte] = rest;
    }
    return table;
}

constexpr auto table = make_table();

} // namespace

std::uint64_t crc64(std::string_view bytes, std::uint64_t before) noexcept {
    auto sum = before;
    for (char const byte : bytes) sum = table[(sum ^ static_cast<unsigned char>(byte)) & 0xffU] ^ (sum >> 8U);
    return sum;
}

} // namespace redlatch::base
