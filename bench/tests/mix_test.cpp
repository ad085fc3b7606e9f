#include "mix/board.hpp"
#include "mix/shape.hpp"
#include "mix/worker.hpp"
#include "mix/zipf.hpp"

#include <gtest/gtest.h>

namespace redlatch::bench {
namespace {

using namespace std::chrono_literals;

TEST(mix, a_row_is_named_by_its_shape_in_microseconds) {
    EXPECT_EQ(name_of({4, 1, 1, 0, 500us, 500us}), "4x1 on 1, hold 500, pause 500");
    EXPECT_EQ(name_of({8, 2, 16, 1.2, 2ms, 0us}), "8x2 on 16 zipf 1.2, hold 2000, pause 0");
}

TEST(zipf, each_lock_has_its_share) {
    zipf const three(3, 1); // 6/11, 3/11, 2/11
    EXPECT_EQ(three.at(0), 0U);
    EXPECT_EQ(three.at(0.545), 0U);
    EXPECT_EQ(three.at(0.546), 1U);
    EXPECT_EQ(three.at(0.818), 1U);
    EXPECT_EQ(three.at(0.819), 2U);
    EXPECT_EQ(three.at(0.999999), 2U);
}

TEST(zipf, without_an_exponent_all_are_alike) {
    zipf const four(4, 0);
    for (std::size_t place = 0; place < 4; ++place) EXPECT_EQ(four.at(static_cast<double>(place) / 4 + 0.1), place);
}

/// One worker on one lock.
class a_worker : public testing::Test {
protected:
    /// Takes the lock once; `inside` happens while it is held.
    void takes_it_once(std::function<void()> const& acquire) {
        party const lock{acquire, [this] { board_.heading().phase = mix_phase::stopping; }};
        work_in_mix({}, {lock}, board_, 0);
    }

    mix_board board_{1, 2};
};

TEST_F(a_worker, counts_what_it_has_done) {
    board_.heading().phase = mix_phase::measuring;
    takes_it_once([] {});
    EXPECT_EQ(board_.heading().ready, 1);
    EXPECT_EQ(board_.worker(0).cycles, 1);
    EXPECT_EQ(board_.worker(1).cycles, 0);
    EXPECT_EQ(board_.lock(0).inside, 0);
    EXPECT_EQ(board_.heading().overlaps, 0);
}

TEST_F(a_worker, sees_that_somebody_else_is_inside) {
    board_.heading().phase = mix_phase::measuring;
    board_.lock(0).inside = 1;
    takes_it_once([] {});
    EXPECT_EQ(board_.heading().overlaps, 1);
}

TEST_F(a_worker, keeps_the_longest_wait_of_those_that_end_while_measuring) {
    board_.heading().phase = mix_phase::settling;
    auto const began = monotonic_now();
    takes_it_once([this] {
        EXPECT_GE(board_.worker(0).waiting_since, 1);
        board_.heading().phase = mix_phase::measuring;
    });
    EXPECT_GT(board_.worker(0).longest_wait, 0);
    EXPECT_LE(board_.worker(0).longest_wait, monotonic_now() - began);
    EXPECT_EQ(board_.worker(0).waiting_since, 0);
}

TEST_F(a_worker, does_not_keep_waits_that_ended_before) {
    board_.heading().phase = mix_phase::settling;
    takes_it_once([] {});
    EXPECT_EQ(board_.worker(0).longest_wait, 0);
}

TEST(mix, a_wait_that_has_not_ended_counts_until_now) {
    mix_board const board(1, 3);
    board.worker(0).longest_wait = 50;
    board.worker(1).waiting_since = 1000;
    EXPECT_EQ(longest_wait(board, 0, 3, 1020), 50);
    EXPECT_EQ(longest_wait(board, 0, 3, 1200), 200);
    EXPECT_EQ(longest_wait(board, 0, 1, 1200), 50) << "of the first alone";
}

} // namespace
} // namespace redlatch::bench
