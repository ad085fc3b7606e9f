#include "measure/latency.hpp"

#include <gtest/gtest.h>

namespace redlatch::bench {
namespace {

TEST(latency_histogram, empty_has_no_percentile) {
    latency_histogram const empty{};
    EXPECT_EQ(empty.count(), 0U);
    EXPECT_EQ(empty.percentile(0.5), 0);
}

TEST(latency_histogram, each_duration_is_found_within_three_percent) {
    for (std::int64_t nanoseconds = 1; nanoseconds < 4'000'000'000; nanoseconds = nanoseconds * 21 / 20 + 1) {
        latency_histogram one{};
        one.add(nanoseconds);
        auto const expected = static_cast<double>(nanoseconds) / 1e3;
        EXPECT_NEAR(one.percentile(0.5), expected, 0.033 * expected) << nanoseconds;
    }
}

TEST(latency_histogram, percentiles_follow_the_counts) {
    latency_histogram many{};
    for (int each = 0; each < 980; ++each) many.add(1'000);
    for (int each = 0; each < 20; ++each) many.add(1'000'000);
    EXPECT_NEAR(many.percentile(0.5), 1, 0.04);
    EXPECT_NEAR(many.percentile(0.979), 1, 0.04);
    EXPECT_NEAR(many.percentile(0.99), 1000, 40);
}

TEST(latency_histogram, what_is_longer_than_the_longest_counts_as_that) {
    latency_histogram long_ones{};
    long_ones.add(60'000'000'000);
    EXPECT_NEAR(long_ones.percentile(0.5), 4.29e6, 0.1e6);
}

TEST(latency_histogram, histograms_add_up) {
    latency_histogram left{};
    latency_histogram right{};
    left.add(1'000);
    right.add(5'000);
    right.add(5'000);
    left.add(right);
    EXPECT_EQ(left.count(), 3U);
    EXPECT_NEAR(left.percentile(0.5), 5, 0.2);
}

} // namespace
} // namespace redlatch::bench
