#include "base/backoff.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace redlatch::base {
namespace {

using namespace std::chrono_literals;

struct row {
    int attempt;
    milliseconds least;
    milliseconds most;
};

// Of first = 100 ms, most = 1 s.
row const pauses[] = {
    {0, 50ms, 100ms},   {1, 100ms, 200ms},     {2, 200ms, 400ms},          {3, 400ms, 800ms},
    {4, 500ms, 1000ms}, {1000, 500ms, 1000ms}, {2'000'000'000, 500ms, 1s},
};

TEST(backoff_pause, doubles_up_to_its_bound_and_keeps_between_half_and_all_of_it) {
    for (auto const& [attempt, least, most] : pauses) {
        random_source random(7);
        auto shortest = milliseconds::max();
        auto longest = milliseconds::min();
        for (int i = 0; i < 2'000; ++i) {
            auto const pause = backoff_pause(attempt, 100ms, 1s, random);
            shortest = std::min(shortest, pause);
            longest = std::max(longest, pause);
        }
        EXPECT_GE(shortest, least) << "attempt " << attempt;
        EXPECT_LE(longest, most) << "attempt " << attempt;
        EXPECT_LT(shortest, least + (most - least) / 10) << "the whole range is used, attempt " << attempt;
        EXPECT_GT(longest, most - (most - least) / 10) << "the whole range is used, attempt " << attempt;
    }
}

TEST(backoff_pause, is_never_zero_so_that_nobody_tries_again_in_a_tight_loop) {
    random_source random(7);
    for (int attempt = 0; attempt < 5; ++attempt) {
        EXPECT_GE(backoff_pause(attempt, 0ms, 0ms, random), 1ms);
        EXPECT_GE(backoff_pause(attempt, -5s, 1s, random), 1ms);
    }
}

TEST(backoff_pause, holds_its_bound_when_the_first_pause_is_longer_already) {
    random_source random(7);
    for (int attempt = 0; attempt < 5; ++attempt) EXPECT_LE(backoff_pause(attempt, 10s, 1s, random), 1s);
}

TEST(backoff_pause, differs_between_clients_that_lost_the_server_together) {
    random_source one(1);
    random_source other(2);
    int same = 0;
    for (int attempt = 4; attempt < 24; ++attempt)
        same += backoff_pause(attempt, 100ms, 1s, one) == backoff_pause(attempt, 100ms, 1s, other) ? 1 : 0;
    EXPECT_LT(same, 5);
}

} // namespace
} // namespace redlatch::base
