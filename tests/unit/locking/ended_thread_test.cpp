// What a thread leaves behind that ends while it holds something, or has lost it.
#include "client_locks.hpp"
#include "locking/recipes/recipes.hpp"

#include <gmock/gmock.h>

namespace redlatch::locking {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(ended_thread, forgets_what_an_ended_thread_had_lost_and_tells_of_what_it_holds) {
    client_locks all;
    all.table.threads.watch(ann);
    all.table.threads.watch(bob);
    std::weak_ptr const lost = all.hold(ann, at(0s));
    all.lose(lost.lock(), at(1s));
    auto const held = all.hold(ann, at(1s));
    auto const of_another = all.hold(bob, at(1s));
    all.lose(of_another, at(2s));
    all.table.take_notices();
    all.table.dead.all_now(base::never);
    all.table.thread_ended(ann);
    EXPECT_TRUE(lost.expired());
    EXPECT_THAT(all.record->tenures, UnorderedElementsAre(held, of_another));
    auto const told = all.table.take_notices();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].what, notice::thread_exited);
    EXPECT_EQ(told[0].who, held);
    all.table.thread_ended(ann);
    EXPECT_THAT(all.news(), IsEmpty()) << "it has been told";
    EXPECT_EQ(all.release(held, held->levels[0].number, at(2s)).what, plan::last) << "whoever has the hold can end it";
}

TEST(ended_thread, tells_nothing_of_what_an_ended_thread_has_given_back) {
    client_locks all;
    all.table.threads.watch(ann);
    for (int order = 0; order < 3; ++order) { // the first, the last and the middle one of its three go
        std::vector<tenure_ptr> mine;
        for (char const* const name : {"a", "b", "c"}) {
            mine.push_back(all.table.open(all.table.records.get(name, reentrant_recipe), ann));
            all.take(mine.back(), at(0s));
        }
        auto const& gone = mine[static_cast<std::size_t>(order)];
        all.release(gone, gone->levels[0].number, at(1s));
        all.table.thread_ended(ann);
        auto const told = all.table.take_notices();
        EXPECT_EQ(told.size(), 2U);
        for (auto const& one : told) EXPECT_NE(one.who, gone);
        for (auto const& one : mine)
            if (one != gone) all.release(one, one->levels[0].number, at(1s));
        all.table.threads.watch(ann);
    }
}

TEST(ended_thread, tells_of_a_thread_that_was_given_the_lock_by_another_one_here) {
    client_locks all{.handoff = {.strict = true}};
    all.table.threads.watch(bob);
    auto const from = all.hold(ann, at(0s));
    auto const to = all.table.open(all.record, bob);
    auto const waiter = std::make_shared<locking::waiter>(base::waker());
    waiter->whose = to;
    waiter->asked = {0, 30s, true, false};
    waiter->accepts_handoff = waiter->waits = true;
    all.record->queue.enter(waiter);
    EXPECT_EQ(all.release(from, from->levels[0].number, at(1ms)).what, plan::handed_off);
    EXPECT_EQ(all.table.holder(*all.record, at(2ms)), to);
    all.table.thread_ended(bob);
    EXPECT_THAT(all.news(), ElementsAre(notice::thread_exited));
}

} // namespace
} // namespace redlatch::locking
