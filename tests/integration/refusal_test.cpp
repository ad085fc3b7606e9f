// The server refuses: wrong password, missing rights for each command in use.
#include "integration/fixture.hpp"
#include "support/both_faces.hpp"

#include <redlatch/log.hpp>

namespace redlatch::test {
namespace {

class refusal_test : public with_server {
protected:
    config as(std::string user, std::string password = "secret") const {
        config result = quick(server.uri());
        result.username = std::move(user);
        result.password = std::move(password);
        return result;
    }
    /// A user who may do everything but what `less` takes away.
    config lacking(words const& less) const {
        words rights{"ACL", "SETUSER", "restricted", "reset", "on", ">secret", "~*", "&*", "+@all"};
        rights.insert(rights.end(), less.begin(), less.end());
        EXPECT_EQ(server.admin().command(rights).text, "OK");
        return as("restricted");
    }
};

TEST_F(refusal_test, a_wrong_password_is_a_clear_error_at_once) {
    server.run("ACL", "SETUSER", "known", "on", ">secret", "~*", "&*", "+@all");
    auto const start = test_clock::now();
    auto const refused = outcome_of([&] { client user(as("known", "wrong-password")); });
    EXPECT_EQ(refused.reason, errc::server_refused) << refused;
    EXPECT_NE(refused.message.find("redis.sock"), std::string::npos) << refused;
    EXPECT_EQ(refused.message.find("wrong-password"), std::string::npos) << "passwords are not shown";
    EXPECT_LT(since(start), 1s) << "trying again cannot help";
    client const user(as("known"));
    EXPECT_EQ(user.stats().holds, 0U);
}

TEST_F(refusal_test, an_unknown_user_is_a_clear_error) {
    EXPECT_EQ(outcome_of([&] { client user(as("nobody")); }).reason, errc::server_refused);
}

TEST_F(refusal_test, a_missing_password_is_a_clear_error) {
    server.run("CONFIG", "SET", "requirepass", "secret");
    auto const refused = outcome_of([&] {
        client user(quick(server.uri()));
        user.get_lock(name).acquire({.wait = 1s}).release();
    });
    EXPECT_EQ(refused.reason, errc::server_refused) << refused;
}

TEST_F(refusal_test, a_user_without_a_password_is_that_user_and_not_the_default_one) {
    server.run("ACL", "SETUSER", "open", "on", "nopass", "~*", "&*", "+@all");
    server.run("CONFIG", "SET", "requirepass", "secret"); // of the default user
    client user(as("open", ""));
    user.get_lock(name).acquire({.wait = 1s}).release();
}

TEST_F(refusal_test, the_default_user_may_be_named_where_no_password_is_set) {
    client user(as("default", ""));
    user.get_lock(name).acquire({.wait = 1s}).release();
}

TEST_F(refusal_test, a_database_that_is_not_there_is_a_clear_error) {
    config settings = quick(server.uri());
    settings.database = 999;
    EXPECT_EQ(outcome_of([&] { client user(settings); }).reason, errc::server_refused);
}

/// What no lock can work without.
class needed_right_test : public refusal_test, public ::testing::WithParamInterface<std::pair<char const*, words>> {};

TEST_P(needed_right_test, is_missed_with_an_error_that_names_the_lock) {
    auto settings = lacking(GetParam().second);
    settings.commands = command_set::scripts; // plain commands need other rights
    auto const refused = outcome_of([&] {
        client user(settings);
        user.get_lock(name).acquire({.wait = 1s}).release();
    });
    EXPECT_EQ(refused.reason, errc::server_refused) << refused;
    EXPECT_NE(refused.message.find(name), std::string::npos) << refused;
    // What the server says: NOPERM, or inside a script (7.0) that "the user executing the script can't run this command", or
    // (Valkey 9) that there was an "ACL failure in script".
    bool said = false;
    for (auto const* words : {"NOPERM", "can't run this command", "ACL failure in script"})
        said = said || refused.message.find(words) != std::string::npos;
    EXPECT_TRUE(said) << refused;
    EXPECT_NE(refused.message.find("rights"), std::string::npos) << refused;
    EXPECT_FALSE(exists(name)) << "half an acquisition, without expiry: " << pttl(server, name);
}

INSTANTIATE_TEST_SUITE_P(without, needed_right_test,
                         ::testing::Values(std::pair("scripts", words{"-evalsha", "-eval"}),
                                           std::pair("evalsha", words{"-evalsha"}), std::pair("hset", words{"-hset"}),
                                           std::pair("pexpire", words{"-pexpire"}), std::pair("pttl", words{"-pttl"}),
                                           std::pair("the_key", words{"resetkeys", "~other-*"})),
                         [](auto const& which) { return std::string(which.param.first); });

/// What makes things better, and whose lack must not keep a lock from working.
class useful_right_test : public refusal_test, public ::testing::WithParamInterface<std::pair<char const*, words>> {};

TEST_P(useful_right_test, may_be_missing_and_the_lock_works) {
    if (test_server_is_before_7() && GetParam().second.front().find('|') != std::string::npos)
        GTEST_SKIP() << needs_rules_of_7;
    config settings = lacking(GetParam().second);
    settings.client_name = "restricted-client";
    settings.ping_interval = 100ms;
    settings.lock_watchdog_timeout = 900ms;
    client user(settings);
    auto lock = user.get_lock(name);
    for (int round = 0; round < 2; ++round) {
        hold outer = lock.acquire({.wait = 2s});
        hold inner = lock.acquire({.wait = 2s});
        inner.release();
        EXPECT_TRUE(exists(name));
        outer.release();
        EXPECT_FALSE(exists(name));
    }
    hold mine = lock.acquire({.wait = 2s});
    EXPECT_TRUE(stays([&] { return bool(mine); }, 1500ms)) << "renewed";
    mine.release();

    hold_as_stranger(server, name, 600ms);
    auto const start = test_clock::now();
    hold next = lock.acquire({.wait = 20s});
    EXPECT_LT(since(start), 5s);
    next.release();
    EXPECT_EQ(user.stats().reconnects, 0U) << "a refusal is an answer";
    expect_idle(user);
    user.close(); // who may not unsubscribe leaves only so
    expect_clean(server);
}

INSTANTIATE_TEST_SUITE_P(
    without, useful_right_test,
    ::testing::Values(std::pair("publish", words{"-publish"}), std::pair("subscribe", words{"-subscribe"}),
                      std::pair("unsubscribe", words{"-unsubscribe"}), std::pair("any_channel", words{"resetchannels"}),
                      std::pair("client_kill", words{"-client|kill"}), std::pair("client_id", words{"-client|id"}),
                      std::pair("client_info", words{"-client|info"}),
                      std::pair("client_setname", words{"-client|setname"}), std::pair("client", words{"-client"}),
                      std::pair("info", words{"-info"}), std::pair("ping", words{"-ping"}),
                      std::pair("script", words{"-script"}), std::pair("hello", words{"-hello"}),
                      std::pair("role", words{"-role"})),
    [](auto const& which) { return std::string(which.param.first); });

TEST_F(refusal_test, without_publish_a_release_is_a_release_and_is_warned_about) {
    std::mutex mutex;
    std::vector<std::string> warnings;
    set_log_sink(
        [&](log_level, std::string_view line) {
            std::lock_guard const guard(mutex);
            warnings.emplace_back(line);
        },
        log_level::warning);
    {
        client user(lacking({"-publish"}));
        user.get_lock(name).acquire().release();
        EXPECT_FALSE(exists(name));
        EXPECT_TRUE(user.get_semaphore(name).try_set_permits(1));
        EXPECT_EQ(server.run("GET", name).text, "1");
        server.run("DEL", name);
    }
    set_log_sink({});
    std::lock_guard const guard(mutex);
    EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](std::string const& line) {
        return line.find("grant 'publish' and the channel") != std::string::npos;
    }));
    auto const of_semaphore = "semaphore '" + name + "' was changed, but this user may not publish";
    auto const channel = "and the channel &redisson_sc:{" + name + "}";
    EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [&](std::string const& line) {
        return line.find(of_semaphore) != std::string::npos && line.ends_with(channel);
    })) << ::testing::PrintToString(warnings);
}

TEST_F(refusal_test, rights_taken_away_while_the_lock_is_held_are_reported_by_the_release) {
    client user(lacking({}));
    hold mine = user.get_lock(name).acquire({.lease = 1s});
    lacking({"-evalsha", "-eval", "-hdel"});
    EXPECT_EQ(outcome_of([&] { mine.release(); }).reason, errc::server_refused);
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
}

/// Scripts are never allowed to this user, HDEL is not for a while: the background goes on trying both.
TEST_F(refusal_test, a_right_that_comes_back_lets_the_background_release_what_was_refused) {
    auto settings = lacking({"-evalsha", "-eval"});
    settings.commands = command_set::automatic;
    client user(settings);
    hold mine = user.get_lock(name).acquire({.lease = 10min});
    lacking({"-evalsha", "-eval", "-hdel"});
    EXPECT_EQ(outcome_of([&] { mine.release(); }).reason, errc::server_refused);
    EXPECT_TRUE(exists(name));
    lacking({"-evalsha", "-eval"});
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
}

TEST_F(refusal_test, a_server_out_of_memory_is_waited_for_and_then_named) {
    client user(quick(server.uri()));
    auto lock = user.get_lock(name);
    lock.acquire().release();
    server.run("CONFIG", "SET", "maxmemory-policy", "noeviction");
    server.run("CONFIG", "SET", "maxmemory", "1");
    auto const refused = outcome_of([&] { (void)lock.acquire({.wait = 300ms}); });
    EXPECT_EQ(refused.reason, errc::server_refused) << refused;
    auto waiter = in_thread([&] { return lock.acquire({.wait = 20s, .owner = owner()}); });
    EXPECT_TRUE(stays([&] { return !is_ready(waiter); }, 200ms));
    server.run("CONFIG", "SET", "maxmemory", "0");
    hold const mine = waiter.get();
    EXPECT_TRUE(mine);
}

} // namespace
} // namespace redlatch::test
