#include "base/assert.hpp"

#include <gtest/gtest.h>

namespace redlatch::base {
namespace {

TEST(assertion, that_holds_evaluates_its_expression_once) {
    int times = 0;
    REDLATCH_ASSERT(++times == 1);
    EXPECT_EQ(times, 1);
}

TEST(assertion_death_test, that_does_not_hold_names_itself_and_its_place_and_aborts) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(REDLATCH_ASSERT(1 + 1 == 3), "redlatch: internal error: 1 \\+ 1 == 3 does not hold .*assert_test");
}

} // namespace
} // namespace redlatch::base
