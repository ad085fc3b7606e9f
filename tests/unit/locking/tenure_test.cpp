#include "locking/tenure.hpp"
#include "scripted/virtual_time.hpp"

#include <gtest/gtest.h>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::at;
using scripted::ms;

TEST(validity_margin, is_a_hundredth_but_no_less_than_20_ms) {
    EXPECT_EQ(validity_margin(30s, 0ms), 300ms);
    EXPECT_EQ(validity_margin(1h, 0ms), 36s);
    EXPECT_EQ(validity_margin(2s, 0ms), 20ms);
    EXPECT_EQ(validity_margin(100ms, 0ms), 20ms);
}

TEST(validity_margin, leaves_half_of_a_lease_that_is_too_short_for_it) {
    EXPECT_EQ(validity_margin(40ms, 0ms), 20ms);
    EXPECT_EQ(validity_margin(30ms, 0ms), 15ms);
    EXPECT_EQ(validity_margin(1ms, 0ms), 0ms);
}

TEST(validity_margin, is_what_the_user_configured) {
    EXPECT_EQ(validity_margin(30s, 2s), 2s);
    EXPECT_EQ(validity_margin(3s, 2s), 1500ms);
}

TEST(tenure, holds_while_held_and_valid) {
    tenure one;
    EXPECT_FALSE(one.holds(at(0s))) << "nothing is acknowledged yet";
    one.valid_until = at(10s).time_since_epoch().count();
    EXPECT_FALSE(one.holds(at(0s))) << "acquiring";
    one.now_in = tenure::phase::held;
    EXPECT_TRUE(one.holds(at(10s) - 1ns));
    EXPECT_FALSE(one.holds(at(10s)));
    for (auto const phase : {tenure::phase::releasing, tenure::phase::lost, tenure::phase::ended}) {
        one.now_in = phase;
        EXPECT_FALSE(one.holds(at(0s)));
    }
}

TEST(tenure, is_renewed_as_long_as_any_of_its_levels_is) {
    tenure one;
    EXPECT_FALSE(one.renewed());
    for (auto const& added : {level{1, 5s, false, false}, level{2, 30s, true, false}, level{3, 1s, false, true}})
        one.levels.push_back(added);
    EXPECT_TRUE(one.renewed());
    one.levels.erase(one.levels.begin() + 1);
    EXPECT_FALSE(one.renewed());
}

TEST(tenure, writes_the_longest_lease_of_the_levels_that_stay) {
    tenure one;
    EXPECT_EQ(one.longest_lease(), 1ms) << "never zero: PEXPIRE 0 would delete the key";
    for (auto const& added : {level{1, 5s, false, false}, level{2, 30s, true, false}, level{3, 1s, false, true}})
        one.levels.push_back(added);
    EXPECT_EQ(one.longest_lease(), 30s);
}

TEST(tenure, ends_with_the_earliest_max_hold_of_its_levels) {
    tenure one;
    EXPECT_EQ(ms(one.max_hold_until()), scripted::at_no_time);
    for (auto const& added :
         {level{.number = 1, .lease = 30s, .renewed = true, .max_hold_until = at(60s)},
          level{.number = 2, .lease = 30s, .renewed = true, .max_hold_until = at(40s)}, level{3, 1s, false, false}})
        one.levels.push_back(added);
    EXPECT_EQ(ms(one.max_hold_until()), 40'000);
    one.levels.erase(one.levels.begin() + 1);
    EXPECT_EQ(ms(one.max_hold_until()), 60'000);
}

} // namespace
} // namespace redlatch::locking
