#include "locking/held_tenures.hpp"

#include <gmock/gmock.h>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::at;
using scripted::ms;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using ::testing::UnorderedElementsAreArray;
using batch = lease_keeper::batch;

TEST(lease_keeper, says_once_that_a_hold_is_so_old_that_it_is_to_be_listened_for) {
    for (bool const fixed : {false, true}) {
        held_tenures all;
        all.keeper = lease_keeper({.watch_from = 1s}, 1);
        auto const one = fixed ? all.fixed(60s, at(0s)) : all.watched(at(0s));
        EXPECT_EQ(ms(all.keeper.next()), 1'000);
        EXPECT_THAT(all.timer(at(1s) - 1ns).watch, IsEmpty());
        auto const& found = all.timer(at(1s));
        EXPECT_THAT(found.watch, ElementsAre(one));
        EXPECT_TRUE(one->watched && held_tenures::nothing(found));
        all.keeper.acknowledged(one, fixed ? 60s : 30s, at(2s)); // entered again, or renewed
        EXPECT_GT(ms(all.keeper.next()), 3'000);
        auto const next = std::make_shared<tenure>();
        next->record = one->record;
        next->record->tenures.add(next);
        next->levels.push_back(one->levels[0]);
        next->now_in = tenure::phase::held;
        all.keeper.succeed(one, next);
        EXPECT_TRUE(next->watched) << "the same key";
        EXPECT_THAT(all.timer(at(4s)).watch, IsEmpty());
        all.keeper.forget(next);
    }
}

TEST(lease_keeper, renews_together_whatever_else_is_due_in_between) {
    held_tenures all;
    all.keeper = lease_keeper({.watch_from = 1s}, 1);
    std::vector<tenure_ptr> old;
    for (int i = 0; i < 5; ++i) old.push_back(all.watched(at(i * 100ms)));
    all.timer(at(2s));
    for (int i = 0; i < 5; ++i) all.watched(at(9s + i * 100ms)); // to be listened for from 10 s on
    auto const& found = all.timer(at(10s));
    ASSERT_EQ(found.renew.size(), 1U);
    EXPECT_THAT(found.renew[0], UnorderedElementsAreArray(old));
    EXPECT_EQ(found.watch.size(), 1U);
    EXPECT_EQ(all.keeper.size(), 10U);
    EXPECT_EQ(ms(all.keeper.next()), 10'100) << "the next one to be listened for";
}

TEST(lease_keeper, asks_soon_about_many_in_one_batch) {
    held_tenures all;
    auto const one = all.watched(at(0s));
    auto const other = all.watched(at(0s));
    all.keeper.verify_soon(one, at(1s));
    all.keeper.verify_soon(other, at(1s) + 50ms);
    EXPECT_EQ(ms(all.keeper.next()), 1'200);
    auto const sent = all.timer(at(1s) + 200ms).renew;
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_THAT(sent[0], UnorderedElementsAre(one, other));
    all.keeper.verify_soon(one, at(1s) + 210ms); // what is under way may have been answered before
    EXPECT_TRUE(held_tenures::nothing(all.answer(sent[0], at(1s) + 220ms)));
    EXPECT_THAT(all.timer(at(1s) + 320ms).renew, ElementsAre(batch{one}));
    all.keeper.forget(one);
    all.keeper.verify_soon(one, at(2s));
    EXPECT_EQ(all.keeper.size(), 1U);
}

} // namespace
} // namespace redlatch::locking
