#include "connection/standstill.hpp"
#include "scripted/virtual_time.hpp"

#include <gtest/gtest.h>
#include <initializer_list>

namespace redlatch::connection {
namespace {

using namespace std::chrono_literals;
using scripted::at;

constexpr char const* oom = "OOM command not allowed when used memory > 'maxmemory'.";
constexpr char const* misconf = "MISCONF Redis is configured to save RDB snapshots";
constexpr char const* read_only = "READONLY You can't write against a read only replica.";

TEST(standstill, is_told_once_when_it_begins_and_once_when_it_ends) {
    standstill one(1s, 1);
    EXPECT_EQ(one.since(), base::never);
    EXPECT_TRUE(one.on_refused(oom, at(1s), at(1s)));
    EXPECT_FALSE(one.on_refused(oom, at(2s), at(2s)));
    EXPECT_EQ(one.since(), at(1s));
    EXPECT_EQ(one.said(), oom);
    EXPECT_TRUE(one.on_written(at(3s), true));
    EXPECT_FALSE(one.on_written(at(4s), true));
    EXPECT_EQ(one.since(), base::never);
    EXPECT_TRUE(one.on_refused(oom, at(5s), at(5s)));
    EXPECT_EQ(one.since(), at(5s));
}

TEST(standstill, of_a_server_that_executed_nothing_is_over_with_any_answer) {
    standstill one(1s, 1);
    one.on_refused("LOADING Redis is loading the dataset in memory", at(1s), at(2s));
    EXPECT_FALSE(one.on_executed(at(1500ms))) << "sent before the refusal came";
    EXPECT_TRUE(one.on_executed(at(3s)));
    EXPECT_FALSE(one.on_executed(at(4s)));
    EXPECT_EQ(one.since(), base::never);
}

TEST(standstill, makes_nobody_wait_while_the_server_answers_what_changes_nothing) {
    standstill one(1s, 1);
    EXPECT_TRUE(one.on_refused(oom, at(1s), at(1s)));
    EXPECT_FALSE(one.on_executed(at(1100ms))) << "it may still refuse what writes";
    EXPECT_EQ(one.since(), base::never) << "no outage";
    EXPECT_EQ(one.next_write(at(1101ms)), at(1101ms));
    EXPECT_EQ(one.next_write(at(1101ms)), at(1101ms));
    EXPECT_FALSE(one.on_refused(oom, at(5s), at(5s))) << "told already";
    EXPECT_EQ(one.since(), at(5s)) << "counted from there";
    EXPECT_GT(one.next_write(at(5s)), at(5s));
    EXPECT_TRUE(one.on_written(at(6s), true));
}

/// What changes nothing is answered all the time; that it was would hide an outage for ever.
TEST(standstill, goes_on_where_a_write_is_refused_again_soon) {
    standstill one(1s, 1);
    one.on_refused(oom, at(1s), at(1s));
    for (auto now = at(2s); now < at(30s); now += 1s) {
        EXPECT_FALSE(one.on_executed(now - 500ms));
        EXPECT_FALSE(one.on_refused(oom, now, now));
        EXPECT_EQ(one.since(), at(1s));
    }
    EXPECT_GT(one.next(), at(29s) + 500ms) << "the pauses grow";
}

TEST(standstill, keeps_nobody_waiting_while_the_server_works) {
    standstill one(1s, 1);
    for (auto const now : {at(0s), at(0s), at(1s)}) EXPECT_EQ(one.next_write(now), now);
}

TEST(standstill, lets_one_try_for_all_and_the_next_one_after_another_pause) {
    standstill one(1s, 1);
    one.on_refused(oom, at(1s), at(1s));
    auto const due = one.next();
    EXPECT_GE(due, at(1050ms));
    EXPECT_LE(due, at(1100ms));
    EXPECT_EQ(one.next_write(due - 1ns), due);
    EXPECT_EQ(one.next_write(due), due) << "this one tries";
    auto const then = one.next_write(due);
    EXPECT_GT(then, due) << "the others do not";
    EXPECT_EQ(one.next_write(then), then) << "its answer never came: another one tries";
}

TEST(standstill, tries_ever_more_seldom_but_never_more_seldom_than_it_may) {
    standstill one(1s, 1);
    auto now = at(0s);
    int tries = 0;
    for (; now < at(60s); ++tries) {
        one.on_refused(oom, now, now);
        EXPECT_LE(one.next(), now + 1s);
        now = one.next();
    }
    EXPECT_GE(tries, 60);
    EXPECT_LE(tries, 125) << "between half a second and a second, but for the first ones";
}

TEST(standstill, counts_refusals_of_what_was_sent_together_once) {
    standstill one(10s, 1);
    for (int i = 0; i < 100; ++i) one.on_refused(oom, at(1s), at(1s) + i * 1us);
    EXPECT_LE(one.next(), at(1100ms));
}

TEST(standstill, does_not_end_by_what_was_written_before_it_began) {
    standstill one(1s, 1);
    one.on_refused(oom, at(1s), at(2s));
    EXPECT_FALSE(one.on_written(at(1s), true));
    EXPECT_EQ(one.since(), at(2s));
}

TEST(standstill, for_want_of_memory_does_not_end_by_a_write_that_needs_none) {
    standstill memory(1s, 1);
    memory.on_refused(oom, at(1s), at(1s));
    EXPECT_FALSE(memory.on_written(at(2s), false));
    standstill disk(1s, 1);
    disk.on_refused(misconf, at(1s), at(1s));
    EXPECT_TRUE(disk.on_written(at(2s), false));
}

TEST(standstill, asks_a_new_connection_at_once_unless_it_was_made_because_of_the_refusal) {
    standstill full(1s, 1);
    full.on_refused(oom, at(1s), at(1s));
    full.on_connected();
    EXPECT_EQ(full.next_write(at(1s)), at(1s));
    EXPECT_GT(full.next_write(at(1s)), at(1s)) << "by one for all";
    standstill replica(1s, 1);
    replica.on_refused(read_only, at(1s), at(1s));
    replica.on_connected();
    EXPECT_GT(replica.next_write(at(1s)), at(1s));
}

} // namespace
} // namespace redlatch::connection
