#include "durations.hpp"
#include "exit_code.hpp"

#include <gtest/gtest.h>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

struct good {
    char const* text;
    duration value;
};

class durations_that_mean_something : public testing::TestWithParam<good> {};

TEST_P(durations_that_mean_something, are_read) {
    EXPECT_EQ(parse_duration(GetParam().text), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(table, durations_that_mean_something,
                         testing::Values(good{"500ms", 500ms}, good{"30s", 30s}, good{"5m", 5min}, good{"1h", 1h},
                                         good{"1m30s", 90s}, good{"1h1m1s1ms", 3'661'001ms}, good{"0s", 0ms},
                                         good{"007s", 7s}, good{"90m", 90min}, good{"1h500ms", 3'600'500ms},
                                         good{"876600h", longest_duration}));

struct bad {
    char const* text;
    char const* why;
};

class durations_that_do_not : public testing::TestWithParam<bad> {};

TEST_P(durations_that_do_not, are_refused_with_the_reason) {
    try {
        parse_duration(GetParam().text);
        FAIL() << GetParam().text << " was taken";
    } catch (usage_error const& problem) {
        EXPECT_NE(std::string(problem.what()).find(GetParam().why), std::string::npos) << problem.what();
    }
}

INSTANTIATE_TEST_SUITE_P(
    table, durations_that_do_not,
    testing::Values(bad{"5", "could mean seconds or milliseconds"}, bad{"0", "could mean"}, bad{"1m30", "could mean"},
                    bad{"", "empty"}, bad{"-5s", "negative"}, bad{"s", "number is missing"}, bad{"1.5s", "not a unit"},
                    bad{"5 s", "not a unit"}, bad{" 5s", "number is missing"}, bad{"5S", "not a unit"},
                    bad{"5d", "not a unit"}, bad{"5us", "not a unit"}, bad{"30s1m", "larger units come first"},
                    bad{"1s1s", "larger units come first"}, bad{"99999999999999999999s", "too long"},
                    bad{"9223372036854775807ms", "too long"}, bad{"9223372036854775807h", "too long"},
                    bad{"876600h1ms", "too long"}, bad{"876601h", "too long"}, bad{"+5s", "number is missing"},
                    bad{"0x5s", "not a unit"}, bad{"5s\n", "not a unit"}, bad{"for ever", "number is missing"}));

TEST(durations, are_written_as_they_are_read) {
    for (auto const value : {0ms, 1ms, 999ms, 1000ms, 90'000ms, 3'600'000ms, 3'661'001ms, 86'400'000ms})
        EXPECT_EQ(parse_duration(to_text(value)), value) << to_text(value);
    EXPECT_EQ(to_text(90s), "1m30s");
    EXPECT_EQ(to_text(0s), "0s");
}

TEST(to_rounded_text, says_what_people_want_to_know) {
    EXPECT_EQ(to_rounded_text(0ms), "0s");
    EXPECT_EQ(to_rounded_text(7ms), "7ms");
    EXPECT_EQ(to_rounded_text(999ms), "999ms");
    EXPECT_EQ(to_rounded_text(1000ms), "1s");
    EXPECT_EQ(to_rounded_text(2599ms), "2.5s");
    EXPECT_EQ(to_rounded_text(9999ms), "9.9s");
    EXPECT_EQ(to_rounded_text(29'987ms), "29s");
    EXPECT_EQ(to_rounded_text(60'001ms), "1m");
    EXPECT_EQ(to_rounded_text(3599'999ms), "59m59s");
    EXPECT_EQ(to_rounded_text(7530'001ms), "2h5m");
}

} // namespace
} // namespace redlatch::cli
