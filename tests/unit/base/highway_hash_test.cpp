#include "base/highway_hash.hpp"

#include <gtest/gtest.h>
#include <string>
#include <tuple>

namespace redlatch::base {
namespace {

constexpr highway_key counting{0x0706050403020100, 0x0f0e0d0c0b0a0908, 0x1716151413121110, 0x1f1e1d1c1b1a1918};

/// 0, 1, 2, ...
std::string bytes(std::size_t size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text.push_back(static_cast<char>(i));
    return text;
}

TEST(highway_hash, is_that_of_other_implementations_for_each_form_of_the_last_packet) {
    // The published values; Redisson's own class is asked for all lengths by tests/interop.
    for (auto const& [size, first, second] :
         {std::tuple(std::size_t{0}, std::uint64_t{0x0fed268f9d8ffec7}, std::uint64_t{0x33565e767f093e6f}),
          std::tuple(std::size_t{1}, std::uint64_t{0xd6b0a8893681e7a8}, std::uint64_t{0xdc291df9eb9cdcb4}),
          std::tuple(std::size_t{2}, std::uint64_t{0x3d15ad265a16da04}, std::uint64_t{0x78085638dc32e868}),
          std::tuple(std::size_t{3}, std::uint64_t{0x0607621b295f0beb}, std::uint64_t{0xbfe69a0fd9cedd79}),
          std::tuple(std::size_t{4}, std::uint64_t{0x26399eb46dace49e}, std::uint64_t{0x2e922ad039319208}),
          std::tuple(std::size_t{7}, std::uint64_t{0x2a401fca697171b4}, std::uint64_t{0xbe1f03ff9f02796c}),
          std::tuple(std::size_t{15}, std::uint64_t{0x142237a52bc4af54}, std::uint64_t{0xe0796c0b6e26bcd7}),
          std::tuple(std::size_t{16}, std::uint64_t{0x414460ffd5a401ad}, std::uint64_t{0x029ea3d5019f18c8}),
          std::tuple(std::size_t{17}, std::uint64_t{0xc52a4b96c51c9962}, std::uint64_t{0xecb878b1169b5ea0}),
          std::tuple(std::size_t{19}, std::uint64_t{0x8ac49d0ae5c0cbf5}, std::uint64_t{0x3ffdbf8df51d7c93}),
          std::tuple(std::size_t{20}, std::uint64_t{0xac6d279b852d00a8}, std::uint64_t{0x7dcd3a6ba5ebaa46}),
          std::tuple(std::size_t{31}, std::uint64_t{0x06e7b465e8a57c29}, std::uint64_t{0x52415e3a07f5d446}),
          std::tuple(std::size_t{32}, std::uint64_t{0x1984df66c1434aaa}, std::uint64_t{0x16fc1958f9b3e4b9}),
          std::tuple(std::size_t{33}, std::uint64_t{0x111678afe0c6c36c}, std::uint64_t{0xf958b59de5a2849d}),
          std::tuple(std::size_t{63}, std::uint64_t{0x74bd7018022f3ef0}, std::uint64_t{0x3aea94a8ad5f4bcb}),
          std::tuple(std::size_t{64}, std::uint64_t{0x98bb1f7198d4c4f2}, std::uint64_t{0xe0bc0571de918fc8})})
        EXPECT_EQ(highway_hash_128(counting, bytes(size)), (highway_digest{first, second})) << size << " bytes";
}

TEST(highway_hash, depends_on_the_key_and_on_each_byte) {
    auto const text = bytes(70);
    auto const whole = highway_hash_128(counting, text);
    auto other_key = counting;
    other_key[3] ^= 1;
    EXPECT_NE(highway_hash_128(other_key, text), whole);
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto changed = text;
        changed[i] = static_cast<char>(changed[i] ^ 0x80);
        EXPECT_NE(highway_hash_128(counting, changed), whole) << "byte " << i;
    }
}

} // namespace
} // namespace redlatch::base
