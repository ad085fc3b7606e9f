// What becomes of a hold when the server gives its lock to another owner of the same process.
#include "client_locks.hpp"
#include "locking/recipes/recipes.hpp"

#include <gmock/gmock.h>

namespace redlatch::locking {
namespace {

using finds = lock_table::finding::kind;
constexpr std::uint64_t dan = 4;

TEST(lock_table, loses_who_held_it_when_the_server_gives_it_to_another_owner_of_this_process) {
    client_locks all;
    auto const before = all.hold(ann, at(0s));
    auto const next = all.table.open(all.record, bob);
    all.table.lose_others(next, at(5s), at(5s), all.woken);
    all.take(next, at(5s));
    EXPECT_TRUE(before->in(phase::lost));
    EXPECT_TRUE(next->in(phase::held));
    EXPECT_THAT(all.news(), ::testing::ElementsAre(notice::lost));
    all.table.lose_others(next, at(6s), at(6s), all.woken); // it enters again
    EXPECT_TRUE(next->in(phase::held));
}

TEST(lock_table, does_not_lose_who_got_it_after_the_call_of_another_owner_was_sent) {
    client_locks all;
    auto const late = all.table.open(all.record, bob);
    auto const holder = all.hold(ann, at(5s));
    all.table.lose_others(late, at(5s), at(6s), all.woken);
    EXPECT_TRUE(holder->in(phase::held)) << "the late answer may be of an earlier time";
}

TEST(lock_table, loses_nobody_who_shares_it) {
    client_locks all;
    all.record = all.table.records.get("rows", read_recipe);
    auto const one = all.hold(ann, at(0s));
    auto const two = all.hold(bob, at(0s));
    all.table.lose_others(all.table.open(all.record, cid), at(5s), at(5s), all.woken);
    EXPECT_TRUE(one->in(phase::held) && two->in(phase::held));
}

TEST(lock_table, loses_all_who_read_when_another_owner_writes_and_who_writes_when_another_one_reads) {
    client_halves all;
    auto const one = all.hold(all.reads, ann, at(0s));
    auto const two = all.hold(all.reads, bob, at(0s));
    auto const writing = all.table.open(all.writes, cid);
    all.table.lose_others(writing, at(5s), at(5s), all.woken);
    EXPECT_TRUE(one->in(phase::lost) && two->in(phase::lost));
    all.take(writing, at(5s));
    auto const reading = all.table.open(all.reads, ann);
    all.table.lose_others(reading, at(6s), at(6s), all.woken);
    EXPECT_TRUE(writing->in(phase::lost));
}

TEST(lock_table, keeps_what_an_owner_has_of_both_halves) {
    client_halves all;
    auto const writing = all.hold(all.writes, ann, at(0s));
    auto const reading = all.hold(all.reads, ann, at(1s));
    all.table.lose_others(reading, at(2s), at(2s), all.woken);
    all.table.lose_others(writing, at(3s), at(3s), all.woken);
    EXPECT_TRUE(writing->in(phase::held) && reading->in(phase::held));
}

TEST(lock_table, loses_by_force_what_was_held_before_and_not_what_came_after) {
    client_locks all;
    auto const before = all.hold(ann, at(0s));
    auto const after = all.hold(bob, at(5s));
    all.table.lose_all(*all.record, at(5s), at(6s), all.woken);
    EXPECT_TRUE(before->in(phase::lost));
    EXPECT_TRUE(after->in(phase::held));
}

// --- an id that has passed to another owner of the process is as old as it was

TEST(lock_table, loses_what_was_handed_off_when_the_server_gave_the_lock_to_another_owner_before) {
    first_of_two all;
    all.give_back(all.one, at(5s));
    ASSERT_EQ(all.look(all.head, at(5s)), finds::granted);
    auto const other = all.table.open(all.record, dan);
    all.table.lose_others(other, at(4s), at(6s), all.woken);
    EXPECT_TRUE(all.head.tenure->in(phase::lost)) << "its id was no longer there when the other call was carried out";
}

TEST(lock_table, loses_by_force_what_was_handed_off_meanwhile) {
    first_of_two all;
    all.give_back(all.one, at(5s));
    ASSERT_EQ(all.look(all.head, at(5s)), finds::granted);
    all.table.lose_all(*all.record, at(4s), at(6s), all.woken);
    EXPECT_TRUE(all.head.tenure->in(phase::lost));
}

TEST(lock_table, loses_by_force_what_is_being_handed_off) {
    first_of_two all;
    all.give_back(all.one, at(5s));
    all.table.lose_all(*all.record, at(4s), at(5s), all.woken);
    EXPECT_EQ(all.table.in_handoff(*all.record), nullptr);
    EXPECT_EQ(all.look(all.head, at(5s)), finds::free);
}

TEST(lock_table, asks_about_what_is_being_handed_off_too) {
    first_of_two all;
    all.give_back(all.one, at(5s));
    EXPECT_EQ(all.table.holder(*all.record, at(5s)), nullptr);
    EXPECT_THAT(all.table.holders(*all.record, at(5s)), ::testing::ElementsAre(all.one));
    EXPECT_THAT(all.table.holders(*all.record, all.one->validity()), ::testing::IsEmpty());
}

} // namespace
} // namespace redlatch::locking
