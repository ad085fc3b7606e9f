// Whom a hold that ends leaves the lock to, and what a client does with its locks when it closes.
#include "client_locks.hpp"

#include <gmock/gmock.h>

namespace redlatch::locking {
namespace {

using ::testing::ElementsAre;

// --- hand-off within the process

TEST(head_wake, is_for_nobody_when_nobody_waits_here) {
    waiting_here all;
    EXPECT_EQ(all.next(at(0s)), lock_table::head_wake::nobody);
}

TEST(head_wake, is_at_once_sixteen_times_and_then_yields) {
    waiting_here all;
    all.wait();
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < head_wakes::most; ++i)
            EXPECT_EQ(all.next(at(1ms)), lock_table::head_wake::at_once) << round << ' ' << i;
        EXPECT_EQ(all.next(at(1ms)), lock_table::head_wake::yielding) << round;
    }
}

TEST(head_wake, yields_after_five_milliseconds_in_a_row) {
    waiting_here all;
    all.wait();
    EXPECT_EQ(all.next(at(0ms)), lock_table::head_wake::at_once);
    EXPECT_EQ(all.next(at(5ms)), lock_table::head_wake::at_once);
    EXPECT_EQ(all.next(at(5ms) + 1ns), lock_table::head_wake::yielding);
    EXPECT_EQ(all.next(at(6ms)), lock_table::head_wake::at_once) << "a new row begins";
}

/// Whatever kept the lock from being handed off within the process: a renewal that is due, for instance.
TEST(head_wake, yields_at_the_end_of_a_turn_beside_others) {
    waiting_here all;
    all.wait();
    all.record->contend()->turn.on_acquired(at(0ms));
    all.record->contend()->turn.on_released(1, {}, at(0ms));
    EXPECT_EQ(all.next(at(1ms) - 1ns), lock_table::head_wake::at_once);
    EXPECT_EQ(all.next(at(1ms)), lock_table::head_wake::yielding);
}

TEST(head_wake, begins_to_count_again_when_nobody_waited) {
    waiting_here all;
    all.wait();
    for (int i = 0; i < head_wakes::most; ++i) all.next(at(0ms));
    all.record->queue.leave(all.waiters[0], all.woken);
    EXPECT_EQ(all.next(at(1ms)), lock_table::head_wake::nobody);
    all.wait();
    EXPECT_EQ(all.next(at(2ms)), lock_table::head_wake::at_once);
}

// --- the client closes

TEST(lock_table, ends_everything_when_the_client_closes) {
    waiting_here all;
    auto const held = all.hold(ann, at(0s));
    auto const second = all.take(held, at(0s));
    auto const acquiring = all.table.open(all.record, bob);
    auto const turn = make_sleeper();
    held->wait_for_operation(turn);
    all.wait();
    all.wait();
    all.table.end_everything(at(1s), all.woken);
    all.woken.wake_all();
    EXPECT_TRUE(held->in(phase::lost));
    EXPECT_TRUE(acquiring->in(phase::ended));
    EXPECT_FALSE(all.table.take(acquiring, {0, 30s, true, false}, at(1s), base::never).has_value())
        << "its answer comes too late";
    auto const id = acquiring->owner_id().str();
    all.table.change_id(acquiring, 30s, at(1s));
    EXPECT_EQ(acquiring->owner_id(), id) << "a late answer that would want a new one";
    EXPECT_EQ(all.table.keeper.size(), 0U);
    EXPECT_EQ(turn->times, 1);
    for (auto const& waiter : all.waiters) EXPECT_GE(static_cast<scripted::wake_counter&>(*waiter->waker).times, 1);
    std::vector<std::string> ids;
    for (auto const& job : all.table.dead.all_now(base::never)) ids.push_back(job.owner_id);
    EXPECT_THAT(ids, ::testing::UnorderedElementsAre("uuid:1", "uuid:2"));
    EXPECT_EQ(all.release(held, second.number, at(1s)).what, plan::lost);
}

TEST(lock_table, leaves_nothing_behind_although_levels_are_not_given_back) {
    std::weak_ptr<lock_record> watched;
    {
        client_locks all;
        watched = all.record;
        all.lose(all.hold(ann, at(0s)), at(1s));
        all.hold(bob, at(2s));
    }
    EXPECT_TRUE(watched.expired());
}

} // namespace
} // namespace redlatch::locking
