// A free lock is taken and given back without scripts, where the server allows it.
#include "integration/fixture.hpp"
#include "support/both_faces.hpp"

#include <redlatch/log.hpp>

#include <atomic>
#include <gmock/gmock.h>
#include <memory>

namespace redlatch::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class plain_commands_test : public with_server {
protected:
    /// The names of the commands that clients sent since the last call: not those that scripts ran.
    std::vector<std::string> sent() {
        std::vector<std::string> names;
        for (auto const& command : watch.commands())
            for (auto const* ours : {"RESTORE", "HDEL", "PUBLISH", "EVALSHA", "EVAL"})
                if (command.front() == ours) names.push_back(command.front());
        watch.forget();
        return names;
    }
    config with(command_set which) const {
        auto settings = quick(server.uri());
        settings.commands = which;
        return settings;
    }
    config lacking(words const& less) const {
        words rights{"ACL", "SETUSER", "restricted", "reset", "on", ">secret", "~*", "&*", "+@all"};
        rights.insert(rights.end(), less.begin(), less.end());
        EXPECT_EQ(server.admin().command(rights).text, "OK");
        auto settings = with(command_set::automatic);
        settings.username = "restricted";
        settings.password = "secret";
        return settings;
    }
    monitor watch{server};
};

TEST_F(plain_commands_test, take_a_free_lock_and_give_it_back) {
    client user(with(command_set::automatic));
    hold mine = user.get_lock(name).acquire();
    EXPECT_EQ(server.run("HGET", name, mine.owner_id()).text, "1");
    EXPECT_GT(server.run("PTTL", name).integer, 0);
    mine.release();
    EXPECT_FALSE(exists(name));
    EXPECT_THAT(sent(), ElementsAre("RESTORE", "HDEL", "PUBLISH"));
}

TEST_F(plain_commands_test, leave_everything_but_the_first_and_the_last_to_scripts) {
    client user(with(command_set::automatic));
    auto lock = user.get_lock(name);
    hold outer = lock.acquire();
    sent();
    hold inner = lock.acquire();
    inner.release();
    EXPECT_THAT(sent(), ElementsAre("EVALSHA", "EVAL", "EVALSHA")) << "the first one loads it";
    EXPECT_EQ(server.run("HGET", name, outer.owner_id()).text, "1");
    outer.release();
    EXPECT_THAT(sent(), ElementsAre("HDEL", "PUBLISH"));
}

TEST_F(plain_commands_test, ask_by_script_who_holds_a_lock_that_is_not_free) {
    hold_as_stranger(server, name, 60s);
    client user(with(command_set::automatic));
    auto lock = user.get_lock(name);
    EXPECT_EQ(lock.try_acquire(), std::nullopt);
    EXPECT_THAT(sent(), ElementsAre("RESTORE", "EVALSHA", "EVAL"));
    EXPECT_EQ(lock.try_acquire(), std::nullopt);
    EXPECT_THAT(sent(), ElementsAre("EVALSHA")) << "it is known to be held";
    EXPECT_GT(server.run("PTTL", name).integer, 50'000) << "and was left alone";
}

TEST_F(plain_commands_test, are_not_the_first_guess_where_others_want_the_lock_too) {
    client user(with(command_set::automatic));
    auto lock = user.get_lock(name);
    auto listener = server.admin();
    listener.command("SUBSCRIBE", channel_of(name));
    lock.acquire().release();
    EXPECT_THAT(sent(), ElementsAre("RESTORE", "HDEL", "PUBLISH"));
    auto const mine = lock.try_acquire();
    EXPECT_TRUE(mine);
    EXPECT_THAT(sent(), ElementsAre("EVALSHA", "EVAL")) << "a refusal would say for how long it is held";
}

TEST_F(plain_commands_test, are_not_sent_to_who_does_not_want_them) {
    client user(with(command_set::scripts));
    user.get_lock(name).acquire().release();
    EXPECT_THAT(sent(), ElementsAre("EVALSHA", "EVAL", "EVALSHA", "EVAL"));
}

/// Whatever of them is refused, scripts do it.
class refused_plain_command_test : public plain_commands_test, public ::testing::WithParamInterface<char const*> {};
INSTANTIATE_TEST_SUITE_P(without, refused_plain_command_test, ::testing::Values("restore", "hdel"),
                         [](auto const& which) { return std::string(which.param); });

TEST_P(refused_plain_command_test, are_given_up_for_scripts_with_one_line_in_the_log) {
    std::mutex mutex;
    std::vector<std::string> warnings;
    set_log_sink(
        [&](log_level, std::string_view line) {
            std::lock_guard const guard(mutex);
            if (line.find("plain commands") != std::string_view::npos) warnings.emplace_back(line);
        },
        log_level::warning);
    client user(lacking({"-" + std::string(GetParam())}));
    auto lock = user.get_lock(name);
    for (int round = 0; round < 3; ++round) {
        lock.acquire().release();
        EXPECT_FALSE(exists(name));
    }
    set_log_sink({});
    std::lock_guard const guard(mutex);
    EXPECT_EQ(warnings.size(), 1U) << ::testing::PrintToString(warnings);
    EXPECT_EQ(user.stats().acquired, 3U);
    EXPECT_EQ(user.stats().released, 3U);
    expect_idle(user);
}

TEST_P(refused_plain_command_test, are_an_error_for_who_insists_on_them) {
    auto settings = lacking({"-" + std::string(GetParam())});
    settings.commands = command_set::plain;
    client user(settings);
    auto const refused = outcome_of([&] { user.get_lock(name).acquire({.lease = 500ms}).release(); });
    EXPECT_EQ(refused.reason, errc::server_refused) << refused;
    EXPECT_NE(refused.message.find(name), std::string::npos) << refused;
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
}

TEST_F(plain_commands_test, are_given_up_where_the_server_does_not_know_them) {
    redis_server limited(server_options{.arguments = {"--rename-command", "RESTORE", ""}});
    auto settings = quick(limited.uri());
    client user(settings);
    user.get_lock(name).acquire().release();
    EXPECT_EQ(limited.run("EXISTS", name).integer, 0);
    settings.commands = command_set::plain;
    client stubborn(settings);
    EXPECT_EQ(outcome_of([&] { (void)stubborn.get_lock(name).acquire(); }).reason, errc::server_refused);
}

TEST_F(plain_commands_test, take_no_lock_any_more_when_it_turns_out_that_none_could_be_renewed) {
    auto settings = lacking({"-eval", "-evalsha"});
    settings.lock_watchdog_timeout = 600ms;
    client user(settings);
    hold const mine = user.get_lock(name).acquire();
    auto another = user.get_lock(name + "-2");
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals > 0; }));
    EXPECT_TRUE(wait_until([&] {
        return outcome_of([&] { another.acquire({.wait = 1s}).release(); }).reason == errc::server_refused;
    })) << "who may not run scripts learns it when he takes a lock, not when he has lost it";
}

TEST_F(plain_commands_test, take_no_key_of_another_type) {
    server.run("SET", name, "text");
    client user(with(command_set::automatic));
    EXPECT_EQ(outcome_of([&] { (void)user.get_lock(name).acquire({.wait = 1s}); }).reason, errc::wrong_type);
    EXPECT_EQ(server.run("GET", name).text, "text");
}

TEST_F(plain_commands_test, give_a_lock_the_shortest_lease_and_not_none) {
    client user(with(command_set::automatic));
    hold mine = user.get_lock(name).acquire({.lease = 1ms});
    EXPECT_TRUE(wait_until([&] { return !exists(name); })) << "a TTL of 0 would be for ever";
    std::error_code ignored;
    mine.release(ignored);
}

/// The server hears HDEL and not PUBLISH.
TEST_F(plain_commands_test, wake_the_waiters_even_if_the_connection_breaks_in_the_middle_of_a_release) {
    byte_proxy proxy(server.address());
    auto settings = with(command_set::automatic);
    settings.address = proxy.address().uri();
    client user(settings);
    hold mine = user.get_lock(name).acquire();
    client other(with(command_set::automatic));
    auto waiter = in_thread([&] { return other.get_lock(name).acquire({.wait = 20s}); });
    // Who has subscribed asks once more, and would get a lock that is free by then.
    ASSERT_TRUE(wait_until([&] {
        auto const all = watch.commands();
        auto const is = [](char const* which) {
            return [=](words const& command) { return command.front() == which; };
        };
        auto const subscribed = std::find_if(all.begin(), all.end(), is("SUBSCRIBE"));
        return std::any_of(subscribed, all.end(), is("EVALSHA")) || std::any_of(subscribed, all.end(), is("EVAL"));
    }));
    auto trap = proxy.hold_tail(a_command("PUBLISH"), 0);
    auto release = in_thread([&] { return outcome_of([&] { mine.release(); }); });
    ASSERT_TRUE(trap.wait());
    ASSERT_TRUE(wait_until([&] { return !exists(name); }));
    EXPECT_FALSE(is_ready(waiter)) << "nobody has told him yet";
    trap.cut_server();
    trap.cut_client();
    auto const start = test_clock::now();
    EXPECT_EQ(release.get().reason, errc{});
    hold const next = waiter.get();
    EXPECT_TRUE(next);
    EXPECT_LT(since(start), 10s) << "the message comes with the next connection";
    EXPECT_TRUE(wait_until([&] { return user.stats().unresolved == 0; }));
    EXPECT_EQ(user.stats().released, 1U);
    EXPECT_EQ(user.stats().lost, 0U);
}

/// The server hears HDEL and its answer is lost; then HDEL is forbidden, and the script finds nothing to release. No PUBLISH
/// gets through before that.
TEST_F(plain_commands_test, wake_the_waiters_even_if_only_a_script_can_see_a_release_through) {
    byte_proxy proxy(server.address());
    auto settings = lacking({});
    settings.address = proxy.address().uri();
    settings.timeout = 1s;
    client user(settings);
    hold mine = user.get_lock(name).acquire();
    client other(with(command_set::automatic));
    auto waiter = in_thread([&] { return other.get_lock(name).acquire({.wait = 20s}); });
    // It asks once more when its subscription is confirmed: an attempt that is late would take the lock.
    ASSERT_TRUE(wait_until([&] { return command_counts(server)["pttl"] >= 2; }));
    auto const answer = proxy.hold_reply(a_command("HDEL"));
    auto const before_scripts = [seen = std::make_shared<std::atomic<bool>>(false)](words const& command) {
        if (any_script()(command)) *seen = true;
        return !*seen && a_command("PUBLISH")(command);
    };
    auto const message = proxy.hold_tail(before_scripts, 0);
    for (int further = 0; further < 4; ++further) proxy.hold_tail(before_scripts, 0); // one for each connection
    auto release = in_thread([&] { return outcome_of([&] { mine.release(); }); });
    ASSERT_TRUE(answer.wait());
    ASSERT_TRUE(message.wait());
    EXPECT_FALSE(exists(name));
    server.run("ACL", "SETUSER", "restricted", "-hdel");
    EXPECT_EQ(release.get().reason, errc::outcome_unknown);
    EXPECT_TRUE(waiter.get()) << "somebody has told it";
    EXPECT_TRUE(wait_until([&] { return user.stats().unresolved == 0; }));
}

} // namespace
} // namespace redlatch::test
