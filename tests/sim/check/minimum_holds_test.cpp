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
fact goes(moment when, std::string const& owner) {
    return about(kind::in_key, when, owner);
}
/// Acquired after one second, and kept for one.
fact kept_hold(std::string const& owner = "a:1", bool reads = false) {
    auto made = about(kind::acquired, 1s, owner);
    made.kept = 2s;
    made.shared = reads;
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

TEST(minimum_holds_checker, lets_nobody_write_beside_what_is_kept_of_a_reader) {
    EXPECT_TRUE(comes_too_soon({comes_in(1s, "a:1"), kept_hold("a:1", true), comes_in(1'999ms, "b:1:write")}));
    EXPECT_FALSE(comes_too_soon({comes_in(1s, "a:1"), kept_hold("a:1", true), comes_in(1'999ms, "b:1")}));
    auto const longer = [] {
        auto made = kept_hold("b:1", true);
        made.kept = 3s;
        return made;
    }();
    EXPECT_TRUE(comes_too_soon({kept_hold("a:1", true), longer, comes_in(2'500ms, "c:1:write")}));
    EXPECT_TRUE(comes_too_soon({longer, kept_hold("a:1", true), comes_in(2'500ms, "c:1:write")}));
}

TEST(minimum_holds_checker, lets_nobody_read_beside_what_is_kept_of_a_writer) {
    auto const writes = kept_hold("a:1:write");
    auto const enters = comes_in(1s, "a:1:write");
    auto const reads_too = comes_in(1'100ms, "a:2");
    auto const writes_no_more = goes(1'500ms, "a:1:write");
    EXPECT_TRUE(comes_too_soon({enters, writes, writes_no_more, comes_in(1'999ms, "b:1")}));
    EXPECT_TRUE(comes_too_soon({enters, writes, writes_no_more, comes_in(1'999ms, "b:1:write")}));
    EXPECT_FALSE(comes_too_soon({enters, writes, reads_too})) << "its own read hold";
    EXPECT_TRUE(
        comes_too_soon({enters, writes, reads_too, goes(1'200ms, "a:2"), writes_no_more, comes_in(1'999ms, "b:1")}));
    EXPECT_FALSE(comes_too_soon({enters, writes, reads_too, writes_no_more, comes_in(1'999ms, "b:1")}))
        << "it goes on reading";
    EXPECT_TRUE(comes_too_soon({enters, writes, reads_too, writes_no_more, comes_in(1'999ms, "b:1:write")}));
}

TEST(minimum_holds_checker, rejects_what_is_left_for_longer) {
    auto const kept = [] {
        auto made = kept_hold();
        made.kept_most = 2'010ms;
        return made;
    }();
    auto const rest = [](moment when) {
        auto made = comes_in(when, "a:0");
        made.is_rest = true;
        return made;
    };
    auto const ends = [](moment when) {
        auto made = goes(when, "a:0");
        made.until = when;
        return made;
    };
    auto const releases = about(kind::releasing, 1'500ms, "a:1");
    EXPECT_FALSE(comes_too_soon({kept, releases, goes(1'501ms, "a:1"), rest(1'501ms), ends(2'011ms)}));
    EXPECT_TRUE(comes_too_soon({kept, releases, goes(1'501ms, "a:1"), rest(1'501ms), ends(2'030ms)}));
    EXPECT_FALSE(comes_too_soon({kept, releases, goes(1'600ms, "a:1"), rest(1'600ms), ends(2'110ms)}))
        << "a release that was heard of late";
    EXPECT_FALSE(comes_too_soon({kept, goes(1'501ms, "a:1"), rest(1'501ms), ends(2'030ms)})) << "by the background";
    auto long_hold = kept;
    long_hold.when = -4'500ms; // six seconds before its release, in which a clock has gone by six milliseconds
    EXPECT_FALSE(comes_too_soon({long_hold, releases, goes(1'501ms, "a:1"), rest(1'501ms), ends(2'030ms)}));
    EXPECT_TRUE(comes_too_soon({long_hold, releases, goes(1'501ms, "a:1"), rest(1'501ms), ends(2'045ms)}));
    auto const lost = about(kind::told_lost, 1'200ms, "a:1");
    EXPECT_FALSE(comes_too_soon({kept, lost, releases, goes(1'501ms, "a:1"), rest(1'501ms), ends(2'311ms)}))
        << "released when it was lost, and heard of late";
    EXPECT_TRUE(comes_too_soon({kept, lost, releases, goes(1'501ms, "a:1"), rest(1'501ms), ends(2'330ms)}));
    EXPECT_FALSE(comes_too_soon({kept_hold(), releases, goes(1'501ms, "a:1"), rest(1'501ms), ends(2'030ms)}));
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
