#include "client_locks.hpp"
#include "locking/recipes/recipes.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <set>

namespace redlatch::locking {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// --- records and ids

TEST(lock_table, has_one_record_for_a_name_while_anybody_refers_to_it) {
    client_locks all;
    EXPECT_EQ(all.table.records.get("orders", reentrant_recipe), all.record);
    EXPECT_NE(all.table.records.get("other", reentrant_recipe), all.record);
    EXPECT_EQ(all.record->channel(), "redisson_lock__channel:{orders}");
}

TEST(lock_table, knows_of_a_record_when_the_server_said_who_has_the_lock) {
    client_locks all;
    EXPECT_FALSE(all.record->was_answered_after(at(1s)));
    all.record->on_answered(at(2s));
    EXPECT_TRUE(all.record->was_answered_after(at(1s)));
    EXPECT_FALSE(all.record->was_answered_after(at(2s)));
}

TEST(lock_table, has_a_record_of_its_own_for_each_kind_of_one_name) {
    auto const another_kind = reentrant_recipe;
    client_locks all;
    auto const other = all.table.records.get("orders", another_kind);
    EXPECT_NE(other, all.record) << "it would run the scripts of another kind";
    EXPECT_EQ(other->how, &another_kind);
    EXPECT_EQ(all.record->how, &reentrant_recipe);
    EXPECT_EQ(all.table.records.get("orders", another_kind), other);
    auto const mine = all.hold(ann, at(0s));
    EXPECT_EQ(all.table.holder(*all.record, at(0s)), mine);
    EXPECT_EQ(all.table.holder(*other, at(0s)), nullptr) << "the server says whether they exclude each other";
    EXPECT_EQ(all.table.current(*other, ann), nullptr);
}

TEST(lock_table, keeps_no_record_of_a_name_that_nobody_uses) {
    client_locks all;
    std::weak_ptr const watched = all.table.records.get("short", reentrant_recipe);
    EXPECT_TRUE(watched.expired());
    std::size_t most = 0;
    for (int i = 0; i < 10'000; ++i) {
        all.table.records.get("name" + std::to_string(i), reentrant_recipe);
        most = std::max(most, all.table.records.size());
    }
    EXPECT_LE(most, 64U) << "names that nobody uses any more are dropped, and not only when the client ends";
    EXPECT_EQ(all.table.records.get("orders", reentrant_recipe), all.record);
}

TEST(lock_table, never_uses_an_id_twice) {
    client_locks all;
    std::set<std::string> ids;
    for (int i = 0; i < 50; ++i) {
        auto const one = all.table.open(all.record, ann);
        EXPECT_TRUE(ids.insert(one->owner_id().str()).second) << one->owner_id().view();
        all.table.change_id(one, 30s, at(0s));
        EXPECT_TRUE(ids.insert(one->owner_id().str()).second) << one->owner_id().view();
        if (i % 3 == 0) {
            all.table.give_up(one, true, 30s, at(0s));
            continue;
        }
        auto const first = all.take(one, at(0s));
        if (i % 3 == 1) all.lose(one, at(1s));
        all.release(one, first.number, at(1s));
    }
    EXPECT_EQ(ids.count("uuid:1"), 1U);
}

TEST(lock_table, sends_the_old_id_to_the_reaper_when_an_acquisition_takes_a_new_one) {
    client_locks all;
    auto const one = all.table.open(all.record, ann);
    one->late_copy_possible = true;
    all.table.change_id(one, 30s, at(0s));
    EXPECT_FALSE(one->late_copy_possible) << "nothing was sent with the new id";
    EXPECT_THAT(all.reaped(at(0s)), ElementsAre("uuid:1"));
    EXPECT_EQ(one->owner_id(), "uuid:2");
}

// --- who holds

TEST(lock_table, knows_an_owners_tenure_while_it_is_being_acquired_or_held) {
    client_locks all;
    EXPECT_EQ(all.table.current(*all.record, ann), nullptr);
    auto const one = all.table.open(all.record, ann);
    EXPECT_EQ(all.table.current(*all.record, ann), one);
    EXPECT_EQ(all.table.current(*all.record, bob), nullptr);
    EXPECT_EQ(all.table.holder(*all.record, at(0s)), nullptr);
    auto const first = all.take(one, at(0s));
    EXPECT_EQ(all.table.current(*all.record, ann), one);
    EXPECT_EQ(all.table.holder(*all.record, at(0s)), one);
    EXPECT_EQ(all.table.holder(*all.record, one->validity()), nullptr) << "its validity is over";
    all.release(one, first.number, at(1s));
    EXPECT_EQ(all.table.current(*all.record, ann), nullptr) << "while its release is under way a new tenure may begin";
    EXPECT_EQ(all.table.holder(*all.record, at(1s)), nullptr);
    EXPECT_THAT(all.record->tenures, IsEmpty());
}

TEST(lock_table, forgets_that_the_lock_was_busy_when_it_has_it) {
    client_locks all;
    all.record->contend()->busy_until = at(1h);
    all.hold(ann, at(0s));
    EXPECT_LT(all.record->contend()->busy_until, at(0s));
}

TEST(lock_table, gives_an_acquisition_up_without_a_trace_when_nothing_of_it_can_be_on_the_server) {
    client_locks all;
    auto const one = all.table.open(all.record, ann);
    all.table.give_up(one, false, 30s, at(0s));
    EXPECT_EQ(all.table.dead.size(), 0U);
    EXPECT_TRUE(one->in(phase::ended));
    EXPECT_EQ(all.table.current(*all.record, ann), nullptr);
}

TEST(lock_table, releases_an_acquisition_that_was_given_up_while_it_may_come_to_hold) {
    client_locks all;
    auto const one = all.table.open(all.record, ann);
    all.table.give_up(one, true, 30s, at(0s));
    EXPECT_THAT(all.reaped(at(0s)), ElementsAre("uuid:1"));
    all.table.dead.on_answer(1, false, at(0s));
    EXPECT_EQ(all.table.dead.size(), 0U);
}

TEST(lock_table, sweeps_behind_an_acquisition_that_may_have_a_late_copy_although_its_last_answer_was_busy) {
    client_locks all;
    auto const one = all.table.open(all.record, ann);
    one->late_copy_possible = true;
    all.table.give_up(one, false, 30s, at(0s));
    EXPECT_THAT(all.reaped(at(0s)), ElementsAre("uuid:1"));
    all.table.dead.on_answer(1, false, at(0s));
    EXPECT_EQ(ms(all.table.dead.next()), 1'000);
}

// --- levels

TEST(lock_table, numbers_every_level_of_every_lock) {
    client_locks all;
    auto const one = all.table.open(all.record, ann);
    auto const another = all.table.records.get("other", reentrant_recipe);
    auto const other = all.table.open(another, ann);
    std::set<std::uint64_t> const numbers{all.take(one, at(0s)).number, all.take(one, at(0s)).number,
                                          all.take(other, at(0s)).number};
    EXPECT_EQ(numbers.size(), 3U);
    EXPECT_FALSE(numbers.contains(0));
    EXPECT_EQ(all.table.counted.acquired, 3U);
}

TEST(lock_table, ends_holds_in_any_order_and_only_the_last_one_releases) {
    std::vector<std::size_t> order{0, 1, 2};
    do {
        client_locks all;
        auto const one = all.table.open(all.record, ann);
        std::vector<std::uint64_t> numbers;
        for (int i = 0; i < 3; ++i) numbers.push_back(all.take(one, at(0s)).number);
        for (int left = 2; left >= 0; --left) {
            auto const what = all.release(one, numbers[order[static_cast<std::size_t>(2 - left)]], at(1s));
            EXPECT_EQ(what.what, left == 0 ? plan::last : plan::partial);
            EXPECT_EQ(what.count, left);
        }
        EXPECT_TRUE(one->in(phase::releasing));
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST(lock_table, writes_the_longest_lease_that_stays_when_a_level_ends) {
    client_locks all;
    auto const one = all.table.open(all.record, ann);
    auto const minute = all.take(one, at(0s), 60s);
    auto const watched = all.take(one, at(0s));
    all.take(one, at(0s), 5s);
    EXPECT_EQ(all.release(one, minute.number, at(1s)).lease, 30s);
    EXPECT_EQ(all.release(one, watched.number, at(1s)).lease, 5s);
}

TEST(lock_table, ends_a_level_once) {
    client_locks all;
    auto const one = all.table.open(all.record, ann);
    auto const first = all.take(one, at(0s));
    all.take(one, at(0s));
    EXPECT_EQ(all.release(one, first.number, at(1s)).what, plan::partial);
    EXPECT_EQ(all.release(one, first.number, at(1s)).what, plan::nothing);
    EXPECT_EQ(all.release(one, 4'711, at(1s)).what, plan::nothing);
    EXPECT_EQ(one->levels.size(), 1U);
}

TEST(lock_table, goes_on_with_the_other_levels_when_the_release_of_one_is_abandoned) {
    client_locks all;
    auto const one = all.table.open(all.record, ann);
    auto const outer = all.take(one, at(0s));
    auto const inner = all.take(one, at(0s));
    all.table.abandon(one, inner.number, at(1s), all.woken);
    EXPECT_TRUE(one->in(phase::held));
    EXPECT_EQ(one->levels.size(), 1U);
    EXPECT_EQ(all.table.current(*all.record, ann), one);
    EXPECT_EQ(all.table.dead.size(), 0U);
    all.table.abandon(one, inner.number, at(1s), all.woken);
    EXPECT_TRUE(one->in(phase::held)) << "it has ended already";
    all.table.abandon(one, outer.number, at(2s), all.woken);
    EXPECT_TRUE(one->in(phase::ended));
    EXPECT_EQ(all.table.current(*all.record, ann), nullptr);
    EXPECT_THAT(all.reaped(at(2s)), ElementsAre("uuid:1"));
}

TEST(lock_table, moves_validity_on_when_a_partial_release_is_confirmed) {
    client_locks all;
    auto const one = all.hold(ann, at(0s));
    auto const second = all.take(one, at(0s));
    auto const what = all.release(one, second.number, at(5s));
    all.table.confirmed(one, what.lease, at(5s));
    EXPECT_EQ(ms(one->validity()), 34'700);
    EXPECT_EQ(ms(all.table.keeper.next()), 15'000);
}

// --- the last release

TEST(lock_table, ends_renewal_before_the_last_release_is_sent_and_takes_no_later_answer) {
    client_locks all;
    auto const one = all.hold(ann, at(0s));
    lease_keeper::effects sent;
    all.table.keeper.on_timer(at(10s), sent);
    ASSERT_EQ(sent.renew.size(), 1U);
    EXPECT_EQ(all.release(one, one->levels[0].number, at(10s)).what, plan::last);
    EXPECT_EQ(all.table.keeper.size(), 0U);
    EXPECT_EQ(ms(all.table.keeper.next()), at_no_time);
    for (std::vector<std::int64_t> const& named : {std::vector<std::int64_t>{}, {1}}) {
        lease_keeper::effects found;
        all.table.keeper.on_answer(sent.renew[0], named, 30s, at(10s), found);
        all.table.apply(found, at(11s), all.woken);
    }
    EXPECT_TRUE(one->in(phase::releasing));
    EXPECT_EQ(ms(one->validity()), 29'700);
    EXPECT_THAT(all.news(), IsEmpty()) << "the server does not find what we are releasing: that is no loss";
    EXPECT_EQ(all.table.counted.lost, 0U);
}

TEST(lock_table, has_nothing_left_to_do_when_the_last_release_is_through) {
    client_locks all;
    auto const one = all.hold(ann, at(0s));
    all.release(one, one->levels[0].number, at(1s));
    all.table.released(one, true, at(1s));
    EXPECT_TRUE(one->in(phase::ended));
    EXPECT_EQ(all.table.counted.released, 1U);
    EXPECT_EQ(all.table.dead.size(), 0U);
}

TEST(lock_table, sweeps_behind_a_release_when_a_copy_of_the_acquire_may_come_late) {
    client_locks all;
    auto const one = all.table.open(all.record, ann);
    one->late_copy_possible = true;
    auto const first = all.take(one, at(0s));
    all.release(one, first.number, at(1s));
    all.table.released(one, true, at(1s));
    EXPECT_EQ(ms(all.table.dead.next()), 2'000);
    EXPECT_THAT(all.reaped(at(2s)), ElementsAre("uuid:1"));
    all.table.dead.on_answer(1, false, at(2s));
    EXPECT_EQ(ms(all.table.dead.next()), 6'000);
}

TEST(lock_table, has_the_message_of_a_release_sent_that_may_not_have_been) {
    client_locks all;
    auto const one = all.hold(ann, at(0s));
    all.release(one, one->levels[0].number, at(1s));
    all.table.released(one, false, at(1s));
    EXPECT_EQ(all.table.counted.released, 1U);
    auto const jobs = all.table.dead.on_timer(at(1s));
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_TRUE(jobs[0].announce);
    all.table.dead.on_answer(jobs[0].number, false, at(1s));
    EXPECT_EQ(all.table.dead.size(), 0U);
}

TEST(lock_table, sees_a_release_without_an_answer_through) {
    client_locks all;
    auto const one = all.hold(ann, at(0s));
    all.release(one, one->levels[0].number, at(1s));
    all.table.hand_to_reaper(one, at(4s));
    EXPECT_TRUE(one->in(phase::ended));
    EXPECT_THAT(all.reaped(at(4s)), ElementsAre("uuid:1"));
}

TEST(lock_table, wakes_a_client_that_closes_when_the_last_release_has_ended) {
    client_locks all;
    auto const closer = make_sleeper();
    all.table.closer = closer;
    auto const one = all.hold(ann, at(0s));
    auto const two = all.hold(bob, at(0s));
    all.release(one, one->levels[0].number, at(1s));
    all.release(two, two->levels[0].number, at(1s));
    all.table.released(one, true, at(2s));
    all.table.end_release(all.woken);
    EXPECT_EQ(all.table.releases_under_way, 1);
    EXPECT_TRUE(all.woken.empty());
    all.table.hand_to_reaper(two, at(2s));
    all.table.end_release(all.woken);
    all.woken.wake_all();
    EXPECT_EQ(all.table.releases_under_way, 0);
    EXPECT_EQ(closer->times, 1);
}

// --- loss

TEST(lock_table, loses_once_and_for_all) {
    client_locks all;
    auto const one = all.hold(ann, at(0s));
    all.lose(one, at(5s));
    all.lose(one, at(6s));
    EXPECT_TRUE(one->in(phase::lost));
    EXPECT_EQ(all.table.counted.lost, 1U);
    EXPECT_THAT(all.news(), ElementsAre(notice::lost));
    EXPECT_EQ(all.table.keeper.size(), 0U);
    EXPECT_EQ(all.table.current(*all.record, ann), nullptr) << "a new acquisition is a new tenure";
    EXPECT_EQ(all.table.holder(*all.record, at(5s)), nullptr);
}

TEST(lock_table, does_not_revive_a_lost_tenure_by_a_reentry_that_comes_later) {
    client_locks all;
    auto const one = all.hold(ann, at(0s));
    all.lose(one, at(5s));
    EXPECT_FALSE(all.table.take(one, {0, 30s, true, false}, at(4s), base::never).has_value());
    all.table.confirmed(one, 30s, at(4s));
    EXPECT_TRUE(one->in(phase::lost));
    EXPECT_EQ(one->levels.size(), 1U);
    EXPECT_EQ(all.table.keeper.size(), 0U);
    EXPECT_EQ(ms(one->validity()), 5'000) << "it ended with the loss";
}

TEST(lock_table, is_not_suspect_any_more_when_the_level_that_was_renewed_has_ended) {
    client_locks all;
    auto const one = all.hold(ann, at(0s));
    auto const renewed = one->levels[0].number;
    all.take(one, at(0s), 60s);
    lease_keeper::effects found;
    all.table.keeper.on_timer(at(15s), found);
    all.table.apply(found, at(15s), all.woken);
    EXPECT_TRUE(one->suspect) << "its renewal is overdue";
    all.table.take_notices();
    EXPECT_EQ(all.release(one, renewed, at(16s)).what, plan::partial);
    EXPECT_FALSE(one->suspect) << "a fixed lease is never overdue";
    EXPECT_THAT(all.news(), ElementsAre(notice::recovered));
    lease_keeper::effects later;
    all.table.keeper.on_timer(at(20s), later);
    EXPECT_THAT(later.suspect, IsEmpty());
}

TEST(lock_table, leaves_the_key_of_a_lost_hold_for_its_margin_and_releases_it_then) {
    client_locks all;
    auto const one = all.hold(ann, at(0s));
    all.lose(one, at(5s));
    EXPECT_EQ(ms(all.table.dead.next()), 5'300);
    EXPECT_THAT(all.reaped(at(5'300ms)), ElementsAre("uuid:1"));
}

TEST(lock_table, says_lost_for_every_level_of_a_lost_tenure_and_releases_nothing) {
    client_locks all;
    auto const one = all.hold(ann, at(0s));
    auto const second = all.take(one, at(0s));
    auto const first_number = one->levels[0].number;
    all.lose(one, at(5s));
    EXPECT_EQ(all.release(one, second.number, at(6s)).what, plan::lost);
    EXPECT_THAT(all.record->tenures, ElementsAre(one)) << "its other level is not given back";
    EXPECT_EQ(all.release(one, first_number, at(6s)).what, plan::lost);
    EXPECT_EQ(all.release(one, first_number, at(6s)).what, plan::nothing);
    EXPECT_THAT(all.record->tenures, IsEmpty());
    EXPECT_EQ(all.table.counted.lost, 1U);
}

TEST(lock_table, finds_at_the_release_that_validity_is_over_before_the_timer_does) {
    client_locks all;
    auto const one = all.hold(ann, at(0s), 5s);
    EXPECT_EQ(all.release(one, one->levels[0].number, at(4'950ms)).what, plan::lost);
    EXPECT_TRUE(one->in(phase::lost));
    EXPECT_THAT(all.news(), ElementsAre(notice::lost));
    EXPECT_EQ(all.table.dead.size(), 1U);
}

TEST(lock_table, does_not_lose_what_is_only_being_acquired_or_released) {
    client_locks all;
    auto const acquiring = all.table.open(all.record, ann);
    all.lose(acquiring, at(0s));
    EXPECT_TRUE(acquiring->in(phase::acquiring));
    auto const releasing = all.hold(bob, at(0s));
    all.release(releasing, releasing->levels[0].number, at(1s));
    all.lose(releasing, at(1s));
    EXPECT_TRUE(releasing->in(phase::releasing));
    EXPECT_THAT(all.news(), IsEmpty());
    EXPECT_EQ(all.table.dead.size(), 0U);
}

TEST(lock_table, tells_the_local_head_that_relied_on_a_hold_whoever_finds_its_loss) {
    client_locks all;
    for (int finder = 0; finder < 3; ++finder) {
        auto const one = all.hold(ann, at(0s), 5s);
        auto const sleeper = make_sleeper();
        auto const waiter = std::make_shared<locking::waiter>(sleeper);
        all.record->queue.enter(waiter);
        if (finder == 0) all.lose(one, at(1s));
        if (finder == 1) all.release(one, one->levels[0].number, at(5s));
        if (finder == 2) {
            lease_keeper::effects found;
            all.table.keeper.on_timer(at(5s), found);
            all.table.apply(found, at(5s), all.woken);
            all.woken.wake_all();
        }
        EXPECT_TRUE(one->in(phase::lost));
        EXPECT_TRUE(waiter->released) << finder;
        EXPECT_EQ(sleeper->times, 1) << finder;
        all.record->queue.leave(waiter, all.woken);
    }
}

TEST(lock_table, makes_the_local_head_ask_anew_although_it_yields) {
    client_locks all;
    all.record->queue.tell_head(all.woken); // nobody waits
    auto const sleeper = make_sleeper();
    auto const head = std::make_shared<locking::waiter>(sleeper);
    auto const other = make_sleeper();
    auto const second = std::make_shared<locking::waiter>(other);
    all.record->queue.enter(head);
    all.record->queue.enter(second);
    head->told_to_yield = true;
    all.record->queue.tell_head(all.woken);
    all.woken.wake_all();
    EXPECT_TRUE(head->released && !head->told_to_yield);
    EXPECT_EQ(sleeper->times, 1);
    EXPECT_FALSE(second->released);
    EXPECT_EQ(other->times, 0);
}

TEST(lock_table, hurries_a_head_that_yields_and_no_other) {
    client_locks all;
    all.record->queue.hurry_head(all.woken); // nobody waits
    auto const sleeper = make_sleeper();
    auto const head = std::make_shared<locking::waiter>(sleeper);
    all.record->queue.enter(head);
    all.record->queue.hurry_head(all.woken);
    all.woken.wake_all();
    EXPECT_FALSE(head->released);
    head->yields = true;
    all.record->queue.hurry_head(all.woken);
    all.woken.wake_all();
    EXPECT_TRUE(head->released);
    EXPECT_EQ(sleeper->times, 1);
    all.record->queue.leave(head, all.woken);
}

TEST(lock_table, tells_what_the_keeper_found) {
    client_locks all;
    auto const one = all.hold(ann, at(0s));
    lease_keeper::effects found;
    all.table.keeper.on_timer(at(10s), found);
    auto const sent = found.renew.at(0);
    found = {};
    all.table.keeper.on_timer(at(15s), found);
    all.table.apply(found, at(15s), all.woken);
    EXPECT_THAT(all.news(), ElementsAre(notice::suspect));
    found = {};
    all.table.keeper.on_answer(sent, {}, 30s, at(10s), found);
    all.table.apply(found, at(16s), all.woken);
    EXPECT_THAT(all.news(), ElementsAre(notice::recovered));
    EXPECT_FALSE(all.table.has_notices());
    EXPECT_TRUE(one->holds(at(16s)));
}

TEST(lock_table, loses_at_max_hold_although_the_server_would_renew) {
    client_locks all;
    auto const one = all.table.open(all.record, ann);
    all.take(one, at(0s), std::nullopt, at(12s));
    EXPECT_EQ(ms(one->validity()), 12'000);
    lease_keeper::effects found;
    all.table.keeper.on_timer(at(12s), found);
    all.table.apply(found, at(12s), all.woken);
    EXPECT_TRUE(one->in(phase::lost));
    EXPECT_EQ(ms(all.table.dead.next()), 12'300) << "the key lives longer: the reaper ends it";
}

TEST(lock_table, keeps_an_outer_hold_when_the_answer_to_the_release_of_a_shorter_one_never_comes) {
    client_locks all;
    auto const one = all.hold(ann, at(0s));
    auto const inner = all.take(one, at(0s), std::nullopt, at(5s));
    EXPECT_EQ(ms(one->validity()), 5'000);
    all.release(one, inner.number, at(1s));
    lease_keeper::effects found;
    all.table.keeper.on_timer(at(1s), found);
    ASSERT_EQ(found.renew.size(), 1U) << "its validity was cut short, so it is renewed at once";
    lease_keeper::effects answered;
    all.table.keeper.on_answer(found.renew[0], {}, 30s, at(1s), answered);
    EXPECT_EQ(ms(one->validity()), 30'700);
}

} // namespace
} // namespace redlatch::locking
