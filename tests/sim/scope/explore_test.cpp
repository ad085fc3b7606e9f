// The search itself: it finds what there is to find, merges only what is the same, and its orders can be replayed.
#include "sim/scope/explore.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;

scope one_of(std::string const& name, std::size_t depth) {
    for (auto& each : small_scopes())
        if (each.name == name) {
            each.depth = depth;
            return each;
        }
    throw std::out_of_range(name);
}

class small_scope : public testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(search, small_scope, testing::Range(std::size_t(0), small_scopes().size()));

/// Shallow here, for every build; `redlatch_sim --orders` goes to the scope's own depth and counts.
TEST_P(small_scope, keeps_every_promise_in_all_orders) {
    auto what = small_scopes()[GetParam()];
    what.depth = std::min(std::size_t(7), what.depth - 1);
    auto const seen = explore(what);
    EXPECT_TRUE(seen.whole);
    EXPECT_TRUE(seen.cut_off) << "there is more than this depth";
    EXPECT_GT(seen.states, 50U);
    ASSERT_FALSE(seen.broken) << what.name << ": " << seen.broken->what.checker << ", " << seen.broken->what.text;
}

TEST(search, merges_only_states_that_have_the_same_ends) {
    auto const what = one_of("cancelled, timed, detached", 6);
    auto const merged = explore(what);
    auto const tree = explore(what, {.merge = false});
    EXPECT_TRUE(merged.whole && tree.whole);
    EXPECT_LT(merged.runs, tree.runs);
    EXPECT_EQ(merged.outcomes, tree.outcomes);
    EXPECT_GT(merged.outcomes, 3U);
}

TEST(search, finds_an_order_that_breaks_a_promise_and_can_replay_it) {
    auto const what = one_of("cancelled, timed, detached", 7);
    patience hasty;
    hasty.deadline_slack = -1ms; // broken by whoever waits until its deadline: only behind a client that crashed
    auto const usual = explore(
        [&] {
            auto none = what;
            none.faults.clear();
            return none;
        }(),
        {.how = hasty});
    EXPECT_TRUE(usual.whole) << "without a fault there is none";
    auto const seen = explore(what, {.how = hasty});
    ASSERT_TRUE(seen.broken);
    EXPECT_EQ(seen.broken->what.checker, "deadlines");
    auto const again = replay(what, seen.broken->choices);
    auto const broken = check(again.facts, hasty);
    ASSERT_TRUE(broken);
    EXPECT_EQ(broken->text, seen.broken->what.text);
    EXPECT_FALSE(again.trace.empty());
}

TEST(search, says_when_it_was_not_allowed_to_see_everything) {
    auto const seen = explore(one_of("predecessor kills are allowed", 12), {.states = 100});
    EXPECT_FALSE(seen.whole);
    EXPECT_GE(seen.states, 100U);
}

} // namespace
} // namespace redlatch::sim
