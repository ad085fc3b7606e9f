#include "sim/server/sha1.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace redlatch::sim {
namespace {

constexpr std::size_t block_size = 64;
using digest = std::array<std::uint32_t, 5>;

void add_block(digest& sum, char const* block) {
    std::array<std::uint32_t, 80> words{};
    for (std::size_t i = 0; i < block_size; ++i) {
        words[i / 4] = words[i / 4] << 8 | static_cast<unsigned char>(block[i]);
    }
    for (std::size_t i = 16; i < words.size(); ++i) {
        words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    }
    auto [a, b, c, d, e] = sum;
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::uint32_t mixed = b ^ c ^ d;
        std::uint32_t constant = i < 40 ? 0x6ed9eba1 : 0xca62c1d6;
        if (i < 20) {
            mixed = (b & c) | (~b & d);
            constant = 0x5a827999;
        } else if (i >= 40 && i < 60) {
            mixed = (b & c) | (b & d) | (c & d);
            constant = 0x8f1bbcdc;
        }
        auto const next = std::rotl(a, 5) + mixed + e + constant + words[i];
        e = d;
        d = c;
        c = std::rotl(b, 30);
        b = a;
        a = next;
    }
    sum = {sum[0] + a, sum[1] + b, sum[2] + c, sum[3] + d, sum[4] + e};
}

} // namespace

std::string sha1_hex(std::string_view bytes) {
    digest sum{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    // The message, one bit, zeros, and the number of bits as eight bytes at the end of a block.
    std::string padded(bytes);
    padded += '\x80';
    while (padded.size() % block_size != block_size - 8) padded += '\0';
    auto const bits = static_cast<std::uint64_t>(bytes.size()) * 8;
    for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bits >> shift & 0xff);
    for (std::size_t at = 0; at < padded.size(); at += block_size) add_block(sum, padded.data() + at);

    std::string hex;
    for (auto const word : sum) {
        for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[word >> shift & 0xf];
    }
    return hex;
}

} // namespace redlatch::sim
