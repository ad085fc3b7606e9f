#include "base/highway_hash.hpp"

#include <cstddef>

namespace redlatch::base {
namespace {

using lanes = std::array<std::uint64_t, 4>;

constexpr std::size_t packet_size = 32;
constexpr lanes initial_mul0{0xdbe6d5d5fe4cce2f, 0xa4093822299f31d0, 0x13198a2e03707344, 0x243f6a8885a308d3};
constexpr lanes initial_mul1{0x3bd39e10cb0ef593, 0xc0acf169b5f18a8c, 0xbe5466cf34e90c6c, 0x452821e638d01377};
constexpr int last_rounds = 6; // of the hash of 128 bits

constexpr std::uint64_t swap_halves(std::uint64_t value) noexcept {
    return (value >> 32U) | (value << 32U);
}

constexpr std::uint64_t low_half(std::uint64_t value) noexcept {
    return value & 0xffffffffU;
}

/// Either half of the value by itself.
constexpr std::uint64_t rotate_halves(std::uint64_t value, unsigned count) noexcept {
    auto const rotated = [count](std::uint64_t half) { return low_half(half << count) | (half >> (32U - count)); };
    return rotated(low_half(value)) | (rotated(value >> 32U) << 32U);
}

/// Byte `at` of the value, counted from its least significant one, as byte `to` of the result.
constexpr std::uint64_t byte_to(std::uint64_t value, unsigned at, unsigned to) noexcept {
    return ((value >> (8U * at)) & 0xffU) << (8U * to);
}

/// Two lanes, their bytes mixed so that what multiplications leave in the middle is spread.
constexpr std::uint64_t zipped_even(std::uint64_t odd, std::uint64_t even) noexcept {
    return byte_to(even, 3, 0) | byte_to(odd, 4, 1) | byte_to(even, 2, 2) | byte_to(even, 5, 3) | byte_to(odd, 6, 4)
           | byte_to(even, 1, 5) | byte_to(odd, 7, 6) | byte_to(even, 0, 7);
}
constexpr std::uint64_t zipped_odd(std::uint64_t odd, std::uint64_t even) noexcept {
    return byte_to(odd, 3, 0) | byte_to(even, 4, 1) | byte_to(odd, 2, 2) | byte_to(odd, 5, 3) | byte_to(odd, 1, 4)
           | byte_to(even, 6, 5) | byte_to(odd, 0, 6) | byte_to(even, 7, 7);
}

struct state {
    explicit state(highway_key const& key) noexcept {
        for (std::size_t i = 0; i < key.size(); ++i) {
            v0[i] = mul0[i] ^ key[i];
            v1[i] = mul1[i] ^ swap_halves(key[i]);
        }
    }

    void update(lanes const& packet) noexcept {
        for (std::size_t i = 0; i < packet.size(); ++i) {
            v1[i] += mul0[i] + packet[i];
            mul0[i] ^= low_half(v1[i]) * (v0[i] >> 32U);
            v0[i] += mul1[i];
            mul1[i] ^= low_half(v0[i]) * (v1[i] >> 32U);
        }
        add_zipped(v1, v0);
        add_zipped(v0, v1);
    }

    static void add_zipped(lanes const& from, lanes& to) noexcept {
        for (std::size_t i = 0; i < from.size(); i += 2) {
            to[i] += zipped_even(from[i + 1], from[i]);
            to[i + 1] += zipped_odd(from[i + 1], from[i]);
        }
    }

    lanes v0{};
    lanes v1{};
    lanes mul0 = initial_mul0;
    lanes mul1 = initial_mul1;
};

/// 32 bytes, each lane little-endian.
lanes to_lanes(std::string_view packet) noexcept {
    lanes result{};
    for (std::size_t i = 0; i < packet_size; ++i)
        result[i / 8] |= std::uint64_t{static_cast<unsigned char>(packet[i])} << (8U * (i % 8));
    return result;
}

/// Of less than 32 bytes: whole groups of four stay, the rest goes to the end, and to the middle if there are few.
lanes last_packet(std::string_view rest) noexcept {
    std::array<char, packet_size> packet{};
    auto const whole = rest.size() & ~std::size_t{3};
    auto const beyond = rest.size() & 3U;
    rest.copy(packet.data(), whole);
    if ((rest.size() & 16U) != 0) {
        rest.copy(packet.data() + packet_size - 4, 4, rest.size() - 4);
    } else if (beyond != 0) {
        packet[16] = rest[whole];
        packet[17] = rest[whole + beyond / 2];
        packet[18] = rest[whole + beyond - 1];
    }
    return to_lanes({packet.data(), packet.size()});
}

} // namespace

highway_digest highway_hash_128(highway_key const& key, std::string_view bytes) noexcept {
    state all(key);
    while (bytes.size() >= packet_size) {
        all.update(to_lanes(bytes));
        bytes.remove_prefix(packet_size);
    }
    if (!bytes.empty()) {
        auto const size = bytes.size();
        for (auto& lane : all.v0) lane += (std::uint64_t{size} << 32U) + size;
        for (auto& lane : all.v1) lane = rotate_halves(lane, static_cast<unsigned>(size));
        all.update(last_packet(bytes));
    }
    for (int round = 0; round < last_rounds; ++round)
        all.update({swap_halves(all.v0[2]), swap_halves(all.v0[3]), swap_halves(all.v0[0]), swap_halves(all.v0[1])});
    return {all.v0[0] + all.mul0[0] + all.v1[2] + all.mul1[2], all.v0[1] + all.mul0[1] + all.v1[3] + all.mul1[3]};
}

} // namespace redlatch::base
