#include "io/opening_pause.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace redlatch::io {
namespace {

TEST(opening_pause, doubles_up_to_ten_times_the_first) {
    base::random_source random(1);
    auto const longest_of = [&](int attempt) {
        base::milliseconds longest{0};
        for (int i = 0; i < 1'000; ++i)
            longest = std::max(longest, opening_pause(attempt, base::milliseconds(1'000), random));
        return longest.count();
    };
    EXPECT_NEAR(static_cast<double>(longest_of(0)), 1'000, 50);
    EXPECT_NEAR(static_cast<double>(longest_of(2)), 4'000, 200);
    EXPECT_NEAR(static_cast<double>(longest_of(4)), 10'000, 500);
    EXPECT_NEAR(static_cast<double>(longest_of(40)), 10'000, 500);
}

} // namespace
} // namespace redlatch::io
