// What the table does with a minimum hold and a lock delay: tests/behaviour has what users see of them.
#include "client_locks.hpp"
#include "scripted/replies.hpp"

#include <gmock/gmock.h>

namespace redlatch::locking {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A client with one lock that others here wait for.
struct wanted : hand_off {
    tenure_ptr take(level asked, base::instant sent_at) {
        auto const one = table.open(record, ann);
        EXPECT_TRUE(table.take(one, asked, sent_at, base::never));
        return one;
    }
};

TEST(minimum_hold, is_not_handed_off_before_it_is_over) {
    wanted all;
    auto const mine = all.take({.lease = 30s, .renewed = true, .kept_until = at(5s)}, at(0s));
    auto const next = all.wait(bob, at(0s));
    EXPECT_EQ(all.give_back(mine, at(5s) - 1ns), plan::last);
    EXPECT_FALSE(next.granted());
}

TEST(minimum_hold, is_handed_off_when_it_is_over) {
    wanted all;
    auto const mine = all.take({.lease = 30s, .renewed = true, .kept_until = at(5s)}, at(0s));
    auto const next = all.wait(bob, at(0s));
    EXPECT_EQ(all.give_back(mine, at(5s)), plan::handed_off);
    EXPECT_TRUE(next.granted());
}

TEST(minimum_hold, of_the_latest_end_counts) {
    client_locks all;
    auto const mine = all.table.open(all.record, ann);
    all.table.take(mine, {.lease = 30s, .renewed = true, .kept_until = at(9s)}, at(0s), base::never);
    all.table.take(mine, {.lease = 30s, .renewed = true, .kept_until = at(4s)}, at(1s), base::never);
    all.table.take(mine, {.lease = 30s, .renewed = true}, at(2s), base::never);
    EXPECT_EQ(mine->minimum_hold_until(), at(9s));
    EXPECT_EQ(time_until(mine->minimum_hold_until(), at(9s) - 1ns), 1ms) << "rounded up: never too early";
    EXPECT_EQ(time_until(mine->minimum_hold_until(), at(9s)), 0ms);
    EXPECT_EQ(time_until(base::instant::min(), at(9s)), 0ms);
}

TEST(minimum_hold, is_known_to_the_background_that_releases) {
    client_locks all;
    auto const mine = all.table.open(all.record, ann);
    auto const taken =
        all.table.take(mine, {.lease = 30s, .renewed = true, .kept_until = at(60s)}, at(0s), base::never);
    ASSERT_EQ(all.release(mine, taken->number, at(1s)).what, plan::last);
    all.table.hand_to_reaper(mine, at(1s));
    auto const jobs = all.table.dead.on_timer(at(1s));
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].kept_until, at(60s));
}

TEST(minimum_hold, of_a_level_counts_when_it_has_ended) {
    client_locks all;
    auto const mine = all.table.open(all.record, ann);
    all.table.take(mine, {.lease = 30s, .renewed = true}, at(0s), base::never);
    auto const inner = all.table.take(mine, {.lease = 30s, .renewed = true, .kept_until = at(9s)}, at(0s), base::never);
    ASSERT_EQ(all.release(mine, inner->number, at(1s)).what, plan::partial);
    EXPECT_EQ(mine->minimum_hold_until(), at(9s));
    auto const another =
        all.table.take(mine, {.lease = 30s, .renewed = true, .kept_until = at(12s)}, at(1s), base::never);
    base::wake_list woken;
    all.table.abandon(mine, another->number, at(2s), woken);
    EXPECT_EQ(mine->minimum_hold_until(), at(12s));
}

TEST(minimum_hold, can_be_set_and_taken_back_for_one_level) {
    client_locks all;
    auto const mine = all.table.open(all.record, ann);
    auto const outer = all.table.take(mine, {.lease = 30s, .renewed = true, .kept_until = at(5s)}, at(0s), base::never);
    auto const inner = all.table.take(mine, {.lease = 30s, .renewed = true, .kept_until = at(9s)}, at(0s), base::never);
    lock_table::set_minimum_hold(*mine, inner->number, base::instant::min(), at(1s));
    EXPECT_EQ(mine->minimum_hold_until(), at(5s)) << "the other one's";
    lock_table::set_minimum_hold(*mine, outer->number, at(90s), at(1s));
    EXPECT_EQ(mine->minimum_hold_until(), at(90s));
    EXPECT_EQ(mine->longest_ever, 89s) << "an orphan could stay for so long";
    lock_table::set_minimum_hold(*mine, outer->number + 100, at(99s), at(1s));
    EXPECT_EQ(mine->minimum_hold_until(), at(90s)) << "there is no such level";
}

/// One of several locks, the others of which are still asked; or its replicas are.
TEST(minimum_hold, of_a_provisional_level_does_not_count) {
    client_locks all;
    auto const mine = all.table.open(all.record, ann);
    auto const only = all.table.take(mine, {.lease = 30s, .renewed = true, .provisional = true, .kept_until = at(60s)},
                                     at(0s), base::never);
    ASSERT_TRUE(only);
    EXPECT_FALSE(only->can_pass()) << "its key is to stay for the minimum hold";
    EXPECT_EQ(mine->minimum_hold_until(), base::instant::min());
    base::wake_list woken;
    all.table.end_everything(at(1s), woken);
    auto const jobs = all.table.dead.all_now(at(1s));
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].kept_until, base::instant::min()) << "acquired in vain";
}

TEST(minimum_hold, of_a_provisional_level_counts_once_it_is_confirmed) {
    client_locks all;
    auto const mine = all.table.open(all.record, ann);
    auto const only = all.table.take(mine, {.lease = 30s, .renewed = true, .provisional = true, .kept_until = at(60s)},
                                     at(0s), base::never);
    lock_table::confirm(*mine, only->number);
    EXPECT_EQ(mine->minimum_hold_until(), at(60s));
    lock_table::set_minimum_hold(*mine, only->number, at(70s), at(1s));
    EXPECT_EQ(mine->minimum_hold_until(), at(70s));
}

/// The rest is kept while there is a key: behind its expiry there would be nothing to keep.
TEST(minimum_hold, that_outlives_a_lost_hold_is_seen_to_at_once) {
    wanted all;
    auto const mine = all.take({.lease = 2s, .renewed = false, .kept_until = at(2'400ms)}, at(0s));
    base::wake_list woken;
    all.table.lose(mine, at(1'980ms), woken);
    auto const jobs = all.table.dead.on_timer(at(1'980ms));
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].kept_until, at(2'400ms));
}

TEST(minimum_hold, that_ends_before_the_key_of_a_lost_hold_shortens_nothing) {
    wanted all;
    auto const mine = all.take({.lease = 2s, .renewed = false, .kept_until = at(1'990ms)}, at(0s));
    base::wake_list woken;
    all.table.lose(mine, at(1'980ms), woken);
    EXPECT_TRUE(all.table.dead.on_timer(at(1'999ms)).empty()) << "its holder may still be cleaning up";
    EXPECT_EQ(all.table.dead.on_timer(at(2s)).size(), 1U);
}

TEST(minimum_hold, of_an_acquisition_that_was_given_up_is_none) {
    client_locks all;
    auto const mine = all.table.open(all.record, ann);
    all.table.give_up(mine, true, 60s, at(0s));
    auto const jobs = all.table.dead.on_timer(at(0s));
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].kept_until, base::instant::min());
}

TEST(lock_delay, is_not_handed_off_since_the_next_one_may_want_none) {
    wanted all;
    auto const mine = all.take({.lease = 30s, .renewed = true, .lock_delay = 1s}, at(0s));
    auto const next = all.wait(bob, at(0s));
    EXPECT_EQ(all.give_back(mine, at(1s)), plan::last);
    EXPECT_FALSE(next.granted());
}

TEST(lock_delay, adds_to_what_is_renewed_and_not_to_validity) {
    client_locks all;
    auto const mine = all.table.open(all.record, ann);
    all.table.take(mine, {.lease = 30s, .renewed = true, .lock_delay = 15s}, at(0s), base::never);
    EXPECT_EQ(ms(mine->validity()), 29'700);
    lease_keeper::effects found;
    all.table.keeper.on_timer(at(10s), found);
    ASSERT_EQ(found.renew.size(), 1U);
    EXPECT_EQ(all.table.keeper.lease_of(found.renew[0]), 30s);
    auto const words =
        scripted::words_in(lease_keeper::compose(found.renew[0], all.table.keeper.lease_of(found.renew[0])
                                                                     + lease_keeper::delay_of(found.renew[0]))
                               .bytes)
            .at(0);
    EXPECT_EQ(words.at(words.size() - 2), "45000");
    lease_keeper::effects answered;
    all.table.keeper.on_answer(found.renew[0], {}, all.table.keeper.lease_of(found.renew[0]), at(10s), answered);
    EXPECT_EQ(ms(mine->validity()), 39'700);
}

TEST(lock_delay, asks_no_more_than_who_still_holds_of_a_fixed_lease) {
    client_locks all;
    auto const mine = all.table.open(all.record, ann);
    all.table.take(mine, {.lease = 30s, .lock_delay = 15s}, at(0s), base::never);
    lease_keeper::effects found;
    all.table.keeper.verify_all(at(1s), found);
    ASSERT_EQ(found.renew.size(), 1U);
    auto const words =
        scripted::words_in(lease_keeper::compose(found.renew[0], all.table.keeper.lease_of(found.renew[0])
                                                                     + lease_keeper::delay_of(found.renew[0]))
                               .bytes)
            .at(0);
    EXPECT_EQ(words.at(words.size() - 2), "1");
}

TEST(lock_delay, is_over_before_the_background_releases_what_was_lost) {
    client_locks all;
    auto const mine = all.table.open(all.record, ann);
    all.table.take(mine, {.lease = 30s, .renewed = true, .lock_delay = 15s}, at(0s), base::never);
    all.lose(mine, at(20s));
    EXPECT_THAT(all.reaped(at(35s)), IsEmpty());
    EXPECT_THAT(all.reaped(at(35'450ms)), ElementsAre(mine->owner_id().str())) << "and its margin: a hundredth of 45 s";
}

} // namespace
} // namespace redlatch::locking
