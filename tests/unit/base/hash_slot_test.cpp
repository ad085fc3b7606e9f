#include "base/hash_slot.hpp"

#include <gtest/gtest.h>

namespace redlatch::base {
namespace {

TEST(hash_slot, is_that_of_the_servers) {
    EXPECT_EQ(hash_slot("123456789"), 12739); // the test value of CRC16 (XMODEM), 0x31C3
    EXPECT_EQ(hash_slot("foo"), 12182);
    EXPECT_EQ(hash_slot("bar"), 5061);
    EXPECT_EQ(hash_slot(""), 0);
    EXPECT_EQ(hash_slot("\xff\x80"), hash_slot(std::string_view("\xff\x80", 2)));
}

TEST(hash_slot, is_of_the_first_part_in_brackets) {
    EXPECT_EQ(hash_slot("{foo}bar"), hash_slot("foo"));
    EXPECT_EQ(hash_slot("redisson_lock__channel:{foo}"), hash_slot("foo"));
    EXPECT_EQ(hash_slot("a{foo}b{bar}"), hash_slot("foo"));
    EXPECT_EQ(hash_slot("{{foo}}"), hash_slot("{foo"));
}

TEST(hash_slot, is_of_the_whole_key_where_the_brackets_have_nothing_between_them) {
    EXPECT_NE(hash_slot("{}foo"), hash_slot(""));
    EXPECT_NE(hash_slot("{}{foo}"), hash_slot("foo"));
    EXPECT_NE(hash_slot("{foo"), hash_slot("foo"));
    EXPECT_NE(hash_slot("}foo{"), hash_slot("foo"));
}

} // namespace
} // namespace redlatch::base
