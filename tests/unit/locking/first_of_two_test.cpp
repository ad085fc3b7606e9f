// What is being handed off is for whoever comes first: its former holder or the local head.
#include "client_locks.hpp"
#include "locking/acquire_op.hpp"

#include <gmock/gmock.h>

namespace redlatch::locking {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using finds = lock_table::finding::kind;

// --- the first of two

TEST(first_of_two, leaves_it_to_whoever_comes_first_and_wakes_the_head_once) {
    first_of_two all;
    EXPECT_EQ(all.give_back(all.one, at(1s)), plan::handed_off);
    EXPECT_TRUE(all.one->in(phase::handing_off));
    EXPECT_EQ(all.table.in_handoff(*all.record), all.one);
    EXPECT_FALSE(all.head.granted());
    EXPECT_EQ(all.head.sleeper->times, 1);
    EXPECT_EQ(all.second.sleeper->times, 0);
    EXPECT_FALSE(all.one->in_operation);
    EXPECT_EQ(all.table.holder(*all.record, at(1s)), nullptr);
    EXPECT_EQ(all.table.current(*all.record, ann), nullptr);
    ASSERT_TRUE(all.retake(ann, at(1s)).has_value());
    EXPECT_EQ(all.give_back(all.one, at(1s)), plan::handed_off);
    EXPECT_TRUE(all.one->in(phase::handing_off));
    EXPECT_EQ(all.head.sleeper->times, 1) << "it is on its way";
}

TEST(first_of_two, is_taken_by_the_head_when_it_comes_first) {
    first_of_two all;
    all.give_back(all.one, at(1s));
    EXPECT_EQ(all.look(all.second, at(1s)), finds::held_here) << "not its turn";
    EXPECT_EQ(ms(all.second.found.until), 29'700);
    EXPECT_EQ(all.look(all.head, at(1s) + 1us), finds::granted);
    EXPECT_TRUE(all.head.tenure->holds(at(1s)));
    EXPECT_EQ(all.head.tenure->owner_id(), "uuid:1");
    EXPECT_TRUE(all.one->in(phase::ended));
    EXPECT_FALSE(all.retake(ann, at(1s) + 2us).has_value());
    EXPECT_EQ(all.give_back(all.head.tenure, at(1s) + 3us), plan::handed_off);
    EXPECT_TRUE(all.head.tenure->in(phase::handing_off)) << "the first of two once more";
    EXPECT_EQ(all.second.sleeper->times, 1);
}

TEST(first_of_two, is_taken_again_by_the_same_owner_as_a_new_level) {
    first_of_two all;
    auto const& one = all.one;
    auto const token = (one->lost_source = std::stop_source()).get_token();
    auto const before = one->levels[0].number;
    all.give_back(one, at(1s));
    auto const again = all.retake(ann, at(1s));
    ASSERT_TRUE(again.has_value());
    EXPECT_GT(again->number, before);
    EXPECT_TRUE(one->holds(at(1s)));
    EXPECT_EQ(all.table.in_handoff(*all.record), nullptr);
    EXPECT_EQ(one->owner_id(), "uuid:1");
    EXPECT_EQ(one->levels.size(), 1U);
    EXPECT_EQ(all.table.counted.acquired, 1U);
    EXPECT_EQ(all.table.counted.released, 1U);
    EXPECT_EQ(all.release(one, before, at(1s)).what, plan::nothing) << "that one has been given back";
    EXPECT_FALSE(one->lost_source.stop_possible()) << "that of the former hold";
    all.lose(one, at(2s));
    EXPECT_FALSE(token.stop_requested());
    EXPECT_THAT(all.news(), ElementsAre(notice::lost));
}

TEST(first_of_two, is_taken_again_only_by_its_owner_as_what_it_was_and_in_time) {
    first_of_two all;
    auto const& one = all.one;
    EXPECT_FALSE(all.retake(ann, at(0s)).has_value()) << "nothing is being handed off";
    all.give_back(one, at(1s));
    EXPECT_FALSE(all.retake(cid, at(1s)).has_value());
    EXPECT_FALSE(all.retake(bob, at(1s)).has_value());
    EXPECT_FALSE(all.retake(ann, at(1s), {0, 60s, false, false}).has_value()) << "a fixed lease";
    EXPECT_FALSE(
        all.retake(ann, at(1s), {.number = 0, .lease = 30s, .renewed = true, .max_hold_until = at(20s)}).has_value())
        << "max_hold";
    EXPECT_FALSE(all.retake(ann, at(1s), {.lease = 30s, .renewed = true, .fencing = true}).has_value()) << "a token";
    EXPECT_FALSE(all.retake(ann, at(1s) + 25us).has_value());
    one->in_operation = true;
    EXPECT_FALSE(all.retake(ann, at(1s)).has_value()) << "a call of this owner is under way";
    one->in_operation = false;
    EXPECT_TRUE(one->in(phase::handing_off));
    EXPECT_TRUE(all.retake(ann, at(1s) + 25us - 1ns).has_value());
}

TEST(first_of_two, is_taken_again_without_the_token_of_the_hold_before) {
    first_of_two all;
    all.one->token = 7;
    all.give_back(all.one, at(1s));
    ASSERT_TRUE(all.retake(ann, at(1s)).has_value());
    EXPECT_EQ(all.one->token, 0U) << "nobody asked for one";
}

TEST(first_of_two, is_not_taken_again_when_its_validity_ends_within_those_microseconds) {
    first_of_two all;
    auto const over = all.one->validity();
    all.one->next_renewal = base::never; // it would be due long before
    EXPECT_EQ(all.give_back(all.one, over - 1us), plan::handed_off);
    EXPECT_FALSE(all.retake(ann, over).has_value());
}

TEST(first_of_two, is_for_the_head_after_sixteen_times) {
    first_of_two all;
    for (int i = 0; i < 16; ++i) {
        ASSERT_EQ(all.give_back(all.one, at(1s)), plan::handed_off) << i;
        ASSERT_TRUE(all.retake(ann, at(1s)).has_value()) << i;
    }
    EXPECT_EQ(all.give_back(all.one, at(1s)), plan::handed_off);
    EXPECT_TRUE(all.head.granted());
    EXPECT_FALSE(all.retake(ann, at(1s)).has_value());
}

TEST(first_of_two, is_for_the_head_that_has_found_it_taken) {
    first_of_two all;
    all.give_back(all.one, at(1s));
    all.retake(ann, at(1s));
    EXPECT_EQ(all.look(all.head, at(1s) + 1us), finds::held_here);
    EXPECT_EQ(all.give_back(all.one, at(1s) + 2us), plan::handed_off);
    EXPECT_TRUE(all.head.granted()) << "nobody overtakes it twice";
}

// --- leaving

TEST(first_of_two, is_over_when_the_server_gives_the_lock_to_another_one_here) {
    first_of_two all;
    all.give_back(all.one, at(1s));
    ASSERT_TRUE(all.one->in(phase::handing_off));
    auto const other = all.hold(77, at(2s)); // somebody has ended the former by force; this one asked without waiting
    EXPECT_TRUE(all.one->in(phase::ended));
    EXPECT_EQ(all.table.in_handoff(*all.record), nullptr);
    EXPECT_THAT(all.reaped(at(3s)), ElementsAre("uuid:1"));
    EXPECT_EQ(all.give_back(other, at(3s)), plan::handed_off);
    EXPECT_EQ(all.table.in_handoff(*all.record), other);
    EXPECT_THAT(all.news(), IsEmpty()) << "nobody here held what was ended";
    auto const later = all.timer(at(40s));
    EXPECT_TRUE(other->in(phase::ended)) << "nobody came";
    EXPECT_EQ(all.table.in_handoff(*all.record), nullptr);
}

TEST(first_of_two, is_one_at_a_time) {
    first_of_two all;
    auto const other = all.hold(77, at(1s)); // the server gave it away although we still believe in the former
    ASSERT_EQ(all.give_back(other, at(2s)), plan::handed_off);
    EXPECT_EQ(all.give_back(all.one, at(2s)), plan::last) << "the server says what became of it";
    EXPECT_EQ(all.table.in_handoff(*all.record), other);
}

TEST(first_of_two, has_no_more_time_because_another_one_is_lost) {
    hand_off all;
    auto const former = all.hold(cid, at(0s));
    auto const mine = all.hold(ann, at(0s)); // the server has lost its data, and gave the lock away again
    auto const next = all.wait(bob, at(0s));
    ASSERT_EQ(all.give_back(mine, at(0s)), plan::handed_off);
    all.wait(77, at(0s));
    all.lose(former, at(1ms));
    EXPECT_EQ(all.give_back(next.tenure, at(10ms)), plan::last) << "other processes get their turn";
}

TEST(first_of_two, has_no_more_time_because_another_one_is_released) {
    hand_off all;
    auto const former = all.hold(cid, at(0s), 10s);
    auto const mine = all.hold(ann, at(0s));
    auto const next = all.wait(bob, at(0s));
    ASSERT_EQ(all.give_back(mine, at(0s)), plan::handed_off);
    all.wait(77, at(0s));
    ASSERT_EQ(all.give_back(former, at(1ms)), plan::last);
    EXPECT_EQ(all.give_back(next.tenure, at(10ms)), plan::last) << "other processes get their turn";
}

TEST(first_of_two, is_for_the_next_when_the_head_leaves) {
    first_of_two all;
    all.give_back(all.one, at(1s));
    EXPECT_FALSE(all.leave(all.head, at(1s)));
    EXPECT_TRUE(all.one->in(phase::handing_off));
    EXPECT_EQ(all.second.sleeper->times, 1);
    EXPECT_TRUE(all.second.waiter->at_head);
    EXPECT_EQ(all.table.dead.size(), 0U);
    EXPECT_EQ(all.look(all.second, at(1s)), finds::granted);
}

TEST(first_of_two, is_released_when_the_last_who_waited_leaves) {
    first_of_two all;
    all.give_back(all.one, at(1s));
    all.leave(all.second, at(1s));
    EXPECT_FALSE(all.leave(all.head, at(1s)));
    EXPECT_TRUE(all.one->in(phase::ended));
    EXPECT_EQ(all.table.in_handoff(*all.record), nullptr);
    EXPECT_EQ(all.table.keeper.size(), 0U);
    EXPECT_THAT(all.reaped(at(1s)), ElementsAre("uuid:1")) << "at once: nobody here relies on it";
    EXPECT_FALSE(all.retake(ann, at(1s)).has_value());
    EXPECT_THAT(all.news(), IsEmpty());
    EXPECT_EQ(all.table.counted.lost, 0U);
    EXPECT_EQ(all.table.counted.released, 1U);
    EXPECT_THAT(all.record->tenures, ::testing::UnorderedElementsAre(all.head.tenure, all.second.tenure))
        << "they are their operations' to end";
}

TEST(first_of_two, is_released_when_the_next_cannot_take_it) {
    for (bool const fixed : {true, false}) {
        first_of_two all;
        (fixed ? all.second.waiter->accepts_handoff : all.second.waiter->waits) = false;
        all.give_back(all.one, at(1s));
        all.leave(all.head, at(1s));
        EXPECT_EQ(all.table.in_handoff(*all.record), nullptr);
        EXPECT_THAT(all.reaped(at(1s)), ElementsAre("uuid:1"));
        EXPECT_EQ(all.second.sleeper->times, 1) << "it is the head";
        EXPECT_EQ(all.look(all.second, at(1s)), finds::free);
    }
}

TEST(first_of_two, goes_on_when_somebody_leaves_who_was_not_the_head) {
    first_of_two all;
    all.give_back(all.one, at(1s));
    EXPECT_FALSE(all.leave(all.second, at(1s)));
    EXPECT_TRUE(all.one->in(phase::handing_off));
    EXPECT_EQ(all.head.sleeper->times, 1);
}

// --- renewal, while nobody has it

TEST(first_of_two, asks_again_at_once_where_a_renewal_is_under_way_for_the_former_holder) {
    first_of_two all;
    auto const& first = all.one;
    auto& next = all.head;
    all.give_back(first, at(10s) - 1us);
    ASSERT_TRUE(first->in(phase::handing_off));
    auto const sent = all.timer(at(10s));
    ASSERT_EQ(sent.renew.size(), 1U) << "what is handed off is kept, too";
    EXPECT_EQ(all.look(next, at(10s)), finds::granted);
    auto const again = all.timer(at(10s));
    ASSERT_EQ(again.renew.size(), 1U);
    EXPECT_THAT(again.renew[0], ElementsAre(next.tenure));
    lease_keeper::effects late;
    all.table.keeper.on_answer(sent.renew[0], std::vector<std::int64_t>{1}, 30s, at(10s), late);
    EXPECT_THAT(late.lost, IsEmpty()) << "whoever was asked about has left";
    EXPECT_TRUE(next.tenure->holds(at(10s)));
    EXPECT_EQ(ms(next.tenure->validity()), 29'700);
    all.table.keeper.on_answer(again.renew[0], {}, 30s, at(10s), late);
    EXPECT_EQ(ms(next.tenure->validity()), 39'700);
}

TEST(first_of_two, hears_the_answer_to_a_renewal_while_nobody_has_it) {
    first_of_two all;
    auto const& one = all.one;
    all.give_back(one, at(10s) - 1us);
    auto const sent = all.timer(at(10s));
    ASSERT_EQ(sent.renew.size(), 1U);
    lease_keeper::effects answered;
    all.table.keeper.on_answer(sent.renew[0], {}, 30s, at(10s), answered);
    EXPECT_EQ(ms(one->validity()), 39'700);
    EXPECT_EQ(ms(all.table.keeper.next()), 20'000);
    ASSERT_TRUE(all.retake(ann, at(10s)).has_value());
    EXPECT_EQ(ms(all.table.keeper.next()), 20'000);
}

TEST(first_of_two, hears_that_it_is_lost_while_nobody_has_it) {
    first_of_two all;
    auto const& one = all.one;
    auto& next = all.head;
    all.give_back(one, at(10s) - 1us);
    auto const sent = all.timer(at(10s));
    ASSERT_EQ(sent.renew.size(), 1U);
    lease_keeper::effects answered;
    all.table.keeper.on_answer(sent.renew[0], std::vector<std::int64_t>{1}, 30s, at(10s), answered);
    all.table.apply(answered, at(10s), all.woken);
    EXPECT_TRUE(one->in(phase::ended));
    EXPECT_FALSE(all.retake(ann, at(10s)).has_value());
    EXPECT_EQ(all.look(next, at(10s)), finds::free);
    EXPECT_THAT(all.news(), IsEmpty()) << "nobody held it";
}

TEST(first_of_two, asks_again_about_what_nobody_has_when_its_connection_breaks) {
    first_of_two all;
    auto const& one = all.one;
    all.give_back(one, at(10s) - 1us);
    auto const sent = all.timer(at(10s));
    ASSERT_EQ(sent.renew.size(), 1U);
    lease_keeper::effects found;
    all.table.keeper.on_interruption(sent.renew[0], at(10s), found);
    ASSERT_EQ(found.renew.size(), 1U);
    EXPECT_THAT(found.renew[0], ElementsAre(one));
    all.table.keeper.on_failure(found.renew[0], at(10s));
    EXPECT_GT(ms(all.table.keeper.next()), 10'000);
    EXPECT_LE(ms(all.table.keeper.next()), 12'000) << "again after about a second";
}

TEST(first_of_two, does_not_tell_a_recovery_that_nobody_knew_to_be_needed) {
    first_of_two all;
    all.give_back(all.one, at(10s) - 1us);
    auto const sent = all.timer(at(15s));
    ASSERT_EQ(sent.renew.size(), 1U);
    lease_keeper::effects answered;
    all.table.keeper.on_answer(sent.renew[0], {}, 30s, at(15s), answered);
    all.table.apply(answered, at(15s), all.woken);
    EXPECT_FALSE(all.one->suspect);
    EXPECT_THAT(all.news(), IsEmpty()) << "nobody held it";
}

TEST(first_of_two, is_suspect_at_once_when_what_was_handed_off_was) {
    first_of_two all;
    auto const& first = all.one;
    auto& next = all.head;
    all.give_back(first, at(10s) - 1us);
    all.timer(at(15s));
    EXPECT_THAT(all.news(), IsEmpty()) << "there is nobody to tell";
    EXPECT_EQ(next.sleeper->times, 2) << "for the hand-off, and because it is not sure that we hold it";
    EXPECT_EQ(all.look(next, at(15s)), finds::granted);
    all.timer(at(15s));
    EXPECT_TRUE(next.tenure->suspect);
    EXPECT_THAT(all.news(), ElementsAre(notice::suspect));
}

TEST(first_of_two, lets_the_next_one_look_when_the_one_before_it_keeps_what_it_got) {
    first_of_two all;
    all.give_back(all.one, at(1s));
    ASSERT_EQ(all.look(all.head, at(1s)), finds::granted);
    EXPECT_EQ(all.table.keeper.next(), at(1s) + acquire_op::trusts_own_hold);
    all.timer(at(1s) + acquire_op::trusts_own_hold - 1ns);
    EXPECT_EQ(all.second.sleeper->times, 0) << "hand-offs are quicker";
    all.timer(at(1s) + acquire_op::trusts_own_hold);
    EXPECT_EQ(all.second.sleeper->times, 1)
        << "it is the first now, and has to see whether somebody else ends the hold";
    EXPECT_EQ(all.look(all.second, at(1s) + acquire_op::trusts_own_hold), finds::held_here);
    all.timer(at(2s));
    EXPECT_EQ(all.second.sleeper->times, 1) << "once";
}

TEST(first_of_two, has_no_timer_for_a_next_one_where_there_is_none) {
    first_of_two all;
    all.table.leave(all.second.waiter, at(1s), all.woken);
    all.give_back(all.one, at(1s));
    ASSERT_EQ(all.look(all.head, at(1s)), finds::granted);
    EXPECT_EQ(ms(all.table.keeper.next()), 10'000) << "the renewal";
}

// --- the end of what is being handed off

TEST(first_of_two, ends_with_its_validity_which_the_head_is_told) {
    first_of_two all;
    auto const over = all.one->validity();
    all.give_back(all.one, at(1s));
    EXPECT_EQ(all.look(all.head, over), finds::free) << "before the timer finds it";
    all.head.sleeper->times = 0;
    all.timer(over);
    EXPECT_TRUE(all.one->in(phase::ended));
    EXPECT_EQ(all.table.in_handoff(*all.record), nullptr);
    EXPECT_GE(all.head.sleeper->times, 1);
    EXPECT_THAT(all.news(), IsEmpty()) << "nobody held it";
    EXPECT_EQ(all.table.counted.lost, 0U);
    EXPECT_EQ(ms(all.table.dead.next()), 30'000) << "after the margin, as with every lost hold";
    EXPECT_THAT(all.reaped(at(30s)), ElementsAre("uuid:1"));
    EXPECT_EQ(all.look(all.head, at(30s)), finds::free);
}

TEST(first_of_two, begins_anew_after_a_loss) {
    first_of_two all;
    all.give_back(all.one, at(1s));
    all.lose(all.one, at(1s));
    EXPECT_EQ(all.table.in_handoff(*all.record), nullptr);
    auto const again = all.hold(ann, at(2h));
    all.head.waiter->waits = true; // it has asked and been told that it is busy
    EXPECT_EQ(all.give_back(again, at(2h)), plan::handed_off) << "the window of the lost one would be over";
}

TEST(first_of_two, is_released_when_the_client_closes_with_all_that_waits) {
    first_of_two all;
    all.give_back(all.one, at(1s));
    all.head.sleeper->times = 0;
    all.table.end_everything(at(1s), all.woken);
    all.woken.wake_all();
    EXPECT_TRUE(all.one->in(phase::ended));
    EXPECT_EQ(all.table.in_handoff(*all.record), nullptr);
    EXPECT_FALSE(all.retake(ann, at(1s)).has_value());
    EXPECT_GE(all.head.sleeper->times, 1);
    EXPECT_GE(all.second.sleeper->times, 1);
    EXPECT_THAT(all.news(), IsEmpty());
    std::vector<std::string> ids;
    for (auto const& job : all.table.dead.all_now(base::never)) ids.push_back(job.owner_id);
    EXPECT_THAT(ids, ::testing::UnorderedElementsAre("uuid:1", "uuid:3", "uuid:4"));
}

} // namespace
} // namespace redlatch::locking
