#include "api/scan_bounds.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace redlatch::detail {
namespace {

/// Pages until it is given up; 0: not within `most`.
template <class Page> int given_up_after(scan_bounds bounds, Page page, int most = 6'000'000) {
    for (int i = 1; i <= most; ++i)
        if (page(bounds, i)) return i;
    return 0;
}

auto const fresh_cursors = [](scan_bounds& bounds, int i) { return bounds.on_page(std::to_string(i), 0, 0); };

TEST(scan_bounds, let_a_scan_of_any_server_come_to_its_end) {
    constexpr int keys = 10'000'000; // its table has thirty slots for each key
    scan_bounds bounds;
    bounds.set_keys(keys);
    for (int i = 1; i < keys / 500; ++i) ASSERT_EQ(bounds.on_page(std::to_string(i), 500, 499), std::nullopt) << i;
    EXPECT_EQ(bounds.on_page("0", 500, 499), std::nullopt);
    scan_bounds sparse;
    sparse.set_keys(keys);
    for (int i = 1; i < 30 * (keys / 500); ++i) ASSERT_EQ(sparse.on_page(std::to_string(i), 0, 0), std::nullopt) << i;
    EXPECT_EQ(sparse.on_page("0", 0, 0), std::nullopt);
}

TEST(scan_bounds, end_a_scan_that_goes_on_for_ever) {
    scan_bounds small;
    small.set_keys(3);
    EXPECT_EQ(given_up_after(small, fresh_cursors), 10'000);
    scan_bounds large;
    large.set_keys(90'000);
    EXPECT_EQ(given_up_after(large, fresh_cursors), 19'000);
    scan_bounds liar;
    liar.set_keys(std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(given_up_after(liar, fresh_cursors), 5'000'000);
    scan_bounds negative;
    negative.set_keys(-1);
    EXPECT_EQ(given_up_after(negative, fresh_cursors), 10'000);
}

TEST(scan_bounds, end_a_scan_whose_cursors_go_in_a_circle) {
    for (int const length : {1, 2, 7, 1000}) {
        auto const circle = [&](scan_bounds& bounds, int i) {
            return bounds.on_page("c" + std::to_string(i % length), 0, 0);
        };
        auto const pages = given_up_after(scan_bounds(), circle);
        EXPECT_GT(pages, length);
        EXPECT_LE(pages, 4 * length + 2);
    }
}

TEST(scan_bounds, end_a_scan_that_names_the_same_keys_again_and_again) {
    auto const stale = [](scan_bounds& bounds, int i) {
        return bounds.on_page(std::to_string(i), 10, i == 1 ? 10 : 0);
    };
    EXPECT_EQ(given_up_after(scan_bounds(), stale), 101);
    auto const some_fresh = [](scan_bounds& bounds, int i) {
        return bounds.on_page(std::to_string(i), 10, i % 50 == 0 ? 1 : 0);
    };
    EXPECT_EQ(given_up_after(scan_bounds(), some_fresh, 5'000), 0);
}

TEST(scan_bounds, end_a_scan_that_names_more_keys_than_there_are) {
    scan_bounds bounds;
    bounds.set_keys(3);
    auto const fresh = [](scan_bounds& which, int i) { return which.on_page(std::to_string(i), 500, 500); };
    EXPECT_EQ(given_up_after(bounds, fresh), 201);
    EXPECT_EQ(given_up_after(scan_bounds(), fresh), 20'001);
}

} // namespace
} // namespace redlatch::detail
