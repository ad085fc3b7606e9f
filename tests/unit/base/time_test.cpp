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

} // namespace
} // namespace redlatch::base
