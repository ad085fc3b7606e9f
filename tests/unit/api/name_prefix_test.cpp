#include "api/name_prefix.hpp"

#include <gtest/gtest.h>

namespace redlatch::detail {
namespace {

TEST(name_prefix, comes_before_names_that_do_not_begin_with_it) {
    EXPECT_EQ(with_prefix("app:", "job"), "app:job");
    EXPECT_EQ(with_prefix("app:", "app:job"), "app:job");
    EXPECT_EQ(with_prefix("app:", "app"), "app:app");
    EXPECT_EQ(with_prefix("", "job"), "job");
}

TEST(name_prefix, is_taken_off) {
    EXPECT_EQ(without_prefix("app:", "app:job"), "job");
    EXPECT_EQ(without_prefix("app:", "job"), "job");
    EXPECT_EQ(without_prefix("", "job"), "job");
}

TEST(name_prefix, is_no_pattern) {
    EXPECT_EQ(pattern_with_prefix("app:", "*"), "app:*");
    EXPECT_EQ(pattern_with_prefix("app:", "app:j*"), "app:j*");
    EXPECT_EQ(pattern_with_prefix("a*[b]?\\", "j*"), "a\\*\\[b\\]\\?\\\\j*");
    EXPECT_EQ(pattern_with_prefix("", "j*"), "j*");
}

} // namespace
} // namespace redlatch::detail
