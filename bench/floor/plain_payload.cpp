#include "floor/plain_payload.hpp"

#include <cstdint>
#include <stdexcept>

namespace redlatch::bench {

namespace {

constexpr char hash_type = 4;
constexpr std::size_t longest_short_string = 63; // its length fits into the six bits that need no second byte

/// The CRC of dumps: polynomial 0xad93d23594c935a9, both directions reflected, begins with 0.
std::uint64_t crc64(std::string_view bytes) {
    constexpr std::uint64_t reflected = 0x95ac9329ac4bc9b5;
    std::uint64_t crc = 0;
    for (char const byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? reflected : 0);
    }
    return crc;
}

} // namespace

std::string plain_payload(std::string_view owner) {
    if (owner.size() > longest_short_string) throw std::invalid_argument("an owner of more than 63 bytes");
    std::string result{hash_type, 1, static_cast<char>(owner.size())};
    result += owner;
    result += {1, '1'};
    result += {6, 0}; // the version
    auto const sum = crc64(result);
    for (int shift = 0; shift < 64; shift += 8) result += static_cast<char>(sum >> shift);
    return result;
}

} // namespace redlatch::bench
