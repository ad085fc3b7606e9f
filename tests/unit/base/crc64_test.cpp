#include "base/crc64.hpp"

#include <gtest/gtest.h>

namespace redlatch::base {
namespace {

TEST(crc64, is_that_of_redis) {
    EXPECT_EQ(crc64("123456789"), 0xe9c6d914c4b8d9caU) << "the check value in Redis' own sources";
    EXPECT_EQ(crc64(""), 0U);
}

TEST(crc64, of_two_pieces_is_that_of_the_whole) {
    EXPECT_EQ(crc64("56789", crc64("1234")), crc64("123456789"));
    EXPECT_NE(crc64("1234", crc64("56789")), crc64("123456789"));
}

} // namespace
} // namespace redlatch::base
