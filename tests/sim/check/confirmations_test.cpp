// Histories that the checker of confirmed locks must reject, and such that it must not.
#include "sim/check/checkers.hpp"

#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using kind = fact::kind;

fact of_a_worker(kind what, moment when) {
    return {.what = what, .when = when, .process = 0, .worker = 0, .lock = 0};
}

fact told(std::int64_t number, std::int64_t have, std::int64_t least = 0) {
    auto made = of_a_worker(kind::confirmed, 3'000ms);
    made.amount = number;
    made.taken = have;
    made.least = least;
    return made;
}

bool rejected(history const& all) {
    return check_confirmations(all, {}).has_value();
}

TEST(confirmations, are_true) {
    EXPECT_FALSE(rejected({told(2, 2)}));
    EXPECT_FALSE(rejected({told(1, 2)})); // another one has it as well
    EXPECT_TRUE(rejected({told(2, 1)}));
}

TEST(confirmations, are_enough) {
    EXPECT_FALSE(rejected({told(1, 1, 1)}));
    EXPECT_TRUE(rejected({told(1, 1, 2)}));
}

TEST(confirmations, come_in_quiet_times_where_enough_replicas_are_connected) {
    auto few = of_a_worker(kind::too_few, 4'000ms);
    few.least = 2;
    few.taken = 2;
    auto const quiet = fact{.what = kind::quiet, .when = 1'000ms};
    EXPECT_TRUE(rejected({quiet, of_a_worker(kind::asked, 3'000ms), few}));
    EXPECT_FALSE(rejected({quiet, of_a_worker(kind::asked, 1'100ms), few})); // replicas may not be back
    EXPECT_FALSE(rejected({of_a_worker(kind::asked, 3'000ms), few}));
    few.taken = 1;
    EXPECT_FALSE(rejected({quiet, of_a_worker(kind::asked, 3'000ms), few}));
}

} // namespace
} // namespace redlatch::sim
