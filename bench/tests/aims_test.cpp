#include "measure/aims.hpp"

#include <gtest/gtest.h>

namespace redlatch::bench {
namespace {

std::vector<measurement> values(std::initializer_list<double> all) {
    std::vector<measurement> result;
    for (double const each : all) result.push_back({{figure::value, each}, {figure::client_cpu, 100 / each}});
    return result;
}

TEST(aims, beside_another_the_median_of_the_ratios_of_each_round_counts) {
    // The machine was twice as fast in the second round; the medians alone would say 2.5.
    auto const seen = judge(at_least(2, "other"), values({20, 50, 30}), values({10, 25, 10}));
    EXPECT_EQ(seen.text, "≥ 2 × other");
    EXPECT_DOUBLE_EQ(seen.seen.value(), 2);
    EXPECT_TRUE(seen.met);
}

TEST(aims, a_bound_of_the_figure_itself) {
    auto const seen = judge(at_most(4, figure::client_cpu), values({20}), {});
    EXPECT_EQ(seen.text, "client µs ≤ 4");
    EXPECT_DOUBLE_EQ(seen.seen.value(), 5);
    EXPECT_FALSE(seen.met);
    EXPECT_TRUE(judge(at_most(5, figure::client_cpu), values({20}), {}).met);
}

TEST(aims, nothing_is_said_beside_somebody_who_was_not_measured) {
    auto const seen = judge(at_least(2, "other"), values({20}), {});
    EXPECT_FALSE(seen.seen);
    EXPECT_FALSE(seen.met);
}

TEST(aims, rounds_without_the_figure_have_no_ratio) {
    EXPECT_TRUE(ratios(figure::p99, values({1, 2}), values({1, 2})).empty());
    EXPECT_EQ(ratios(figure::value, values({1, 2}), values({0, 4})), std::vector<double>{0.5});
}

} // namespace
} // namespace redlatch::bench
