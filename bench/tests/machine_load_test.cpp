#include "measure/machine_load.hpp"

#include <gtest/gtest.h>
#include <sstream>

namespace redlatch::bench {
namespace {

using namespace std::chrono_literals;

processor_times times_of(std::string const& stat) {
    std::istringstream text(stat);
    return processor_times_in(text);
}

TEST(machine_load, the_idle_share_is_that_between_two_looks) {
    auto const before = times_of("cpu  100 0 50 800 40 0 10 0 7 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n");
    EXPECT_EQ(before.all, 1000) << "guests are counted in user already";
    EXPECT_EQ(before.idle, 840);
    auto const after = times_of("cpu  150 0 50 930 60 0 10 0 7 0\n");
    EXPECT_DOUBLE_EQ(idle_share(before, after), 0.75);
}

TEST(machine_load, what_is_not_known_does_not_count_as_busy) {
    EXPECT_EQ(times_of("").all, 0);
    EXPECT_EQ(times_of("intr 5 6").all, 0);
    EXPECT_EQ(idle_share({}, {}), 1);
}

TEST(machine_load, a_machine_is_quiet_when_it_does_nothing_and_did_nothing) {
    EXPECT_TRUE((machine_load{0.4, 0.98, 3s}.is_quiet(2)));
    EXPECT_FALSE((machine_load{0.4, 0.80, 3s}.is_quiet(2))) << "something runs now";
    EXPECT_FALSE((machine_load{4.6, 0.98, 3s}.is_quiet(2))) << "something ran a moment ago";
    EXPECT_TRUE((machine_load{4.6, 0.98, 3s}.is_quiet(16)));
}

TEST(machine_load, the_report_says_what_was_seen) {
    EXPECT_EQ(text_of({0.12, 0.991, 3s}, 2), "0.12 in the last minute, 99 % idle for 3 s");
    EXPECT_EQ(text_of({4.62, 0.5, 3s}, 2),
              "4.62 in the last minute, 50 % idle for 3 s: busy, so the figures are worth little");
}

TEST(machine_load, this_machine_can_be_looked_at) {
    auto const seen = look_at_machine(1s);
    EXPECT_GE(seen.idle_share, 0);
    EXPECT_LE(seen.idle_share, 1);
    EXPECT_GE(seen.average, 0);
}

} // namespace
} // namespace redlatch::bench
