// What real servers make of it is in tests/lua.
#include "locking/dumped_hash.hpp"

#include <gtest/gtest.h>
#include <string>

namespace redlatch::locking {
namespace {

std::string dumped(std::string const& field) {
    return std::string(dumped_hash(field).bytes());
}

TEST(dumped_hash, is_byte_for_byte_what_dump_would_give) {
    // As DUMP gives it where small hashes are not packed, but for the version (6) and the value, which it packs to an integer.
    std::string const before_checksum{"\x04\x01\x06uuid:7\x01"
                                      "1\x06\x00",
                                      13};
    auto const whole = dumped("uuid:7");
    ASSERT_EQ(whole.size(), before_checksum.size() + 8);
    EXPECT_EQ(whole.substr(0, before_checksum.size()), before_checksum);
}

TEST(dumped_hash, ends_with_a_checksum_of_all_before) {
    auto const one = dumped("uuid:7");
    auto const other = dumped("uuid:8");
    EXPECT_NE(one.substr(one.size() - 8), other.substr(other.size() - 8));
    EXPECT_EQ(dumped("uuid:7"), one);
}

TEST(dumped_hash, takes_fields_of_up_to_63_bytes) {
    for (std::size_t length : {std::size_t{1}, std::size_t{63}})
        EXPECT_EQ(dumped(std::string(length, 'x')).size(), 15 + length);
    EXPECT_DEATH(dumped(std::string(64, 'x')), "field.size");
    EXPECT_DEATH(dumped(""), "field");
}

} // namespace
} // namespace redlatch::locking
