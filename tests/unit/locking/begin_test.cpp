// What an owner finds who begins to acquire, and what the head of the local queue finds when it looks.
#include "client_locks.hpp"
#include "locking/recipes/recipes.hpp"

#include <gmock/gmock.h>

namespace redlatch::locking {
namespace {

using kind = lock_table::beginning::kind;

struct beginning : client_locks {
    level const asked{0, 30s, true, false};
    lock_table::beginning begin(std::uint64_t owner, base::instant now) {
        auto out = table.begin(record, owner, asked, now, woken);
        woken.wake_all();
        return out;
    }
};

TEST(beginning, of_an_owner_that_has_nothing_opens_a_tenure_in_whose_operation_no_other_one_runs) {
    beginning all;
    auto const first = all.begin(ann, at(0s));
    EXPECT_EQ(first.what, kind::fresh);
    EXPECT_EQ(first.tenure->owner_id(), "uuid:1");
    EXPECT_TRUE(first.tenure->in_operation);
    auto const second = all.begin(ann, at(0s));
    EXPECT_EQ(second.what, kind::owner_busy);
    EXPECT_EQ(second.tenure, first.tenure);
    EXPECT_EQ(all.begin(bob, at(0s)).what, kind::fresh);
}

TEST(beginning, of_the_holder_is_a_reentry_of_the_same_tenure) {
    beginning all;
    auto const held = all.hold(ann, at(0s));
    auto const again = all.begin(ann, at(1s));
    EXPECT_EQ(again.what, kind::reentry);
    EXPECT_EQ(again.tenure, held);
    EXPECT_TRUE(held->in_operation);
}

TEST(beginning, of_the_holder_again_takes_a_token_if_it_has_none_yet) {
    client_locks all;
    auto const one = all.table.open(all.record, ann);
    auto const enter = [&](std::uint64_t token) {
        all.table.take(one, {0, 30s, true, false}, at(0s), base::never, token);
        return one->token;
    };
    EXPECT_EQ(enter(0), 0U);
    EXPECT_EQ(enter(7), 7U) << "a re-entry that asks takes one";
    EXPECT_EQ(enter(0), 7U);
    EXPECT_EQ(enter(8), 7U) << "of the kinds that count each re-entry";
}

TEST(beginning, of_the_holder_of_a_lock_that_is_not_reentrant_begins_nothing) {
    beginning all;
    all.record = all.table.records.get("rows", non_reentrant_recipe);
    auto const held = all.hold(ann, at(0s));
    auto const again = all.begin(ann, at(1s));
    EXPECT_EQ(again.what, kind::not_again);
    EXPECT_EQ(again.tenure, held);
    EXPECT_FALSE(held->in_operation);
    EXPECT_TRUE(held->in(phase::held)) << "nothing was changed";
    EXPECT_EQ(all.begin(bob, at(1s)).what, kind::fresh) << "it waits for the holder";
    EXPECT_EQ(all.begin(ann, held->validity()).what, kind::fresh) << "that hold is over";
}

TEST(beginning, while_the_owner_asks_for_a_lock_that_is_not_reentrant_waits_for_the_answer) {
    beginning all;
    all.record = all.table.records.get("rows", non_reentrant_recipe);
    EXPECT_EQ(all.begin(ann, at(0s)).what, kind::fresh);
    EXPECT_EQ(all.begin(ann, at(0s)).what, kind::owner_busy) << "it may not get it";
}

TEST(beginning, of_a_candidate_has_its_name_behind_every_id_that_it_gets) {
    beginning all;
    all.record = all.table.records.get("reports", election_recipe);
    auto const first = all.table.begin(all.record, ann, all.asked, at(0s), all.woken, ":web:7");
    EXPECT_EQ(first.tenure->owner_id(), "uuid:1:web:7");
    all.table.change_id(first.tenure, 30s, at(0s));
    EXPECT_EQ(first.tenure->owner_id(), "uuid:2:web:7");
}

TEST(beginning, of_an_owner_whose_hold_has_ended_loses_that_one_and_is_fresh) {
    beginning all;
    auto const held = all.hold(ann, at(0s));
    auto const anew = all.begin(ann, held->validity());
    EXPECT_EQ(anew.what, kind::fresh);
    EXPECT_NE(anew.tenure, held);
    EXPECT_TRUE(held->in(phase::lost));
    EXPECT_THAT(all.news(), ::testing::ElementsAre(notice::lost));
}

TEST(beginning, knows_that_the_lock_is_busy_by_the_servers_last_word_and_while_other_processes_listen) {
    beginning all;
    EXPECT_FALSE(all.begin(ann, at(0s)).known_busy);
    all.record->contend()->busy_until = at(5s);
    EXPECT_TRUE(all.begin(bob, at(5s) - 1ns).known_busy);
    EXPECT_FALSE(all.begin(cid, at(5s)).known_busy);
    all.record->contend()->turn.on_released(1, {}, at(6s));
    EXPECT_TRUE(all.begin(4, at(6s)).known_busy);
}

struct beginning_of_halves : client_halves {
    lock_table::beginning begin(record_ptr const& half, std::uint64_t owner, base::instant now) {
        return table.begin(half, owner, {0, 30s, true, false}, now, woken);
    }
};

TEST(beginning, to_read_knows_what_the_same_owner_writes) {
    beginning_of_halves all;
    auto const writing = all.hold(all.writes, ann, at(0s));
    EXPECT_EQ(writing->owner_id(), "uuid:1:write");
    auto const beside = all.begin(all.reads, ann, at(1s));
    EXPECT_EQ(beside.what, kind::fresh);
    EXPECT_EQ(beside.tenure->owner_id(), "uuid:2") << "an id of its own";
    EXPECT_EQ(all.table.counterpart(*all.reads, ann, at(1s)), writing);
    EXPECT_EQ(all.table.counterpart(*all.reads, bob, at(1s)), nullptr);
    EXPECT_EQ(all.begin(all.reads, cid, at(1s)).what, kind::fresh);
    EXPECT_EQ(all.begin(all.writes, ann, at(1s)).what, kind::reentry);
}

TEST(beginning, to_read_knows_nothing_of_a_write_hold_that_is_over) {
    beginning_of_halves all;
    auto const writing = all.hold(all.writes, ann, at(0s));
    EXPECT_EQ(all.table.counterpart(*all.reads, ann, writing->validity()), nullptr);
}

TEST(beginning, to_write_of_an_owner_that_reads_begins_nothing) {
    beginning_of_halves all;
    auto const reading = all.hold(all.reads, ann, at(0s));
    auto const refused = all.begin(all.writes, ann, at(1s));
    EXPECT_EQ(refused.what, kind::upgrade);
    EXPECT_EQ(refused.tenure, reading);
    EXPECT_FALSE(reading->in_operation);
    EXPECT_TRUE(all.writes->tenures.empty());
    EXPECT_EQ(all.begin(all.writes, bob, at(1s)).what, kind::fresh) << "it waits for the reader";
    EXPECT_EQ(all.begin(all.writes, ann, reading->validity()).what, kind::fresh) << "that hold is over";
}

TEST(head, that_a_release_of_its_process_has_told_to_yield_looks_at_nothing_and_counts_messages_from_that_release_on) {
    client_locks all;
    auto const waiter = std::make_shared<locking::waiter>(make_sleeper());
    waiter->whose = all.table.open(all.record, bob);
    all.record->queue.enter(waiter);
    waiter->waits = true;
    channel_sample before;
    before.count = 7;
    all.record->queue.tell_head(all.woken, before);
    auto const found = all.table.look(waiter, at(1s), all.woken);
    EXPECT_EQ(found.what, lock_table::finding::kind::free);
    EXPECT_TRUE(found.must_yield);
    EXPECT_TRUE(found.told_to_yield);
    EXPECT_EQ(found.own_release.count, 7U);
    EXPECT_FALSE(waiter->waits) << "it is about to ask";
    EXPECT_EQ(waiter->asks_since, at(1s));
    EXPECT_FALSE(waiter->released);
    auto const next = all.table.look(waiter, at(2s), all.woken);
    EXPECT_FALSE(next.must_yield) << "once";
}

} // namespace
} // namespace redlatch::locking
