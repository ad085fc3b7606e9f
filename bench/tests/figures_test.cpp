#include "measure/figures.hpp"

#include <gtest/gtest.h>

namespace redlatch::bench {
namespace {

TEST(figures, the_median_of_each_figure_is_over_the_rounds_that_have_it) {
    std::vector<measurement> const rounds{{{figure::value, 3}, {figure::p99, 10}},
                                          {{figure::value, 1}},
                                          {{figure::value, 2}, {figure::p99, 30}, {figure::late, 0}}};
    auto const all = median_of(rounds);
    EXPECT_EQ(all.value(), 2);
    EXPECT_EQ(all[figure::p99], 20);
    EXPECT_EQ(all[figure::late], 0);
    EXPECT_FALSE(all[figure::spread]);
}

TEST(figures, what_must_not_be_counts_in_whatever_round_it_was) {
    for (auto const which : {figure::overlaps, figure::late})
        EXPECT_EQ(median_of({{{which, 0}}, {{which, 2}}, {{which, 0}}})[which], 2);
}

TEST(figures, the_median_of_an_even_count_lies_between_the_two_in_the_middle) {
    EXPECT_EQ(median({10, 20}), 15);
    EXPECT_EQ(median({40, 10, 30, 20}), 25);
    EXPECT_EQ(median({7}), 7);
}

TEST(figures, percentiles_are_values_that_were_seen) {
    std::vector<double> const values{5, 1, 4, 2, 3};
    EXPECT_EQ(median(values), 3);
    EXPECT_EQ(percentile(values, 0), 1);
    EXPECT_EQ(percentile(values, 0.99), 5);
}

TEST(figures, each_has_a_key_of_its_own) {
    std::map<std::string, int> keys;
    for (std::size_t place = 0; place < figure_count; ++place) ++keys[name_of(static_cast<figure>(place)).key];
    EXPECT_EQ(keys.size(), figure_count);
}

} // namespace
} // namespace redlatch::bench
