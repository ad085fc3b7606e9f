// Any time of the standard library as a wait.
#include <redlatch/detail/bounded_wait.hpp>

#include <gtest/gtest.h>

namespace redlatch::detail {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using std::chrono::sys_days;
using wall = std::chrono::system_clock;

TEST(bounded_wait, is_what_it_says_rounded_up) {
    EXPECT_EQ(bounded_wait(2s), 2s);
    EXPECT_EQ(bounded_wait(std::chrono::duration<double, std::nano>(0.5)), 1ns);
}

TEST(bounded_wait, is_for_ever_where_it_does_not_fit) {
    EXPECT_EQ(bounded_wait(std::chrono::hours::max()), longest_wait);
    EXPECT_EQ(bounded_wait_until(std::chrono::time_point<wall, std::chrono::hours>::max()), longest_wait);
    EXPECT_EQ(bounded_wait_until(sys_days{std::chrono::year(9999) / 1 / 1}), longest_wait);
}

TEST(bounded_wait, is_none_for_what_is_past_however_long) {
    EXPECT_EQ(bounded_wait(0s), 0ns);
    EXPECT_EQ(bounded_wait(-1ns), 0ns);
    EXPECT_EQ(bounded_wait(std::chrono::hours(-2'600'000)), 0ns);
    EXPECT_EQ(bounded_wait(std::chrono::seconds(-10'000'000'000)), 0ns);
    EXPECT_EQ(bounded_wait(std::chrono::hours::min()), 0ns);
    EXPECT_EQ(bounded_wait_until(wall::now() - 1h), 0ns);
    EXPECT_EQ(bounded_wait_until(sys_days{std::chrono::year(1600) / 1 / 1}), 0ns);
    EXPECT_EQ(bounded_wait_until(wall::time_point::min()), 0ns);
    EXPECT_EQ(bounded_wait_until(std::chrono::time_point<wall, std::chrono::hours>::min()), 0ns);
}

} // namespace
} // namespace redlatch::detail
