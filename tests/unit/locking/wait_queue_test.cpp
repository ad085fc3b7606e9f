#include "locking/wait_queue.hpp"
#include "scripted/wake_counter.hpp"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

namespace redlatch::locking {
namespace {

struct waiting_line {
    wait_queue queue;
    base::wake_list woken;
    std::vector<std::shared_ptr<scripted::wake_counter>> sleepers;
    std::vector<waiter_ptr> waiters;

    explicit waiting_line(std::size_t length) {
        for (std::size_t i = 0; i < length; ++i) {
            sleepers.push_back(scripted::make_sleeper());
            waiters.push_back(std::make_shared<locking::waiter>(sleepers.back()));
            EXPECT_EQ(queue.enter(waiters.back()), i == 0);
        }
    }
    void leave(std::size_t which) {
        queue.leave(waiters[which], woken);
        woken.wake_all();
    }
    /// 'h' at the head, 'w' waiting; one letter for each.
    std::string picture() const {
        std::string all;
        for (auto const& one : waiters) all.push_back(one->at_head ? 'h' : 'w');
        return all;
    }
};

TEST(wait_queue, makes_the_first_the_head_without_waking_it) {
    waiting_line line(3);
    EXPECT_EQ(line.picture(), "hww");
    EXPECT_EQ(line.queue.head(), line.waiters[0]);
    EXPECT_TRUE(line.queue.has_second());
    EXPECT_EQ(line.sleepers[0]->times, 0) << "it is awake: it has just come";
}

TEST(wait_queue, serves_first_come_first) {
    waiting_line line(4);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(line.queue.head(), line.waiters[i]);
        line.leave(i);
        for (std::size_t other = 1; other < 4; ++other) EXPECT_EQ(line.sleepers[other]->times, other <= i + 1 ? 1 : 0);
    }
    EXPECT_TRUE(line.queue.empty());
    EXPECT_FALSE(line.queue.has_second());
    EXPECT_EQ(line.queue.head(), nullptr);
}

TEST(wait_queue, lets_anybody_leave_from_the_middle_without_waking_anybody) {
    waiting_line line(3);
    line.leave(1);
    EXPECT_EQ(line.queue.head(), line.waiters[0]);
    EXPECT_TRUE(line.queue.has_second());
    for (auto const& one : line.sleepers) EXPECT_EQ(one->times, 0);
    line.leave(0);
    EXPECT_EQ(line.queue.head(), line.waiters[2]);
    EXPECT_EQ(line.sleepers[1]->times, 0) << "who left is not woken";
    EXPECT_EQ(line.sleepers[2]->times, 1);
}

TEST(wait_queue, takes_no_notice_of_one_that_left_before) {
    waiting_line line(2);
    line.leave(0);
    line.leave(0);
    EXPECT_EQ(line.queue.head(), line.waiters[1]);
    EXPECT_EQ(line.sleepers[1]->times, 1);
    wait_queue empty;
    empty.leave(line.waiters[0], line.woken);
    EXPECT_TRUE(empty.empty());
}

TEST(wait_queue, has_a_new_head_when_somebody_comes_after_all_have_left) {
    waiting_line line(1);
    line.leave(0);
    auto const late = std::make_shared<locking::waiter>(scripted::make_sleeper());
    EXPECT_TRUE(line.queue.enter(late));
    EXPECT_TRUE(late->at_head);
}

/// Whoever comes and leaves in whatever order: as a plain list has it.
TEST(wait_queue, is_in_the_order_of_arrival) {
    std::minstd_rand random(1);
    for (int round = 0; round < 200; ++round) {
        wait_queue queue;
        base::wake_list woken;
        std::vector<waiter_ptr> expected;
        for (int step = 0; step < 40; ++step) {
            if (random() % 2 == 0 || expected.empty()) {
                expected.push_back(std::make_shared<locking::waiter>(scripted::make_sleeper()));
                EXPECT_EQ(queue.enter(expected.back()), expected.size() == 1);
            } else {
                auto const gone = expected.begin() + static_cast<std::ptrdiff_t>(random() % expected.size());
                queue.leave(waiter_ptr(*gone), woken);
                expected.erase(gone);
            }
            std::vector<waiter_ptr> found;
            for (auto one = queue.head(); one; one = one->next) found.push_back(one);
            ASSERT_EQ(found, expected) << "after step " << step << " of round " << round;
            ASSERT_EQ(queue.has_second(), expected.size() > 1);
        }
        woken.wake_all();
    }
}

TEST(wait_queue, lets_go_of_very_many_at_its_end) {
    std::vector<std::weak_ptr<locking::waiter>> all;
    {
        wait_queue queue;
        auto const sleeper = scripted::make_sleeper();
        for (int i = 0; i < 200'000; ++i) {
            auto const one = std::make_shared<locking::waiter>(sleeper);
            all.emplace_back(one);
            queue.enter(one);
        }
    }
    EXPECT_TRUE(std::all_of(all.begin(), all.end(), [](auto const& one) { return one.expired(); }));
}

TEST(wait_queue, wakes_all_of_them_when_it_closes) {
    waiting_line line(3);
    line.queue.wake_all(line.woken);
    line.woken.wake_all();
    for (auto const& one : line.sleepers) EXPECT_EQ(one->times, 1);
    EXPECT_EQ(line.picture(), "hww") << "nobody was moved";
}

/// Whoever leaves first, second and third of four: the rest is served in order, each told once.
TEST(wait_queue, keeps_its_order_whoever_leaves) {
    for (std::size_t first = 0; first < 4; ++first) {
        for (std::size_t second = 0; second < 4; ++second) {
            if (second == first) continue;
            SCOPED_TRACE(std::to_string(first) + " leaves, then " + std::to_string(second));
            waiting_line line(4);
            line.leave(first);
            line.leave(second);
            std::size_t next = 0;
            while (next == first || next == second) ++next;
            EXPECT_EQ(line.queue.head(), line.waiters[next]);
            EXPECT_TRUE(line.waiters[next]->at_head);
            for (std::size_t i = 0; i < 4; ++i)
                EXPECT_EQ(line.sleepers[i]->times, i > 0 && line.waiters[i]->at_head ? 1 : 0) << i;
        }
    }
}

// --- permits

struct permits_line : waiting_line {
    explicit permits_line(std::vector<std::int64_t> const& amounts) : waiting_line(amounts.size()) {
        for (std::size_t i = 0; i < amounts.size(); ++i) waiters[i]->amount = amounts[i];
    }
    void come(std::int64_t permits) {
        queue.tell_first(permits, woken);
        woken.wake_all();
    }
    void takes(std::size_t which, std::int64_t left, channel_sample const& heard = {},
               base::instant back_at = base::never) {
        queue.leave_with(waiters[which], {.left = left, .back_at = back_at, .heard = heard}, woken);
        woken.wake_all();
    }
    void finds_none(std::size_t which) { wait_queue::found_none(*waiters[which]); }
    /// What has been told to each.
    std::vector<std::int64_t> told() const {
        std::vector<std::int64_t> out;
        for (auto const& one : waiters) out.push_back(one->told_of);
        return out;
    }
    using all = std::vector<std::int64_t>;
};

TEST(wait_queue, tells_as_many_as_there_are_permits) {
    permits_line line({1, 1, 1, 1});
    line.come(1);
    EXPECT_EQ(line.told(), (permits_line::all{1, 0, 0, 0}));
    line.come(2);
    EXPECT_EQ(line.told(), (permits_line::all{1, 1, 1, 0})) << "the first one asks already";
    EXPECT_EQ(line.sleepers[2]->times, 1);
}

TEST(wait_queue, tells_the_first_even_of_too_few_and_nobody_past_one_who_wants_more) {
    permits_line line({5, 1, 1});
    line.come(2);
    EXPECT_EQ(line.told(), (permits_line::all{2, 0, 0}));
    permits_line other({1, 3, 1});
    other.come(3);
    EXPECT_EQ(other.told(), (permits_line::all{1, 0, 0})) << "two are left, and the second one wants three";
}

TEST(wait_queue, tells_the_first_again_where_all_ask) {
    permits_line line({1});
    line.come(1);
    line.waiters[0]->released = false; // it asks
    line.come(1);
    EXPECT_TRUE(line.waiters[0]->released) << "it may have asked before these came";
    line.finds_none(0);
    EXPECT_TRUE(line.waiters[0]->released) << "by that answer";
}

TEST(wait_queue, tells_one_that_was_told_of_too_few_before_those_behind_it) {
    permits_line line({2, 5});
    line.come(1);
    line.waiters[0]->released = false; // it asks
    line.come(1);
    EXPECT_TRUE(line.waiters[0]->released) << "it may have asked before the second one came";
    EXPECT_EQ(line.told(), (permits_line::all{2, 0}));
    line.finds_none(0);
    EXPECT_TRUE(line.waiters[0]->released) << "by that answer";
    EXPECT_EQ(line.told(), (permits_line::all{2, 0}));
    line.come(3);
    EXPECT_EQ(line.told(), (permits_line::all{2, 3})) << "the first one of them in any case";
}

TEST(wait_queue, who_takes_the_last_permits_leaves_a_head_that_has_heard_nothing) {
    permits_line line({1, 1});
    auto const soon = base::instant(base::milliseconds(9));
    line.takes(0, 0, {.count = 7, .subscribed = true}, soon);
    EXPECT_EQ(line.picture(), "hh");
    EXPECT_EQ(line.waiters[1]->back_at, soon);
    EXPECT_TRUE(line.waiters[1]->none_left);
    EXPECT_EQ(line.waiters[1]->sample.count, 7U);
    EXPECT_EQ(line.waiters[1]->told_of, 0);

    permits_line deaf({1, 1});
    deaf.takes(0, 0);
    EXPECT_FALSE(deaf.waiters[1]->none_left) << "nobody listened";
}

TEST(wait_queue, who_leaves_without_permits_does_not_say_that_there_are_none) {
    permits_line line({1, 1});
    line.leave(0);
    EXPECT_EQ(line.queue.head(), line.waiters[1]);
    EXPECT_FALSE(line.waiters[1]->none_left);
}

TEST(wait_queue, who_finds_more_permits_tells_those_that_nobody_told) {
    permits_line line({1, 1, 1});
    line.takes(0, 2, {.count = 7, .subscribed = true});
    EXPECT_EQ(line.told(), (permits_line::all{0, 1, 1}));
    EXPECT_FALSE(line.waiters[1]->none_left);

    permits_line other({1, 1, 1});
    other.come(2);
    other.waiters[0]->released = false; // it asks, and gets one
    other.takes(0, 1);
    EXPECT_EQ(other.told(), (permits_line::all{1, 1, 0})) << "what is left is what the second one was told of";
}

TEST(wait_queue, nobody_knows_when_more_come_where_something_was_left_for_others) {
    permits_line line({1, 1, 1});
    line.come(3);
    line.waiters[0]->released = false; // it asks, and gets one
    line.waiters[1]->told_of = 0;      // it has found them taken
    line.takes(0, 1, {.count = 7, .subscribed = true});
    EXPECT_EQ(line.picture(), "hhw");
    EXPECT_FALSE(line.waiters[1]->none_left) << "the last one takes it";
}

/// Its answer has come before the permits, and is looked at behind what the others did with them.
TEST(wait_queue, who_was_told_before_asks_again_where_the_others_counted_on_it) {
    permits_line line({1, 1});
    line.come(2);
    for (auto const& one : line.waiters) one->asks();
    line.finds_none(0); // others were faster; the second one does not know it yet
    line.come(2);
    EXPECT_EQ(line.told(), (permits_line::all{2, 1}));
    line.waiters[0]->asks(); // and gets one
    line.takes(0, 1);
    EXPECT_FALSE(line.waiters[1]->released) << "what is left is what it was told of";
    line.finds_none(1);
    EXPECT_TRUE(line.waiters[1]->released) << "by an answer from before that";
    line.waiters[1]->asks();
    line.finds_none(1);
    EXPECT_FALSE(line.waiters[1]->released);
    EXPECT_EQ(line.waiters[1]->told_of, 0);
}

TEST(wait_queue, who_was_told_before_asks_again_where_one_behind_it_was_told_in_its_place) {
    permits_line line({1, 5});
    line.come(1);
    line.waiters[0]->asks();
    line.come(1);
    EXPECT_EQ(line.told(), (permits_line::all{1, 1}));
    line.finds_none(0);
    EXPECT_TRUE(line.waiters[0]->released) << "one is too few for the other one";
    line.waiters[0]->asks();
    line.finds_none(0);
    EXPECT_FALSE(line.waiters[0]->released) << "once";
}

TEST(wait_queue, what_came_too_late_for_one_is_for_the_next) {
    permits_line line({1, 1});
    line.come(1); // after it has asked: it gets another one
    line.takes(0, 0);
    EXPECT_EQ(line.waiters[1]->told_of, 1);
    EXPECT_TRUE(line.waiters[1]->released);
}

} // namespace
} // namespace redlatch::locking
