#include "sim/server/crc64.hpp"

#include <array>

namespace redlatch::sim {
namespace {

constexpr std::uint64_t polynomial = 0x95ac9329ac4bc9b5; // 0xad93d23594c935a9, lowest bit first

constexpr std::array<std::uint64_t, 256> sums_of_bytes = [] {
    std::array<std::uint64_t, 256> result{};
    for (std::uint64_t byte = 0; byte < result.size(); ++byte) {
        auto sum = byte;
        for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1) != 0 ? polynomial : 0);
        result[byte] = sum;
    }
    return result;
}();

} // namespace

std::uint64_t crc64(std::string_view bytes) noexcept {
    std::uint64_t sum = 0;
    for (char const byte : bytes) sum = sum >> 8 ^ sums_of_bytes[(sum ^ static_cast<unsigned char>(byte)) & 0xff];
    return sum;
}

} // namespace redlatch::sim
