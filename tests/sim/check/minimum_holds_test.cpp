// Histories that the checker of minimum holds must reject, and such that it must not.
#include "sim/check/checkers.hpp"

#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using kind = fact::kind;

fact about(kind what, moment when, std::string const& owner, int lock = 0) {
    return {.what = what, .when = when, .process = 0, .worker = 0, .lock = lock, .owner = owner};
}
fact comes_in(moment when, std::string const& owner, int lock = 0) {
    auto made = about(kind::in_key, when, owner, lock);
    made.yes = true;
    return made;
}
/// Acquired after one second, and kept for one.
fact kept_hold() {
    auto made = about(kind::acquired, 1s, "a:1");
    made.kept = 2s;
    return made;
}
bool comes_too_soon(history const& all) {
    return check_minimum_holds(all).has_value();
}

TEST(minimum_holds_checker, rejects_another_owner_that_comes_sooner) {
    EXPECT_TRUE(comes_too_soon({kept_hold(), comes_in(1'999ms, "b:1")}));
    EXPECT_FALSE(comes_too_soon({kept_hold(), comes_in(2s, "b:1")}));
    EXPECT_FALSE(comes_too_soon({kept_hold(), comes_in(1'999ms, "b:1", 1)})) << "another lock";
    EXPECT_FALSE(comes_too_soon({kept_hold(), comes_in(1'999ms, "a:1")})) << "itself";
    EXPECT_TRUE(comes_too_soon({kept_hold(), comes_in(1'999ms, "a:2")})) << "its last owner neither";
    EXPECT_FALSE(comes_too_soon({about(kind::acquired, 1s, "a:1"), comes_in(1'999ms, "b:1")})) << "it is not kept";
}

TEST(minimum_holds_checker, allows_what_is_left_of_the_hold_itself) {
    auto rest = comes_in(1'500ms, "a:0");
    rest.is_rest = true;
    EXPECT_FALSE(comes_too_soon({kept_hold(), rest}));
    EXPECT_TRUE(comes_too_soon({kept_hold(), rest, comes_in(1'999ms, "b:1")}));
}

TEST(minimum_holds_checker, counts_from_the_latest_one) {
    EXPECT_FALSE(comes_too_soon({kept_hold(), comes_in(3s, "b:1"), comes_in(3'001ms, "c:1")})) << "that one is over";
}

TEST(minimum_holds_checker, promises_nothing_where_a_server_forgets_or_somebody_ends_it) {
    for (auto const what : {kind::unpromised, kind::forced, kind::missed, kind::returned})
        EXPECT_FALSE(comes_too_soon({kept_hold(), about(what, 1'500ms, "a:1"), comes_in(1'999ms, "b:1")}));
    EXPECT_FALSE(comes_too_soon({kept_hold(), about(kind::unpromised, 1'500ms, "", -1), comes_in(1'999ms, "b:1")}));
    EXPECT_FALSE(comes_too_soon({about(kind::unpromised, 999ms, "a:1"), kept_hold(), comes_in(1'999ms, "b:1")}))
        << "before it is known that it was acquired";
    EXPECT_TRUE(comes_too_soon({kept_hold(), about(kind::unpromised, 1'500ms, "a:1", 1), comes_in(1'999ms, "b:1")}));
}

} // namespace
} // namespace redlatch::sim
