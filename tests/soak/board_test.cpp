// The judge of the soak sees what it must see.
#include "board.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <thread>

namespace redlatch::soak {
namespace {

class soak_board : public ::testing::Test {
protected:
    test::temporary_folder folder;
    mapped_board const shared{folder.path() / "board"};
    static bool valid() { return true; }
    static bool invalid() { return false; }
};

TEST_F(soak_board, one_after_the_other_is_no_violation) {
    for (int i = 0; i < 3; ++i) {
        presence inside(*shared, 0);
        EXPECT_TRUE(inside.look(valid));
    }
    EXPECT_EQ(shared->violations, 0U);
}

TEST_F(soak_board, an_entry_during_a_valid_hold_is_a_violation) {
    presence first(*shared, 0);
    presence second(*shared, 0);
    EXPECT_TRUE(second.look(valid));
    EXPECT_EQ(shared->violations, 0U) << "the later one cannot know";
    EXPECT_TRUE(first.look(valid));
    EXPECT_EQ(shared->violations, 1U);
}

TEST_F(soak_board, locks_are_judged_apart) {
    presence first(*shared, 0);
    presence const second(*shared, 1);
    EXPECT_TRUE(first.look(valid));
    EXPECT_EQ(shared->violations, 0U);
}

TEST_F(soak_board, an_entry_after_the_hold_was_lost_is_no_violation) {
    presence first(*shared, 0);
    presence const second(*shared, 0);
    EXPECT_FALSE(first.look(invalid));
    EXPECT_EQ(shared->violations, 0U);
}

TEST_F(soak_board, one_that_was_turned_away_is_no_violation_even_if_it_says_so_late) {
    presence first(*shared, 0);
    presence second(*shared, 0);
    std::jthread const late([&] { second.turn_away(); });
    EXPECT_TRUE(first.look(valid));
    EXPECT_EQ(shared->violations, 0U);
    presence third(*shared, 0);
    third.turn_away();
    presence const fourth(*shared, 0);
    EXPECT_TRUE(first.look(valid));
    EXPECT_EQ(shared->violations, 1U) << "the fourth was not";
}

TEST_F(soak_board, another_mapping_is_the_same_board) {
    mapped_board const other(folder.path() / "board");
    presence first(*shared, 3);
    presence const second(*other, 3);
    EXPECT_TRUE(first.look(valid));
    EXPECT_EQ(other->violations, 1U);
}

} // namespace
} // namespace redlatch::soak
