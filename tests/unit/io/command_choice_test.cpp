// Plain commands or scripts: what a refusal changes, and for how long.
#include "io/command_choice.hpp"
#include "locking/recipes/recipes.hpp"
#include "scripted/replies.hpp"

#include <gtest/gtest.h>

namespace redlatch::io {
namespace {

using effect = command_choice::effect;

struct command_choice_test : ::testing::Test {
    locking::record_settings const settings{};
    locking::lock_record orders{"orders", locking::reentrant_recipe, settings};
    locking::lock_record other{"other", locking::reentrant_recipe, settings};
    resp::value const no_command = scripted::error("NOPERM this user has no permissions to run the 'restore' command");
    resp::value const no_key = scripted::error("NOPERM this user has no permissions to access one of the keys");
};

TEST_F(command_choice_test, sends_scripts_before_the_first_connection) {
    command_choice const choice(command_set::automatic);
    EXPECT_FALSE(choice.acquires_plainly(orders));
    EXPECT_FALSE(choice.releases_plainly(orders));
}

TEST_F(command_choice_test, sends_plain_commands_unless_the_user_wants_scripts) {
    for (auto const wanted : {command_set::automatic, command_set::plain, command_set::scripts}) {
        command_choice choice(wanted);
        choice.on_connected();
        EXPECT_EQ(choice.acquires_plainly(orders), wanted != command_set::scripts);
        EXPECT_EQ(choice.releases_plainly(orders), wanted != command_set::scripts);
        EXPECT_EQ(choice.is_automatic(), wanted == command_set::automatic);
    }
}

TEST_F(command_choice_test, leaves_a_refused_command_alone_until_the_next_connection) {
    command_choice choice(command_set::automatic);
    choice.on_connected();
    EXPECT_EQ(choice.on_acquire_refused(no_command, orders), effect::all_locks);
    EXPECT_EQ(choice.on_acquire_refused(no_command, other), effect::known);
    EXPECT_FALSE(choice.acquires_plainly(other));
    EXPECT_TRUE(choice.releases_plainly(other)) << "it takes another command";
    EXPECT_EQ(choice.on_release_refused(no_command, orders), effect::all_locks);
    EXPECT_FALSE(choice.releases_plainly(other));
    choice.on_connected();
    EXPECT_TRUE(choice.acquires_plainly(orders));
    EXPECT_TRUE(choice.releases_plainly(orders));
}

TEST_F(command_choice_test, leaves_only_the_refused_key_alone) {
    command_choice choice(command_set::automatic);
    choice.on_connected();
    EXPECT_EQ(choice.on_acquire_refused(no_key, orders), effect::this_lock);
    EXPECT_EQ(choice.on_release_refused(no_key, orders), effect::known);
    EXPECT_FALSE(choice.acquires_plainly(orders));
    EXPECT_FALSE(choice.releases_plainly(orders));
    EXPECT_TRUE(choice.acquires_plainly(other));
    EXPECT_EQ(choice.on_key_refused(other), effect::this_lock);
    EXPECT_EQ(choice.on_key_refused(other), effect::known);
    EXPECT_FALSE(choice.acquires_plainly(other));
    choice.on_connected();
    EXPECT_TRUE(choice.acquires_plainly(orders));
}

TEST_F(command_choice_test, changes_nothing_where_the_user_insists) {
    command_choice choice(command_set::plain);
    choice.on_connected();
    EXPECT_EQ(choice.on_acquire_refused(no_command, orders), effect::none);
    EXPECT_EQ(choice.on_release_refused(no_key, orders), effect::none);
    EXPECT_TRUE(choice.acquires_plainly(orders));
    EXPECT_TRUE(choice.releases_plainly(orders));
}

TEST_F(command_choice_test, tries_plain_commands_again_where_scripts_are_refused_too) {
    command_choice choice(command_set::automatic);
    choice.on_connected();
    choice.on_release_refused(no_command, orders);
    choice.on_key_refused(orders);
    choice.on_script_release_refused(orders);
    EXPECT_TRUE(choice.releases_plainly(orders));
    command_choice insisted(command_set::scripts);
    insisted.on_connected();
    insisted.on_script_release_refused(orders);
    EXPECT_FALSE(insisted.releases_plainly(orders));
}

TEST_F(command_choice_test, knows_the_release_script_for_one_connection) {
    command_choice choice(command_set::automatic);
    choice.on_connected();
    EXPECT_FALSE(choice.knows_release_script());
    choice.note_release_script();
    EXPECT_TRUE(choice.knows_release_script());
    choice.on_connected();
    EXPECT_FALSE(choice.knows_release_script()) << "it may be another server";
}

TEST_F(command_choice_test, remembers_plain_releases_whatever_the_connection) {
    command_choice choice(command_set::automatic);
    EXPECT_FALSE(choice.has_released_plainly());
    choice.note_plain_release();
    choice.on_connected();
    EXPECT_TRUE(choice.has_released_plainly()) << "an earlier one may still be without an answer";
}

} // namespace
} // namespace redlatch::io
