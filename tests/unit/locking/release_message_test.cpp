#include "locking/release_message.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

namespace redlatch::locking {
namespace {

TEST(release_message, says_how_many_turns_have_ended) {
    EXPECT_EQ(end_of_turn(0), "000");
    EXPECT_EQ(end_of_turn(1), "0000");
    EXPECT_EQ(end_of_turn(3), "000000");
    for (std::int64_t absent = -1; absent <= 15; ++absent)
        EXPECT_EQ(turns_ended_by(end_of_turn(absent)), static_cast<std::uint64_t>(1 + absent)) << absent;
    EXPECT_EQ(end_of_turn(1'000'000), end_of_turn(15)) << "bounded";
    EXPECT_EQ(end_of_turn(-2), end_of_turn(-1)) << "one turn is counted once";
    EXPECT_EQ(turns_ended_by(turn_goes_on), 0U);
}

TEST(release_message, of_somebody_who_knows_nothing_of_turns_ends_one) {
    for (auto const* const text : {"", "1", "0001", "000x", "00\n"}) EXPECT_EQ(turns_ended_by(text), 1U) << text;
    EXPECT_EQ(turns_ended_by(std::string(19, '0')), 1U) << "longer than any of ours";
}

TEST(release_message, tells_those_who_take_turns_from_others) {
    EXPECT_TRUE(knows_turns(turn_goes_on));
    for (std::int64_t absent = -1; absent <= 15; ++absent) EXPECT_TRUE(knows_turns(end_of_turn(absent))) << absent;
    for (auto const* const text : {"", "0", "1", "-00", "000x"}) EXPECT_FALSE(knows_turns(text)) << text;
}

TEST(release_message, is_the_number_zero_for_redisson) {
    EXPECT_EQ(std::strtoll(std::string(turn_goes_on).c_str(), nullptr, 10), 0);
    for (std::int64_t absent = -1; absent <= 15; ++absent)
        EXPECT_EQ(std::strtoll(std::string(end_of_turn(absent)).c_str(), nullptr, 10), 0);
}

} // namespace
} // namespace redlatch::locking
