#include "connection/master_choice.hpp"
#include "scripted/replies.hpp"

#include <gtest/gtest.h>

namespace redlatch::connection {
namespace {

constexpr auto master = server_role::master;
constexpr auto replica = server_role::replica;
constexpr auto unknown = server_role::unknown;

TEST(master_choice, is_the_first_of_those_that_say_so_and_then_stays) {
    master_choice choice(3);
    EXPECT_EQ(choice.master(), std::nullopt);
    EXPECT_EQ(choice.choose({2, 1}), 1U);
    EXPECT_EQ(choice.choose({0, 1}), 1U);
    EXPECT_EQ(choice.choose({2, 0}), 0U);
}

TEST(master_choice, follows_a_promotion_whatever_the_old_master_says) {
    master_choice choice(2);
    choice.choose({0});
    EXPECT_FALSE(choice.on_role(0, master));
    EXPECT_FALSE(choice.on_role(1, replica));
    EXPECT_TRUE(choice.on_role(1, master));
    EXPECT_EQ(choice.master(), 1U);
    EXPECT_FALSE(choice.on_role(0, master));
    EXPECT_FALSE(choice.on_role(0, replica));
    EXPECT_EQ(choice.master(), 1U);
}

TEST(master_choice, stays_where_a_second_one_says_so_from_the_beginning) {
    master_choice choice(2);
    choice.choose({0});
    EXPECT_FALSE(choice.on_role(0, master));
    EXPECT_FALSE(choice.on_role(1, master));
    EXPECT_EQ(choice.master(), 0U);
    EXPECT_TRUE(choice.on_role(0, replica)) << "now it is known which one is right";
    EXPECT_EQ(choice.master(), 1U);
}

TEST(master_choice, waits_for_another_master_when_its_own_has_gone) {
    master_choice choice(2);
    choice.choose({0});
    choice.on_role(0, master);
    EXPECT_FALSE(choice.on_role(0, unknown));
    EXPECT_EQ(choice.master(), 0U);
    EXPECT_TRUE(choice.on_role(1, master)) << "though it was not seen as a replica";
    EXPECT_FALSE(choice.on_role(1, replica));
    EXPECT_EQ(choice.master(), 1U) << "nobody else is";
    EXPECT_TRUE(choice.on_role(0, master));
}

TEST(master_choice, does_not_go_back_to_an_old_master_when_the_new_one_is_not_heard_of_for_a_moment) {
    master_choice choice(2);
    choice.choose({0});
    choice.on_role(0, master);
    choice.on_role(1, replica);
    EXPECT_TRUE(choice.on_role(1, master));
    EXPECT_FALSE(choice.on_role(1, unknown));
    EXPECT_FALSE(choice.on_role(0, master)) << "as it has said all the time";
    EXPECT_FALSE(choice.on_role(1, master));
    EXPECT_EQ(choice.master(), 1U);
    EXPECT_TRUE(choice.on_role(1, replica)) << "it says itself that it is not the master any more";
    EXPECT_EQ(choice.master(), 0U);
    EXPECT_TRUE(choice.on_role(1, master)) << "promoted again";
    EXPECT_EQ(choice.choose({0}), 0U) << "nobody else is there";
}

TEST(role_reply, is_read_from_its_first_word) {
    using scripted::array;
    using scripted::integer;
    using scripted::string;
    EXPECT_EQ(read_role(array({string("master"), integer(1), array({})})), master);
    EXPECT_EQ(read_role(array({string("sentinel"), array({})})), server_role::sentinel);
    EXPECT_EQ(read_role(scripted::error("NOPERM")), unknown);
    EXPECT_EQ(read_role(array({})), unknown);
    EXPECT_EQ(read_role(array({string("other")})), unknown);
    auto const of_replica = array({string("slave"), string("10.0.0.1"), integer(6379), string("connected")});
    EXPECT_EQ(read_role(of_replica), replica);
    EXPECT_EQ(master_of(of_replica), ", 10.0.0.1:6379");
    EXPECT_EQ(master_of(array({string("slave")})), "");
    EXPECT_EQ(master_of(array({string("master"), string("a"), integer(1)})), "");
}

TEST(role_reply, of_a_master_says_how_many_replicas_are_in_step) {
    using scripted::array;
    using scripted::integer;
    using scripted::string;
    auto const one = array({string("10.0.0.2"), string("6379"), string("77")});
    EXPECT_EQ(replicas_in_step(array({string("master"), integer(77), array({})})), 0);
    EXPECT_EQ(replicas_in_step(array({string("master"), integer(77), array({one, one})})), 2);
    EXPECT_EQ(replicas_in_step(array({string("slave"), string("10.0.0.1"), integer(6379)})), std::nullopt);
    EXPECT_EQ(replicas_in_step(array({string("master"), integer(77)})), std::nullopt);
    EXPECT_EQ(replicas_in_step(array({string("master"), integer(77), integer(2)})), std::nullopt);
    EXPECT_EQ(replicas_in_step(scripted::error("NOPERM")), std::nullopt);
}

} // namespace
} // namespace redlatch::connection
