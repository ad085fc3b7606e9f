#include "base/time.hpp"
#include "scripted/virtual_time.hpp"

#include <gtest/gtest.h>

namespace redlatch::base {
namespace {

using namespace std::chrono_literals;
using scripted::at;

TEST(later, adds) {
    EXPECT_TRUE(later(at(1s), 2s) == at(3s));
    EXPECT_TRUE(later(at(3s), -2s) == at(1s));
}

TEST(later, than_never_is_never) {
    EXPECT_TRUE(later(never, -1h) == never);
}

TEST(later, never_wraps_around) {
    EXPECT_TRUE(later(at(1s), nanoseconds::max()) == never);
    EXPECT_TRUE(later(at(1s), never - at(1s)) == never);
    EXPECT_TRUE(later(at(1s), never - at(1s) - 1ns) == never - 1ns);
    EXPECT_TRUE(later(instant{} - 1h, nanoseconds::max()) == never) << "from before the epoch of the clock, too";
}

TEST(later, is_never_by_a_time_of_another_unit_that_no_clock_can_count) {
    EXPECT_TRUE(later(at(1s), milliseconds::max()) == never);
    EXPECT_TRUE(later(at(1s), std::chrono::hours::max()) == never);
    EXPECT_TRUE(later(at(1s), milliseconds(9'223'372'036'855)) == never) << "292 years";
    EXPECT_TRUE(later(at(1s), milliseconds::min()) == instant::min());
    EXPECT_TRUE(later(instant{} - 1h, nanoseconds::min()) == instant::min());
}

} // namespace
} // namespace redlatch::base
