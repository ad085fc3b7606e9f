#include "locking/wait_queue.hpp"
#include "scripted/wake_counter.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace redlatch::locking {
namespace {

struct waiting_line {
    wait_queue queue;
    base::wake_list woken;
    std::vector<std::shared_ptr<scripted::wake_counter>> sleepers;
    std::vector<waiter_ptr> places;

    explicit waiting_line(std::size_t length) {
        for (std::size_t i = 0; i < length; ++i) {
            sleepers.push_back(scripted::make_sleeper());
            places.push_back(std::make_shared<locking::waiter>(sleepers.back()));
            EXPECT_EQ(queue.enter(places.back()), i == 0);
        }
    }
    void leave(std::size_t which) {
        queue.leave(places[which], woken);
        woken.wake_all();
    }
    /// 'h' at the head, 'w' waiting; one letter for each.
    std::string picture() const {
        std::string all;
        for (auto const& one : places) all.push_back(one->at_head ? 'h' : 'w');
        return all;
    }
};

TEST(wait_queue, makes_the_first_the_head_without_waking_it) {
    waiting_line line(3);
    EXPECT_EQ(line.picture(), "hww");
    EXPECT_EQ(line.queue.head(), line.places[0]);
    EXPECT_EQ(line.queue.size(), 3U);
    EXPECT_EQ(line.sleepers[0]->times, 0) << "it is awake: it has just come";
}

TEST(wait_queue, serves_first_come_first) {
    waiting_line line(4);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(line.queue.head(), line.places[i]);
        line.leave(i);
        for (std::size_t other = 1; other < 4; ++other) EXPECT_EQ(line.sleepers[other]->times, other <= i + 1 ? 1 : 0);
    }
    EXPECT_TRUE(line.queue.empty());
    EXPECT_EQ(line.queue.size(), 0U);
    EXPECT_EQ(line.queue.head(), nullptr);
}

TEST(wait_queue, lets_anybody_leave_from_the_middle_without_waking_anybody) {
    waiting_line line(3);
    line.leave(1);
    EXPECT_EQ(line.queue.head(), line.places[0]);
    EXPECT_EQ(line.queue.size(), 2U);
    for (auto const& one : line.sleepers) EXPECT_EQ(one->times, 0);
    line.leave(0);
    EXPECT_EQ(line.queue.head(), line.places[2]);
    EXPECT_EQ(line.sleepers[1]->times, 0) << "who left is not woken";
    EXPECT_EQ(line.sleepers[2]->times, 1);
}

TEST(wait_queue, takes_no_notice_of_one_that_left_before) {
    waiting_line line(2);
    line.leave(0);
    line.leave(0);
    EXPECT_EQ(line.queue.head(), line.places[1]);
    EXPECT_EQ(line.sleepers[1]->times, 1);
    wait_queue empty;
    empty.leave(line.places[0], line.woken);
    EXPECT_TRUE(empty.empty());
}

TEST(wait_queue, has_a_new_head_when_somebody_comes_after_all_have_left) {
    waiting_line line(1);
    line.leave(0);
    auto const late = std::make_shared<locking::waiter>(scripted::make_sleeper());
    EXPECT_TRUE(line.queue.enter(late));
    EXPECT_TRUE(late->at_head);
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
            EXPECT_EQ(line.queue.head(), line.places[next]);
            EXPECT_TRUE(line.places[next]->at_head);
            for (std::size_t i = 0; i < 4; ++i)
                EXPECT_EQ(line.sleepers[i]->times, i > 0 && line.places[i]->at_head ? 1 : 0) << i;
        }
    }
}

} // namespace
} // namespace redlatch::locking
