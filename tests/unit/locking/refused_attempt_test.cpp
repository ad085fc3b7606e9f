// Attempts that the server does not execute.
#include "locking/acquire_op.hpp"
#include "scripted/virtual_time.hpp"

#include <gtest/gtest.h>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using connection::verdict;
using scripted::at;
using act = acquire_op::act;
using outcome = acquire_op::outcome;

acquire_op::terms waiting_until(base::instant deadline) {
    acquire_op::terms what;
    what.deadline = deadline;
    what.lease = 30s;
    what.margin = 300ms;
    what.longest_wait = 30s;
    return what;
}
acquire_op::terms asking_once() {
    auto what = waiting_until(at(3s));
    what.may_wait = false;
    return what;
}
void begin(acquire_op& op) {
    if (op.start().what == act::queue) op.on_head(at(0s), false, {});
    ASSERT_TRUE(op.trying());
}

TEST(refused_attempt, of_who_asks_once_is_the_answer) {
    acquire_op op(asking_once());
    begin(op);
    EXPECT_EQ(op.on_error(verdict::not_executed, at(1ms)).what, act::finish);
    EXPECT_EQ(op.result(), outcome::refused);
}

TEST(refused_attempt, of_who_asks_once_is_asked_of_a_new_connection_where_the_old_one_was_read_only) {
    acquire_op op(asking_once());
    begin(op);
    auto const next = op.on_error(verdict::read_only, at(1ms), at(2s));
    EXPECT_EQ(next.what, act::pause);
    EXPECT_EQ(next.until, at(101ms)) << "others are in no hurry";
    EXPECT_EQ(op.on_woken(at(101ms), false, {}).what, act::attempt);
    EXPECT_EQ(op.on_error(verdict::read_only, at(102ms)).what, act::finish);
    EXPECT_EQ(op.result(), outcome::refused);
}

TEST(refused_attempt, of_a_waiter_is_repeated_when_it_is_time_to) {
    acquire_op op(waiting_until(at(3s)));
    begin(op);
    auto const next = op.on_error(verdict::not_executed, at(1ms), at(700ms));
    EXPECT_EQ(next.what, act::pause);
    EXPECT_EQ(next.until, at(700ms));
    op.on_woken(at(700ms), false, {});
    EXPECT_EQ(op.on_error(verdict::not_executed, at(701ms), at(9s)).until, at(3s)) << "not beyond its deadline";
}

TEST(refused_attempt, in_place_of_which_another_one_asks_is_a_refusal_at_the_deadline) {
    acquire_op op(waiting_until(at(3s)));
    begin(op);
    auto const next = op.on_held_up(at(5s));
    EXPECT_EQ(next.what, act::pause);
    EXPECT_EQ(next.until, at(3s));
    EXPECT_EQ(op.on_deadline(acquire_op::knowledge::server_is_there).what, act::finish);
    EXPECT_EQ(op.result(), outcome::refused);
}

TEST(refused_attempt, of_the_one_that_asks_for_the_queue_is_a_refusal_for_who_waits_behind_it) {
    acquire_op op(waiting_until(at(3s)));
    op.start();
    op.on_behind_head(at(1s));
    EXPECT_EQ(op.on_deadline(acquire_op::knowledge::server_refuses).what, act::finish);
    EXPECT_EQ(op.result(), outcome::refused);
}

TEST(refused_attempt, for_longer_than_an_outage_may_last_is_a_refusal) {
    for (bool const refuses : {false, true}) {
        acquire_op op(waiting_until(base::never));
        begin(op);
        op.on_outage(refuses);
        EXPECT_EQ(op.result(), refuses ? outcome::refused : outcome::disconnected);
    }
}

} // namespace
} // namespace redlatch::locking
