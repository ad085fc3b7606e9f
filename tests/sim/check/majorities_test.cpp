// The checker of red locks: histories that it must reject, and the nearest ones that it must not.
#include "sim/check/checkers.hpp"

#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using kind = fact::kind;

constexpr std::int64_t all_three = 7; // a bit for each
constexpr std::int64_t first_two = 3;

fact of_whole(moment when, kind what, int worker, std::int64_t taken) {
    fact one{.what = what, .when = when, .process = worker, .worker = worker};
    one.amount = all_three;
    one.taken = taken;
    return one;
}

std::string owner_of(int worker, int lock) {
    return std::to_string(worker) + ":" + std::to_string(lock);
}

/// It has these of the three locks.
history takes(moment when, int worker, std::vector<int> const& locks) {
    history made{of_whole(when, kind::wants_all, worker, 0)};
    std::int64_t bits = 0;
    for (auto const lock : locks) bits |= std::int64_t{1} << lock;
    made.push_back(of_whole(when, kind::has_all, worker, bits));
    for (auto const lock : locks)
        made.push_back({.what = kind::acquired,
                        .when = when,
                        .process = worker,
                        .worker = worker + between_members * (1 + lock),
                        .lock = lock,
                        .owner = owner_of(worker, lock)});
    return made;
}

fact believes(moment when, int worker, std::int64_t taken, belief what = belief::held, bool told = false) {
    auto one = of_whole(when, kind::believes_majority, worker, taken);
    one.believed = what;
    one.yes = told;
    return one;
}

fact forgotten(moment when, int worker, int lock, bool by_hand = false) {
    return {.what = kind::unpromised, .when = when, .lock = lock, .owner = owner_of(worker, lock), .yes = !by_hand};
}

history joined(history first, history const& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

bool rejects_majorities(history const& all) {
    return check_majorities(all, {.judged = true, .silent_loss = 500ms}).has_value();
}

/// Two have the first two locks, one after the other; between them something may have happened.
history two_at_once(fact const& then, history const& between = {}) {
    auto all = joined(joined(takes(1ms, 0, {0, 1}), between), takes(10ms, 1, {1, 2}));
    all.push_back(then);
    return all;
}

TEST(majorities_checker, rejects_two_who_believe_in_the_majority) {
    EXPECT_TRUE(rejects_majorities(two_at_once(believes(10ms, 0, first_two))));
    EXPECT_TRUE(rejects_majorities(two_at_once(believes(10ms, 0, first_two, belief::suspect))));
    EXPECT_FALSE(rejects_majorities(two_at_once(believes(10ms, 0, 1, belief::lost, true))));
    EXPECT_FALSE(check_majorities(two_at_once(believes(10ms, 0, first_two)), {})) << "no red locks";
}

TEST(majorities_checker, accepts_two_only_where_the_server_that_both_have_has_forgotten_one) {
    auto const second_believes = believes(10ms, 0, first_two);
    EXPECT_FALSE(rejects_majorities(two_at_once(second_believes, {forgotten(5ms, 0, 1)})));
    EXPECT_TRUE(rejects_majorities(two_at_once(second_believes, {forgotten(5ms, 0, 2)}))) << "which it does not have";
    auto const with_all = believes(10ms, 0, all_three);
    auto all = joined(takes(1ms, 0, {0, 1, 2}), {forgotten(5ms, 0, 1)});
    all = joined(all, takes(10ms, 1, {1, 2}));
    all.push_back(with_all);
    EXPECT_TRUE(rejects_majorities(all)) << "two servers know of the first one still";
}

TEST(majorities_checker, rejects_a_belief_in_a_minority) {
    EXPECT_TRUE(rejects_majorities(two_at_once(believes(10ms, 0, 1), {forgotten(5ms, 0, 1)})));
}

TEST(majorities_checker, rejects_a_loss_that_nobody_was_told_of) {
    auto const untold = believes(10ms, 0, 1, belief::lost);
    EXPECT_TRUE(rejects_majorities(two_at_once(untold)));
    EXPECT_FALSE(rejects_majorities(two_at_once(untold, {forgotten(5ms, 0, 1)})));
    fact const stops{.what = kind::stopped, .when = 2ms, .process = 0};
    fact goes_on{.what = kind::went_on, .when = 9ms, .process = 0};
    EXPECT_FALSE(rejects_majorities(two_at_once(untold, {stops, goes_on}))) << "it had no time to look";
    goes_on.process = 1;
    EXPECT_TRUE(rejects_majorities(two_at_once(untold, {goes_on}))) << "another process";
}

history looks(bool renewed, std::int64_t taken) {
    auto all = joined({{.what = kind::quiet}}, takes(1ms, 0, {0, 1}));
    for (int i = 1; i <= 7; ++i) {
        auto one = of_whole(i * 100ms, kind::probe_majority, 0, taken);
        one.yes = renewed;
        all.push_back(one);
    }
    return all;
}

TEST(majorities_checker, rejects_a_belief_in_what_the_majority_does_not_know) {
    EXPECT_FALSE(rejects_majorities(looks(true, first_two)));
    EXPECT_TRUE(rejects_majorities(looks(true, 1)));
    auto const quiet_for_long = looks(true, 1);
    EXPECT_FALSE(rejects_majorities({quiet_for_long.begin() + 1, quiet_for_long.end()})) << "something is wrong yet";
    EXPECT_FALSE(rejects_majorities({quiet_for_long.begin(), quiet_for_long.end() - 1})) << "it may ask yet";
}

TEST(majorities_checker, excuses_a_lease_of_its_own_that_was_removed_by_hand) {
    auto const with = [](bool renewed, bool by_hand) {
        auto all = looks(renewed, 1);
        all.insert(all.end() - 7, forgotten(2ms, 0, 1, by_hand));
        return all;
    };
    EXPECT_FALSE(rejects_majorities(with(false, true)));
    EXPECT_TRUE(rejects_majorities(with(true, true))) << "it asks when it renews";
    EXPECT_TRUE(rejects_majorities(with(false, false))) << "it asks when its connection was lost";
}

TEST(majorities_checker, is_asked) {
    patience how;
    how.majorities = {.judged = true};
    auto const found = check(two_at_once(believes(10ms, 0, first_two)), how);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->checker, "majorities");
}

} // namespace
} // namespace redlatch::sim
