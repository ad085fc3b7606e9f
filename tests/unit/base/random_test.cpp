#include "base/random.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <set>

namespace redlatch::base {
namespace {

TEST(random_source, gives_the_published_sequence_of_splitmix64) {
    random_source random(1234567); // the test vector of the algorithm's reference implementation
    EXPECT_EQ(random.next(), 6457827717110365317U);
    EXPECT_EQ(random.next(), 3203168211198807973U);
    EXPECT_EQ(random.next(), 9817491932198370423U);
}

TEST(random_source, keeps_within_its_limits_and_reaches_both) {
    random_source random(3);
    std::set<std::int64_t> seen;
    for (int i = 0; i < 1'000; ++i) seen.insert(random.up_to(4));
    EXPECT_EQ(seen, (std::set<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST(random_source, has_only_zero_up_to_zero_or_less) {
    random_source random(3);
    EXPECT_EQ(random.up_to(0), 0);
    EXPECT_EQ(random.up_to(-1), 0);
    EXPECT_EQ(random.up_to(std::numeric_limits<std::int64_t>::min()), 0);
}

TEST(random_source, takes_the_largest_limit) {
    random_source random(3);
    for (int i = 0; i < 1'000; ++i) ASSERT_GE(random.up_to(std::numeric_limits<std::int64_t>::max()), 0);
}

} // namespace
} // namespace redlatch::base
