// The checker of permits: histories that it must reject, and those that it must not.
#include "sim/check/checkers.hpp"

#include <gtest/gtest.h>
#include <utility>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using kind = fact::kind;

fact by_worker(moment when, kind what, std::int64_t amount, int worker = 0, answer said = answer::done) {
    return {.what = what, .when = when, .process = worker, .worker = worker, .lock = 0, .said = said, .amount = amount};
}
fact wants(moment when, std::int64_t amount, int worker = 0, moment until = never) {
    auto one = by_worker(when, kind::wants_permits, amount, worker);
    one.until = until;
    return one;
}
fact takes(moment when, std::int64_t amount, int worker = 0) {
    return by_worker(when, kind::took_permits, amount, worker);
}
fact gives(moment when, std::int64_t amount, int worker = 0) {
    return by_worker(when, kind::gives_permits, amount, worker);
}
fact gave(moment when, std::int64_t amount, answer said = answer::done, int worker = 0) {
    return by_worker(when, kind::gave_permits, amount, worker, said);
}
fact gets_none(moment when, std::int64_t amount, answer said, int worker = 0) {
    return by_worker(when, kind::took_none, amount, worker, said);
}
fact there(moment when, std::int64_t amount, bool last = false) {
    return {.what = kind::permits_there, .when = when, .lock = 0, .yes = last, .amount = amount};
}
fact about(moment when, kind what, int process = -1) {
    return {.what = what, .when = when, .process = process};
}

bool rejects(history const& all, permit_rules const& rules = {.in_all = 3}) {
    return check_permits(all, rules).has_value();
}

TEST(permits_checker, rejects_more_than_there_are) {
    EXPECT_TRUE(rejects({wants(1ms, 2), takes(2ms, 2), wants(3ms, 2, 1), takes(4ms, 2, 1)}));
    EXPECT_FALSE(rejects({wants(1ms, 2), takes(2ms, 2), wants(3ms, 1, 1), takes(4ms, 1, 1)}));
    EXPECT_FALSE(rejects({wants(1ms, 2), takes(2ms, 2), gives(3ms, 2), wants(3ms, 2, 1), takes(4ms, 2, 1)}))
        << "it may be given back before that is known";
    EXPECT_FALSE(
        rejects({wants(1ms, 2), takes(2ms, 2), about(3ms, kind::unpromised), wants(3ms, 2, 1), takes(4ms, 2, 1)}));
    EXPECT_FALSE(rejects({wants(1ms, 2), takes(2ms, 2), wants(3ms, 2, 1), takes(4ms, 2, 1)}, {.in_all = 0}));
    EXPECT_FALSE(
        rejects({wants(1ms, 2), takes(2ms, 2), wants(3ms, 2, 1), takes(4ms, 2, 1)}, {.in_all = 3, .kept = false}));
}

TEST(permits_checker, rejects_permits_that_come_from_nowhere) {
    EXPECT_TRUE(rejects({there(1ms, 4)}));
    EXPECT_TRUE(rejects({wants(1ms, 2), takes(2ms, 2), there(3ms, 2)}));
    EXPECT_FALSE(rejects({wants(1ms, 2), takes(2ms, 2), there(3ms, 1)}));
    EXPECT_FALSE(rejects({wants(1ms, 2), takes(2ms, 2), gives(3ms, 2), there(4ms, 3)}));
    EXPECT_TRUE(rejects({wants(1ms, 2), takes(2ms, 2), gives(3ms, 2), gives(4ms, 2), gave(5ms, 2), wants(6ms, 2),
                         takes(7ms, 2), there(8ms, 3)}))
        << "what is tried twice is given back once";
}

TEST(permits_checker, rejects_permits_with_leases_that_are_too_many_or_too_few) {
    auto const counted = [](std::int64_t amount, std::int64_t taken, bool last = false) {
        auto one = there(1ms, amount, last);
        one.taken = taken;
        return history{one};
    };
    permit_rules const leased{.in_all = 3, .leased = true};
    EXPECT_FALSE(rejects(counted(1, 2), leased));
    EXPECT_TRUE(rejects(counted(2, 2), leased));
    EXPECT_TRUE(rejects(counted(0, 2), leased));
    EXPECT_TRUE(rejects(counted(-1, 4), leased));
    EXPECT_FALSE(rejects(counted(3, 0, true), leased));
    EXPECT_TRUE(rejects(counted(2, 1, true), leased)) << "in the end nobody has one";
    history all{about(0ms, kind::quiet), wants(1ms, 2), wants(1ms, 1, 1), takes(2ms, 1, 1)};
    for (int i = 1; i <= 7; ++i) {
        all.push_back(there(i * 100ms, 2));
        all.back().taken = 1;
    }
    EXPECT_TRUE(rejects(all, leased)) << "somebody waits";
}

TEST(permits_checker, rejects_permits_that_are_lost) {
    auto const cycle = [](answer said) {
        return history{wants(1ms, 2), takes(2ms, 2), gives(3ms, 2), gave(4ms, 2, said)};
    };
    auto const ends_with = [](history all, std::int64_t amount) {
        all.push_back(there(1s, amount, true));
        return all;
    };
    EXPECT_TRUE(rejects(ends_with(cycle(answer::done), 1)));
    EXPECT_FALSE(rejects(ends_with(cycle(answer::done), 3)));
    EXPECT_FALSE(rejects(ends_with(cycle(answer::outcome_unknown), 1)));
    EXPECT_TRUE(rejects(ends_with(cycle(answer::outcome_unknown), 0)));
    history const interrupted{wants(1ms, 2), gets_none(2ms, 2, answer::cancelled)};
    EXPECT_TRUE(rejects(ends_with(interrupted, 1))) << "with a record it is known";
    EXPECT_TRUE(rejects(ends_with(interrupted, 1), {.in_all = 3, .exactly_once = false})) << "nothing was wrong";
    auto in_trouble = interrupted;
    in_trouble.push_back(about(500ms, kind::fault));
    EXPECT_FALSE(rejects(ends_with(in_trouble, 1), {.in_all = 3, .exactly_once = false}));
    EXPECT_TRUE(
        rejects(ends_with({wants(1ms, 2), gets_none(2ms, 2, answer::busy)}, 1), {.in_all = 3, .exactly_once = false}))
        << "a refusal takes nothing";
}

TEST(permits_checker, rejects_an_unknown_outcome_of_a_request_with_a_record) {
    history const all{wants(1ms, 1), gets_none(2ms, 1, answer::outcome_unknown)};
    EXPECT_TRUE(rejects(all));
    EXPECT_FALSE(rejects(all, {.in_all = 3, .exactly_once = false}));
}

TEST(permits_checker, rejects_a_wait_beyond_its_deadline) {
    EXPECT_TRUE(rejects({wants(1ms, 1, 0, 10ms), gets_none(40ms, 1, answer::timed_out)}));
    EXPECT_FALSE(rejects({wants(1ms, 1, 0, 10ms), gets_none(20ms, 1, answer::timed_out)}));
    EXPECT_FALSE(rejects({wants(1ms, 1, 0, 10ms), about(2ms, kind::stopped, 0), about(39ms, kind::went_on, 0),
                          gets_none(40ms, 1, answer::timed_out)}));
    EXPECT_FALSE(rejects({wants(1ms, 1, 0, 10ms), takes(40ms, 1)})) << "late, and welcome";
}

TEST(permits_checker, rejects_a_waiter_who_could_have_what_he_wants) {
    history all{about(0ms, kind::quiet), wants(1ms, 2)};
    for (int i = 1; i <= 7; ++i) all.push_back(there(i * 100ms, 2));
    EXPECT_TRUE(rejects(all));
    auto const without_quiet = history(all.begin() + 1, all.end());
    EXPECT_FALSE(rejects(without_quiet));
    auto gone = all;
    gone.insert(gone.begin() + 2, about(2ms, kind::left, 0));
    EXPECT_FALSE(rejects(gone)) << "its process has died";
    auto too_few = all;
    for (auto& one : too_few)
        if (one.what == kind::permits_there) one.amount = 1;
    EXPECT_FALSE(rejects(too_few));
    auto one_behind = all;
    one_behind.insert(one_behind.begin() + 2, wants(2ms, 3, 1));
    EXPECT_FALSE(rejects(one_behind)) << "the first of the line may be the one who wants more";
}

TEST(permits_checker, does_not_count_what_a_failover_has_forgotten) {
    auto missed = about(3ms, kind::missed);
    missed.lock = 0;
    EXPECT_FALSE(rejects({wants(1ms, 2), takes(2ms, 2), missed, wants(4ms, 2, 1), takes(5ms, 2, 1)}));
    missed.lock = 1;
    EXPECT_TRUE(rejects({wants(1ms, 2), takes(2ms, 2), missed, wants(4ms, 2, 1), takes(5ms, 2, 1)}))
        << "of another semaphore";
    permit_rules const leased{.in_all = 3, .leased = true};
    EXPECT_TRUE(rejects({there(4ms, 2)}, leased));
    missed.lock = 0;
    EXPECT_FALSE(rejects({missed, there(4ms, 2)}, leased));
    auto last = there(5ms, 2, true);
    EXPECT_FALSE(rejects({missed, last}, leased));
    last.taken = 1;
    EXPECT_TRUE(rejects({missed, last}, leased)) << "in the end none is taken all the same";
}

} // namespace
} // namespace redlatch::sim
