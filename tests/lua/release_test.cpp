// lock_release and lock_force_release.
#include "lua/script_test.hpp"

namespace redlatch::test {
namespace {

using locking::scripts::lock_force_release;
using locking::scripts::lock_release;

std::string const lock_channel = "redisson_lock__channel:{orders}";

class release_script : public script_test {};
REDLATCH_ON_EVERY_SERVER(release_script);

TEST_P(release_script, ends_the_own_hold_and_wakes_the_waiters_once) {
    run(lock_release, {
                          {.what = "held once",
                           .before = {{"HSET", "orders", "me:1", "1"}, {"PEXPIRE", "orders", "100000"}},
                           .keys = {"orders"},
                           .arguments = {"me:1", "PUBLISH", lock_channel},
                           .reply = "2", // the one who listens here
                           .reply_to_a_repeat = "0",
                           .after = {},
                           .told = {lock_channel + " 0"}},
                          {.what = "held once, by a process that goes on with its turn",
                           .before = {{"HSET", "orders", "me:1", "1"}, {"PEXPIRE", "orders", "100000"}},
                           .keys = {"orders"},
                           .arguments = {"me:1", "PUBLISH", lock_channel, "00"},
                           .reply = "2", // the one who listens here
                           .reply_to_a_repeat = "0",
                           .after = {},
                           .told = {lock_channel + " 00"}},
                          {.what = "a count that the client does not share",
                           .before = {{"HSET", "orders", "me:1", "7"}, {"PEXPIRE", "orders", "100000"}},
                           .keys = {"orders"},
                           .arguments = {"me:1", "PUBLISH", lock_channel},
                           .reply = "2", // the one who listens here
                           .reply_to_a_repeat = "0",
                           .after = {},
                           .told = {lock_channel + " 0"}},
                          {.what = "held without expiry",
                           .before = {{"HSET", "orders", "me:1", "1"}},
                           .keys = {"orders"},
                           .arguments = {"me:1", "PUBLISH", lock_channel},
                           .reply = "2", // the one who listens here
                           .reply_to_a_repeat = "0",
                           .after = {},
                           .told = {lock_channel + " 0"}},
                          {.what = "free",
                           .keys = {"orders"},
                           .arguments = {"me:1", "PUBLISH", lock_channel},
                           .reply = "0",
                           .reply_to_a_repeat = "0",
                           .after = {}},
                          {.what = "held by another",
                           .before = {{"HSET", "orders", "you:1", "1"}, {"PEXPIRE", "orders", "100000"}},
                           .keys = {"orders"},
                           .arguments = {"me:1", "PUBLISH", lock_channel},
                           .reply = "0",
                           .reply_to_a_repeat = "0",
                           .after = {"orders {you:1=1} 100s"}},
                          {.what = "a key of another type",
                           .before = {{"SET", "orders", "text"}},
                           .keys = {"orders"},
                           .arguments = {"me:1", "PUBLISH", lock_channel},
                           .reply = "!WRONGTYPE",
                           .reply_to_a_repeat = "!WRONGTYPE",
                           .after = {"orders text no expiry"}},
                      });
}

TEST_P(release_script, keeps_the_key_for_the_rest_of_a_minimum_hold_and_tells_the_waiters) {
    run(lock_release, {{.what = "held for less than that",
                        .before = {{"HSET", "orders", "me:7", "2"}, {"PEXPIRE", "orders", "100000"}},
                        .keys = {"orders"},
                        .arguments = {"me:7", "PUBLISH", lock_channel, "0", "50000", "me:0"},
                        .reply = "2", // the one who listens here
                        .reply_to_a_repeat = "0",
                        .after = {"orders {me:0=1} 50s"},
                        .told = {lock_channel + " 0"}},
                       {.what = "held with a lease that would end before",
                        .before = {{"HSET", "orders", "me:7", "1"}, {"PEXPIRE", "orders", "10000"}},
                        .keys = {"orders"},
                        .arguments = {"me:7", "PUBLISH", lock_channel, "0", "50000", "me:0"},
                        .reply = "2",
                        .reply_to_a_repeat = "0",
                        .after = {"orders {me:0=1} 50s"},
                        .told = {lock_channel + " 0"}},
                       {.what = "of a lock without a channel",
                        .before = {{"HSET", "orders", "me:7", "1"}, {"PEXPIRE", "orders", "100000"}},
                        .keys = {"orders"},
                        .arguments = {"me:7", "", "", "", "50000", "me:0"},
                        .reply = "1",
                        .reply_to_a_repeat = "0",
                        .after = {"orders {me:0=1} 50s"}},
                       {.what = "held by another",
                        .before = {{"HSET", "orders", "you:1", "1"}, {"PEXPIRE", "orders", "100000"}},
                        .keys = {"orders"},
                        .arguments = {"me:7", "PUBLISH", lock_channel, "0", "50000", "me:0"},
                        .reply = "0",
                        .reply_to_a_repeat = "0",
                        .after = {"orders {you:1=1} 100s"}}});
}

TEST_P(release_script, tells_nobody_of_a_lock_without_a_channel) {
    run(lock_release, {{.what = "held",
                        .before = {{"HSET", "orders", "me:1", "1"}, {"PEXPIRE", "orders", "100000"}},
                        .keys = {"orders"},
                        .arguments = {"me:1"},
                        .reply = "1",
                        .reply_to_a_repeat = "0",
                        .after = {}},
                       {.what = "held by another",
                        .before = {{"HSET", "orders", "you:1", "1"}},
                        .keys = {"orders"},
                        .arguments = {"me:1"},
                        .reply = "0",
                        .reply_to_a_repeat = "0",
                        .after = {"orders {you:1=1} no expiry"}}});
}

TEST_P(release_script, tells_when_this_user_may_not_publish) {
    std::vector<std::vector<std::string>> const rights{{"-publish"}, {"resetchannels"}, {"resetchannels", "&other*"}};
    for (auto const& missing : rights) {
        SCOPED_TRACE(missing.back());
        command({"HSET", "orders", "me:1", "1"});
        auto client = restricted(missing);
        listener ear(server());
        EXPECT_EQ(shown(call(client, lock_release, {"orders"}, {"me:1", "PUBLISH", lock_channel})), "-1");
        EXPECT_EQ(state(), std::vector<std::string>{});
        EXPECT_EQ(shown(call(client, lock_release, {"orders"}, {"me:1", "PUBLISH", lock_channel})), "0");
        EXPECT_EQ(ear.heard(), std::vector<std::string>{});
    }
}

TEST_P(release_script, changes_nothing_where_another_right_is_missing) {
    command({"HSET", "orders", "me:1", "1"});
    for (auto const* right : {"-hexists", "-del", "-evalsha"}) {
        SCOPED_TRACE(right);
        auto client = restricted({right});
        EXPECT_TRUE(call(client, lock_release, {"orders"}, {"me:1", "PUBLISH", lock_channel}).is_error());
        EXPECT_EQ(state(), std::vector<std::string>{"orders {me:1=1} no expiry"});
    }
}

class force_release_script : public script_test {};
REDLATCH_ON_EVERY_SERVER(force_release_script);

TEST_P(force_release_script, ends_anybodys_hold_and_wakes_the_waiters_once) {
    run(lock_force_release, {
                                {.what = "held by another",
                                 .before = {{"HSET", "orders", "you:1", "2"}, {"PEXPIRE", "orders", "100000"}},
                                 .keys = {"orders"},
                                 .arguments = {"PUBLISH", lock_channel},
                                 .reply = "1",
                                 .reply_to_a_repeat = "0",
                                 .after = {},
                                 .told = {lock_channel + " 0"}},
                                {.what = "held without expiry",
                                 .before = {{"HSET", "orders", "you:1", "2"}},
                                 .keys = {"orders"},
                                 .arguments = {"PUBLISH", lock_channel},
                                 .reply = "1",
                                 .reply_to_a_repeat = "0",
                                 .after = {},
                                 .told = {lock_channel + " 0"}},
                                {.what = "free",
                                 .keys = {"orders"},
                                 .arguments = {"PUBLISH", lock_channel},
                                 .reply = "0",
                                 .reply_to_a_repeat = "0",
                                 .after = {}},
                                {.what = "a key of another type",
                                 .before = {{"SET", "orders", "text"}},
                                 .keys = {"orders"},
                                 .arguments = {"PUBLISH", lock_channel},
                                 .reply = "!WRONGTYPE",
                                 .reply_to_a_repeat = "!WRONGTYPE",
                                 .after = {"orders text no expiry"}},
                            });
}

TEST_P(force_release_script, tells_nobody_of_a_lock_without_a_channel) {
    run(lock_force_release, {{.what = "held",
                              .before = {{"HSET", "orders", "you:1", "1"}, {"PEXPIRE", "orders", "100000"}},
                              .keys = {"orders"},
                              .arguments = {},
                              .reply = "1",
                              .reply_to_a_repeat = "0",
                              .after = {}}});
}

TEST_P(force_release_script, tells_when_this_user_may_not_publish) {
    command({"HSET", "orders", "you:1", "1"});
    auto client = restricted({"-publish"});
    listener ear(server());
    EXPECT_EQ(shown(call(client, lock_force_release, {"orders"}, {"PUBLISH", lock_channel})), "2");
    EXPECT_EQ(state(), std::vector<std::string>{});
    EXPECT_EQ(ear.heard(), std::vector<std::string>{});
}

TEST_P(force_release_script, changes_nothing_where_another_right_is_missing) {
    command({"HSET", "orders", "you:1", "1"});
    for (auto const* right : {"-hlen", "-del", "-evalsha"}) {
        SCOPED_TRACE(right);
        auto client = restricted({right});
        EXPECT_TRUE(call(client, lock_force_release, {"orders"}, {"PUBLISH", lock_channel}).is_error());
        EXPECT_EQ(state(), std::vector<std::string>{"orders {you:1=1} no expiry"});
    }
}

} // namespace
} // namespace redlatch::test
