// What one local holder hands off to the next without the server, and what it does not.
#include "client_locks.hpp"
#include "locking/recipes/recipes.hpp"

#include <functional>
#include <gmock/gmock.h>
#include <ostream>

namespace redlatch::locking {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using finds = lock_table::finding::kind;

// --- what is handed off

TEST(hand_off, gives_the_id_and_the_lease_to_the_next_waiter) {
    hand_off all;
    auto const first = all.hold(ann, at(0s));
    auto next = all.wait(bob, at(1s));
    EXPECT_EQ(all.give_back(first, at(2s)), plan::handed_off);
    EXPECT_TRUE(next.granted());
    EXPECT_EQ(next.sleeper->times, 1);
    EXPECT_TRUE(first->in(phase::ended));
    EXPECT_TRUE(next.tenure->holds(at(2s)));
    EXPECT_EQ(next.tenure->owner_id(), "uuid:1") << "as the server knows the holder";
    EXPECT_EQ(next.tenure->serial, 1U);
    EXPECT_EQ(ms(next.tenure->validity()), 29'700);
    EXPECT_EQ(all.look(next, at(2s)), finds::granted);
    EXPECT_TRUE(all.leave(next, at(2s))) << "it cannot but take it";
    EXPECT_THAT(all.record->tenures, ElementsAre(next.tenure));
    EXPECT_EQ(all.table.holder(*all.record, at(2s)), next.tenure);
    EXPECT_EQ(all.table.current(*all.record, bob), next.tenure);
    EXPECT_EQ(all.table.current(*all.record, ann), nullptr);
    EXPECT_EQ(all.table.dead.size(), 0U);
}

TEST(hand_off, is_none_beside_another_operation_of_the_owner) {
    hand_off all;
    auto const first = all.hold(ann, at(0s));
    auto const next = all.wait(bob, at(1s));
    first->in_operation = true; // its re-entry, whose answer is not there, and for which the release no longer waits
    auto const planned =
        all.table.plan_release(first, first->levels.back().number, at(2s), all.woken, lock_table::beside_others::yes);
    EXPECT_EQ(planned.what, plan::last);
    EXPECT_FALSE(next.granted());
    EXPECT_TRUE(first->in_operation) << "the re-entry ends it";
}

TEST(hand_off, counts_every_acquisition_and_every_release) {
    hand_off all;
    auto holder = all.hold(ann, at(0s));
    for (std::uint64_t i = 0; i < 3; ++i) {
        auto const next = all.wait(bob + i, at(0s));
        EXPECT_EQ(all.give_back(holder, at(0s)), plan::handed_off);
        holder = next.tenure;
        EXPECT_EQ(all.table.counted.acquired, i + 2);
        EXPECT_EQ(all.table.counted.released, i + 1);
    }
    EXPECT_EQ(all.give_back(holder, at(0s)), plan::last);
    all.table.released(holder, true, at(0s));
    EXPECT_EQ(all.table.counted.acquired, all.table.counted.released);
    EXPECT_EQ(all.table.counted.lost, 0U);
}

TEST(hand_off, is_first_come_first_served_and_wakes_nobody_else) {
    hand_off all;
    auto holder = all.hold(ann, at(0s));
    std::vector<local_waiter> line;
    for (std::uint64_t i = 0; i < 4; ++i) line.push_back(all.wait(bob + i, at(0s)));
    for (std::size_t i = 0; i < line.size(); ++i) {
        EXPECT_EQ(all.give_back(holder, at(1ms)), plan::handed_off);
        for (std::size_t other = 0; other < line.size(); ++other) {
            EXPECT_EQ(line[other].granted(), other <= i) << i << ' ' << other;
            EXPECT_EQ(line[other].sleeper->times, other <= i ? 1 : 0) << i << ' ' << other;
        }
        holder = line[i].tenure;
    }
}

TEST(hand_off, has_a_level_of_its_own_for_every_holder) {
    hand_off all;
    auto const first = all.hold(ann, at(0s));
    auto const before = first->levels[0].number;
    auto const next = all.wait(bob, at(0s));
    all.give_back(first, at(0s));
    ASSERT_EQ(next.tenure->levels.size(), 1U);
    EXPECT_GT(next.waiter->level_number, before);
    EXPECT_EQ(next.tenure->levels[0].number, next.waiter->level_number);
    EXPECT_TRUE(next.tenure->levels[0].renewed);
    EXPECT_EQ(all.release(first, before, at(0s)).what, plan::nothing);
    EXPECT_EQ(all.release(next.tenure, before, at(0s)).what, plan::nothing);
    EXPECT_TRUE(next.tenure->holds(at(0s)));
}

TEST(hand_off, ends_the_validity_of_a_waiter_with_max_hold_counted_from_then) {
    hand_off all;
    auto const first = all.hold(ann, at(0s));
    auto const next = all.wait(bob, at(0s), {.max_hold = 4s});
    EXPECT_EQ(all.give_back(first, at(3s)), plan::handed_off);
    EXPECT_EQ(ms(next.tenure->validity()), 7'000);
    EXPECT_EQ(ms(all.table.keeper.next()), 7'000) << "what could not last longer is not renewed";
    all.timer(at(7s));
    EXPECT_TRUE(next.tenure->in(phase::lost));
    EXPECT_EQ(ms(all.table.dead.next()), 7'300) << "the key lives longer: the reaper ends it";
}

TEST(hand_off, tells_the_loss_to_the_present_holder_only) {
    hand_off all;
    auto const first = all.hold(ann, at(0s));
    auto const firsts_token = (first->lost_source = std::stop_source()).get_token();
    auto const next = all.wait(bob, at(0s));
    all.give_back(first, at(1s));
    EXPECT_FALSE(next.tenure->lost_source.stop_possible()) << "a source of its own";
    all.lose(first, at(2s));
    EXPECT_THAT(all.news(), IsEmpty()) << "it has given it back";
    EXPECT_TRUE(next.tenure->holds(at(2s)));
    all.lose(next.tenure, at(3s));
    auto const notices = all.table.take_notices();
    ASSERT_EQ(notices.size(), 1U);
    EXPECT_EQ(notices[0].what, notice::lost);
    EXPECT_EQ(notices[0].who, next.tenure);
    EXPECT_FALSE(firsts_token.stop_requested());
    EXPECT_THAT(all.reaped(at(3'300ms)), ElementsAre("uuid:1"));
}

TEST(hand_off, wakes_the_calls_that_waited_for_their_turn_on_either_tenure) {
    hand_off all;
    auto const first = all.hold(ann, at(0s));
    auto const next = all.wait(bob, at(0s));
    auto const behind_the_release = make_sleeper();
    auto const behind_the_acquisition = make_sleeper();
    first->wait_for_operation(behind_the_release);
    next.tenure->wait_for_operation(behind_the_acquisition);
    all.give_back(first, at(0s));
    EXPECT_FALSE(first->in_operation);
    EXPECT_FALSE(next.tenure->in_operation);
    EXPECT_EQ(behind_the_release->times, 1);
    EXPECT_EQ(behind_the_acquisition->times, 1);
}

TEST(hand_off, remembers_that_a_copy_of_the_acquire_may_come_late) {
    hand_off all;
    auto const first = all.table.open(all.record, ann);
    first->late_copy_possible = true;
    all.take(first, at(0s));
    auto const next = all.wait(bob, at(0s));
    EXPECT_EQ(all.give_back(first, at(1s)), plan::handed_off);
    EXPECT_EQ(all.give_back(next.tenure, at(2s)), plan::last);
    all.table.released(next.tenure, true, at(2s));
    EXPECT_THAT(all.reaped(at(3s)), ElementsAre("uuid:1")) << "a sweep";
}

// --- renewal

TEST(hand_off, renews_when_the_former_holder_would_have) {
    hand_off all;
    auto const first = all.hold(ann, at(0s));
    auto const next = all.wait(bob, at(0s));
    all.give_back(first, at(9s));
    EXPECT_EQ(all.table.keeper.size(), 1U);
    EXPECT_EQ(ms(all.table.keeper.next()), 10'000);
    auto const due = all.timer(at(10s));
    ASSERT_EQ(due.renew.size(), 1U);
    EXPECT_THAT(due.renew[0], ElementsAre(next.tenure));
    lease_keeper::effects answered;
    all.table.keeper.on_answer(due.renew[0], {}, 30s, at(10s), answered);
    EXPECT_EQ(ms(next.tenure->validity()), 39'700);
    EXPECT_EQ(ms(all.table.keeper.next()), 20'000);
}

// --- what is not handed off

/// Something that makes a hold, or the waiter for it, one that the server has to know of.
struct obstacle {
    char const* name;
    std::function<void(hand_off&, tenure_ptr const&, local_waiter&)> set;
    base::milliseconds released_after{1'000};
    plan expected = plan::last;
    friend void PrintTo(obstacle const& which, std::ostream* out) { *out << which.name; }
};

class obstacle_test : public ::testing::TestWithParam<obstacle> {};

TEST_P(obstacle_test, leaves_it_to_the_server) {
    auto const& what = GetParam();
    hand_off free_way;
    auto const unhindered = free_way.hold(ann, at(0s));
    auto const with = free_way.wait(bob, at(0s));
    EXPECT_EQ(free_way.give_back(unhindered, at(1s)), plan::handed_off) << "without it";

    hand_off all;
    auto const one = all.hold(ann, at(0s));
    auto next = all.wait(bob, at(0s));
    what.set(all, one, next);
    EXPECT_EQ(all.give_back(one, at(what.released_after)), what.expected);
    EXPECT_FALSE(next.granted());
    EXPECT_TRUE(next.tenure->in(phase::acquiring));
    EXPECT_EQ(all.table.in_handoff(*all.record), nullptr);
    EXPECT_TRUE(one->in_operation) << "until the release is through";
    if (what.expected != plan::last) return;
    EXPECT_TRUE(one->in(phase::releasing));
    EXPECT_EQ(all.table.keeper.size(), 0U);
    EXPECT_EQ(all.table.releases_under_way, 1);
}

INSTANTIATE_TEST_SUITE_P(
    hand_off, obstacle_test,
    ::testing::Values(
        obstacle{"nobody_waits", [](auto& all, auto&, auto& next) { all.leave(next, at(0s)); }},
        obstacle{"a_waiter_with_a_call_under_way", [](auto&, auto&, auto& next) { next.waiter->waits = false; }},
        obstacle{"a_waiter_with_a_fixed_lease", [](auto&, auto&, auto& next) { next.waiter->accepts_handoff = false; }},
        obstacle{"a_renewal_that_is_due", [](auto&, auto&, auto&) {}, 10s},
        obstacle{"a_renewal_under_way", [](auto& all, auto&, auto&) { all.timer(at(10s)); }, 10s + 1ms},
        obstacle{"a_renewal_under_way_that_was_asked_for_early",
                 [](auto& all, auto&, auto&) {
                     lease_keeper::effects found;
                     all.table.keeper.verify_all(at(1s), found);
                     EXPECT_EQ(found.renew.size(), 1U);
                 }},
        obstacle{"a_suspect_hold", [](auto&, auto& one, auto&) { one->suspect = true; }},
        obstacle{"a_hold_that_is_not_valid_any_more", [](auto&, auto&, auto&) {}, 29'700ms, plan::lost},
        obstacle{"another_level", [](auto& all, auto& one, auto&) { all.take(one, at(0s)); }, 1s, plan::partial}),
    [](auto const& which) { return std::string(which.param.name); });

TEST(hand_off, does_not_pass_a_fixed_lease_or_max_hold_on) {
    for (bool const capped : {false, true}) {
        hand_off all;
        auto const one = all.table.open(all.record, ann);
        if (capped)
            all.take(one, at(0s), std::nullopt, at(20s));
        else
            all.take(one, at(0s), 60s);
        auto const next = all.wait(bob, at(0s));
        EXPECT_EQ(all.give_back(one, at(1s)), plan::last);
        EXPECT_FALSE(next.granted());
    }
}

TEST(hand_off, gives_no_token_to_a_waiter_that_did_not_ask_for_one) {
    hand_off all;
    auto const one = all.table.open(all.record, ann);
    all.table.take(one, {0, 30s, true, false}, at(0s), base::never, 7);
    EXPECT_EQ(one->token, 7U);
    auto const next = all.wait(bob, at(0s));
    EXPECT_EQ(all.give_back(one, at(1s)), plan::handed_off);
    ASSERT_TRUE(next.granted());
    EXPECT_EQ(next.tenure->token, 0U);
}

TEST(hand_off, passes_the_last_of_two_levels_on) {
    hand_off all;
    auto const one = all.hold(ann, at(0s));
    all.take(one, at(0s));
    auto const next = all.wait(bob, at(0s));
    EXPECT_EQ(all.give_back(one, at(1s)), plan::partial);
    EXPECT_FALSE(next.granted());
    EXPECT_EQ(all.give_back(one, at(1s)), plan::handed_off);
    EXPECT_TRUE(next.granted());
}

TEST(hand_off, does_nothing_when_it_is_off) {
    hand_off all({false, 5ms, true});
    auto const one = all.hold(ann, at(0s));
    auto const next = all.wait(bob, at(0s));
    EXPECT_EQ(all.give_back(one, at(1s)), plan::last);
    EXPECT_FALSE(next.granted());
}

TEST(hand_off, is_not_for_locks_of_a_type_that_cannot_pass) {
    auto not_handed_off = reentrant_recipe;
    not_handed_off.local_handoff = false;
    hand_off all;
    all.record = all.table.records.get("another", not_handed_off);
    auto const one = all.hold(ann, at(0s));
    auto const next = all.wait(bob, at(0s));
    EXPECT_EQ(all.give_back(one, at(1s)), plan::last);
    EXPECT_FALSE(next.granted());
}

TEST(hand_off, leaves_the_lock_to_other_processes_when_the_window_is_over) {
    hand_off all;
    auto holder = all.hold(ann, at(0s));
    for (int i = 0; i < 5; ++i) { // from the first one to the last moment of the window
        auto const next = all.wait(bob, at(0s));
        EXPECT_EQ(all.give_back(holder, at(i == 0 ? 1s : 1s + 5ms - 1ns)), plan::handed_off);
        holder = next.tenure;
    }
    auto const waits = all.wait(cid, at(0s));
    holder->in_operation = true;
    auto const last = all.release(holder, holder->levels[0].number, at(1s + 5ms));
    EXPECT_EQ(last.what, plan::last);
    EXPECT_EQ(last.then, lock_table::head_wake::yielding);
    EXPECT_FALSE(waits.granted());
    auto const again = all.hold(ann, at(2s));
    EXPECT_EQ(all.give_back(again, at(2s)), plan::handed_off) << "a window of its own";
    EXPECT_TRUE(waits.granted());
}

TEST(hand_off, is_held_by_whoever_leaves_too_late) {
    hand_off all;
    auto const one = all.hold(ann, at(0s));
    auto const head = all.wait(bob, at(0s));
    auto const next = all.wait(cid, at(0s));
    all.give_back(one, at(1s));
    EXPECT_TRUE(all.leave(head, at(1s))) << "its caller has to give it back";
    EXPECT_EQ(all.give_back(head.tenure, at(1s)), plan::handed_off);
    EXPECT_TRUE(next.granted());
}

TEST(hand_off, leaves_nothing_behind_of_a_waiter_whose_hold_was_lost_before_it_looked) {
    hand_off all;
    auto const one = all.hold(ann, at(0s));
    auto head = all.wait(bob, at(0s));
    all.give_back(one, at(1s));
    all.lose(head.tenure, at(2s));
    EXPECT_TRUE(all.leave(head, at(2s)));
    EXPECT_THAT(all.record->tenures, IsEmpty()) << "no caller has a level that he could give back";
}

// --- looking, leaving

TEST(hand_off, leaves_a_hold_that_is_lost_once_its_waiter_knows_of_it_to_the_caller) {
    hand_off all;
    auto const mine = all.hold(ann, at(0s));
    auto const next = all.wait(bob, at(0s));
    ASSERT_EQ(all.give_back(mine, at(1s)), plan::handed_off);
    ASSERT_TRUE(all.table.accept(next.waiter));
    all.lose(next.tenure, at(2s));
    EXPECT_TRUE(all.leave(next, at(2s))) << "its call ends with the lock";
    EXPECT_THAT(all.record->tenures, ElementsAre(next.tenure));
    EXPECT_EQ(next.tenure->levels.size(), 1U) << "for its caller to give back";
    EXPECT_EQ(all.give_back(next.tenure, at(3s)), plan::lost);
    EXPECT_THAT(all.record->tenures, IsEmpty());
}

TEST(hand_off, tells_the_head_what_there_is) {
    hand_off all;
    auto head = all.wait(bob, at(0s));
    EXPECT_EQ(head.found.what, finds::free);
    EXPECT_FALSE(head.waiter->waits) << "it asks the server";
    auto const one = all.hold(ann, at(0s));
    EXPECT_EQ(all.look(head, at(1s)), finds::held_here);
    EXPECT_EQ(ms(head.found.until), 29'700);
    EXPECT_TRUE(head.waiter->waits);
    one->suspect = true;
    EXPECT_EQ(all.look(head, at(1s)), finds::free) << "nobody knows whether it is";
    EXPECT_FALSE(head.waiter->waits);
    one->suspect = false;
    EXPECT_EQ(all.look(head, one->validity()), finds::free);
}

TEST(hand_off, answers_a_wake_up_with_one_look) {
    hand_off all;
    auto head = all.wait(bob, at(0s));
    all.record->queue.tell_head(all.woken);
    EXPECT_TRUE(head.waiter->released);
    all.look(head, at(0s));
    EXPECT_FALSE(head.waiter->released);
}

TEST(hand_off, wakes_the_head_when_a_hold_becomes_suspect) {
    hand_off all;
    auto const one = all.hold(ann, at(0s));
    auto head = all.wait(bob, at(0s));
    EXPECT_EQ(head.found.what, finds::held_here);
    all.timer(at(15s));
    EXPECT_TRUE(one->suspect);
    EXPECT_EQ(head.sleeper->times, 1);
    EXPECT_EQ(all.look(head, at(15s)), finds::free);
}

} // namespace
} // namespace redlatch::locking
