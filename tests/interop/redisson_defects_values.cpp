// Values of a group: counts, renewal, messages, questions.
#include "redisson_defects_test.hpp"
#include "support/lock_helpers.hpp"

#include <gmock/gmock.h>
#include <optional>

namespace redlatch::test {
namespace {

class redisson_defects_values : public redisson_defects_test {
protected:
    std::string with(std::string const& value) const { return name + "|" + value; }
    any_lock ours(client& from, std::string const& value) { return from.get_faster_multi_lock(name, {value}); }
};

TEST_F(redisson_defects_values, java_goes_on_counting_from_a_hold_whose_lease_is_over) {
    hold const beside = ours(cpp, "other").acquire(); // by which the group lives on
    ASSERT_TRUE(java().yes("a", "faster_multi/tryLock", {with("a"), "0", "100"}));
    ASSERT_TRUE(wait_until([&] { return !java().yes("b", "faster_multi/isLocked", {with("a")}); }));
    java().value("a", "faster_multi/lock", {with("a")});
    java().value("a", "faster_multi/unlock", {with("a")});
    EXPECT_TRUE(java().yes("b", "faster_multi/isLocked", {with("a")})) << "locked once, unlocked once";
    java().value("a", "faster_multi/unlock", {with("a")});
}

TEST_F(redisson_defects_values, ours_counts_anew_after_a_hold_whose_lease_is_over) {
    hold const beside = ours(cpp, "other").acquire();
    owner const me;
    hold const first = ours(cpp, "a").acquire({.lease = 100ms, .owner = me});
    ASSERT_TRUE(wait_until([&] { return !ours(cpp, "a").is_locked(); }));
    ours(cpp, "a").acquire({.owner = me}).release();
    EXPECT_FALSE(ours(cpp, "a").is_locked());
}

TEST_F(redisson_defects_values, java_renews_one_of_two_holds_in_a_group) {
    java_peer& peer = brief_java();
    peer.value("a", "faster_multi/lock", {with("a")});
    peer.value("b", "faster_multi/lock", {with("b")});
    hold const got = ours(cpp, "b").acquire({.wait = 10s}); // of a thread that holds it
    EXPECT_FALSE(ours(cpp, "a").try_acquire({.owner = owner()}));
    peer.value("a", "faster_multi/unlock", {with("a")});
    EXPECT_FALSE(peer.ask("b", "faster_multi/unlock", {with("b")}).ok);
}

TEST_F(redisson_defects_values, ours_renews_all_holds_in_a_group) {
    hold const one = ours(brief_cpp, "a").acquire({.owner = owner()});
    hold const two = ours(brief_cpp, "b").acquire({.owner = owner()});
    std::error_code ec;
    EXPECT_FALSE(ours(cpp, "b").acquire({.wait = 2 * brief_watchdog}, ec));
    EXPECT_FALSE(ours(cpp, "a").try_acquire());
    one.ensure_held();
    two.ensure_held();
}

TEST_F(redisson_defects_values, java_wakes_a_waiter_for_another_value_and_lets_the_one_that_could_go_on_sleep) {
    hold first = ours(cpp, "a").acquire({.owner = owner()});
    hold second = ours(cpp, "b").acquire({.owner = owner()});
    auto const for_first = java_waits("a", with("a"), "faster_multi/lock");
    auto const for_second = java_waits("b", with("b"), "faster_multi/lock");
    second.release();
    EXPECT_TRUE(still_waits(for_second));
    EXPECT_FALSE(ours(cpp, "b").is_locked()) << "it is free";
    server().run("PUBLISH", channel_of(name), "1"); // by which all waiters are woken
    EXPECT_TRUE(java().end_of(for_second).ok);
    java().value("b", "faster_multi/unlock", {with("b")});
    first.release();
    EXPECT_TRUE(java().end_of(for_first).ok);
    java().value("a", "faster_multi/unlock", {with("a")});
}

TEST_F(redisson_defects_values, ours_wakes_the_waiter_that_can_go_on) {
    java().value("a", "faster_multi/lock", {with("a")});
    java().value("b", "faster_multi/lock", {with("b")});
    auto for_first = in_thread([&] { return ours(cpp, "a").acquire({.owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return cpp.stats().waiters == 1; }));
    auto for_second = in_thread([&] { return ours(cpp, "b").acquire({.owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return cpp.stats().waiters == 2 && subscribers(name) == 1; }));
    auto const begin = std::chrono::steady_clock::now();
    java().value("b", "faster_multi/unlock", {with("b")});
    for_second.get().release();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s) << "a lease is 30 s";
    java().value("a", "faster_multi/unlock", {with("a")});
    for_first.get().release();
}

TEST_F(redisson_defects_values, java_says_of_a_value_that_anybody_holds_that_each_thread_does) {
    hold const held = ours(cpp, "a").acquire();
    EXPECT_TRUE(java().yes("a", "faster_multi/isHeld", {with("a")}));
}

TEST_F(redisson_defects_values, ours_says_of_a_value_who_holds_it) {
    java().value("a", "faster_multi/lock", {with("a")});
    EXPECT_FALSE(ours(cpp, "a").is_held());
    java().value("a", "faster_multi/unlock", {with("a")});
}

TEST_F(redisson_defects_values, java_fails_to_end_by_force_what_is_held_in_part_and_denies_what_it_has_ended) {
    hold const held = ours(cpp, "a").acquire();
    EXPECT_FALSE(java().ask("a", "faster_multi/forceUnlock", {with("a,b")}).ok) << "b is free";
    EXPECT_FALSE(java().yes("a", "faster_multi/isLocked", {with("a")}))
        << "a is released all the same, and nobody told";
    any_lock both{cpp.get_faster_multi_lock(name, {"a", "b"})};
    hold const again = both.acquire({.owner = owner()});
    EXPECT_FALSE(java().yes("a", "faster_multi/forceUnlock", {with("a,b")}))
        << "it ends two holds, and only one is true";
    EXPECT_FALSE(both.is_locked());
}

TEST_F(redisson_defects_values, ours_ends_by_force_what_is_held_in_part_and_says_so) {
    java().value("a", "faster_multi/lock", {with("a")});
    any_lock both{cpp.get_faster_multi_lock(name, {"a", "b"})};
    EXPECT_TRUE(both.force_unlock());
    EXPECT_FALSE(both.is_locked());
    EXPECT_FALSE(both.force_unlock());
}

TEST_F(redisson_defects_values, java_cannot_lock_asynchronously_without_a_lease) {
    auto const answer = java().ask("a", "faster_multi/lockAsyncWithoutLease", {with("a")});
    EXPECT_FALSE(answer.ok);
    EXPECT_THAT(answer.exception_class + " " + answer.value, ::testing::HasSubstr("NullPointerException"));
}

TEST_F(redisson_defects_values, java_says_that_it_has_what_is_over_already) {
    hold held = ours(cpp, "a").acquire();
    auto const before = script_calls();
    auto const waits = java().start("a", "faster_multi/tryLockAsyncWithoutLease", {with("a"), "15000"});
    EXPECT_TRUE(wait_until([&] { return script_calls() >= before + 2; }));
    EXPECT_TRUE(still_waits(waits));
    held.release();
    EXPECT_EQ(java().end_of(waits).value, "true");
    EXPECT_TRUE(ours(cpp, "a").try_acquire({.owner = owner()})) << "its lease was -1 ms";
}

TEST_F(redisson_defects_values, ours_has_asynchronously_what_it_says) {
    owner const me;
    auto const tried = [&](acquire_options const& options) {
        return ended<redlatch::hold>(
            [&](completion_ptr<redlatch::hold>& done) { return ours(cpp, "a").start_acquire(options, done); });
    };
    java().value("a", "faster_multi/lock", {with("a")});
    auto waits = in_thread([&] { return tried({.wait = patience, .owner = me}); });
    EXPECT_TRUE(wait_until([&] { return cpp.stats().waiters == 1 && subscribers(name) == 1; }));
    java().value("a", "faster_multi/unlock", {with("a")});
    auto const after_a_wait = waits.get();
    auto const at_once = tried({.owner = me});
    EXPECT_FALSE(after_a_wait.code || at_once.code);
    EXPECT_FALSE(ours(cpp, "a").try_acquire({.owner = owner()}));
}

TEST_F(redisson_defects_values, java_cannot_be_interrupted_while_it_waits) {
    hold held = ours(cpp, "a").acquire();
    auto const waits = java_waits("a", with("a"), "faster_multi/lockInterruptibly");
    interrupt(java(), "a");
    EXPECT_TRUE(still_waits(waits));
    held.release();
    EXPECT_TRUE(java().end_of(waits).ok);
    java().value("a", "faster_multi/unlock", {with("a")});
}

TEST_F(redisson_defects_values, ours_can_be_cancelled_while_it_waits) {
    java().value("a", "faster_multi/lock", {with("a")});
    std::stop_source stop;
    auto waits = in_thread([&] { return ours(cpp, "a").acquire({.owner = owner(), .stop = stop.get_token()}); });
    EXPECT_TRUE(wait_until([&] { return cpp.stats().waiters == 1; }));
    stop.request_stop();
    EXPECT_EQ(waits.wait_for(10s), std::future_status::ready);
    java().value("a", "faster_multi/unlock", {with("a")}); // so that it ends in any case
    EXPECT_THROW(static_cast<void>(waits.get()), error);
}

TEST_F(redisson_defects_values, java_tells_nobody_of_the_values_that_it_releases_where_it_has_lost_one) {
    java().value("a", "faster_multi/lock", {with("a,b")});
    EXPECT_TRUE(ours(cpp, "b").force_unlock());
    raw_client ear = server().admin();
    ear.command("SUBSCRIBE", channel_of(name));
    EXPECT_FALSE(java().ask("a", "faster_multi/unlock", {with("a,b")}).ok);
    EXPECT_FALSE(ours(cpp, "a").is_locked()) << "whoever waits for it sleeps on";
    EXPECT_FALSE(ear.receive_if_any(a_moment));
}

TEST_F(redisson_defects_values, ours_tells_of_the_values_that_it_releases_where_it_has_lost_one) {
    any_lock both{cpp.get_faster_multi_lock(name, {"a", "b"})};
    hold held = both.acquire();
    raw_client ear = server().admin();
    ear.command("SUBSCRIBE", channel_of(name));
    EXPECT_TRUE(java().ask("a", "faster_multi/forceUnlock", {with("b")}).ok);
    EXPECT_TRUE(ear.receive_if_any(patience)) << "Java's";
    std::error_code ec;
    held.release(ec);
    EXPECT_EQ(ec, errc::lease_lost);
    EXPECT_TRUE(ear.receive_if_any(patience)) << "ours";
    EXPECT_FALSE(ours(cpp, "a").is_locked());
}

/// A value that is free in the last millisecond of its group. How many rounds it takes to meet that is a matter of luck.
class last_millisecond {
public:
    last_millisecond(redis_server const& server, std::string const& group, long long ends) {
        auto const at = std::to_string(ends);
        auto const field = locking::faster_multi::fields_of(std::vector<std::string>{"a"}).at(0);
        server.run("HSET", group, field, "gone:1", field + ":gone:1:expire_time", at, field + ":gone:1:lock_count",
                   "1");
        server.run("PEXPIREAT", group, at);
    }
};

TEST_F(redisson_defects_values, java_loses_what_it_takes_in_the_last_millisecond_of_the_group) {
    EXPECT_TRUE(wait_until([&] {
        last_millisecond const there(server(), name, server_milliseconds() + 30);
        java().value("a", "faster_multi/tryLockAgainAndAgain", {with("a")});
        bool const vanished = wait_until([&] { return !exists(name); }, 10ms);
        server().run("DEL", name);
        java().ask("a", "faster_multi/unlock", {with("a")});
        return vanished;
    })) << "it answers true, for a lease of 30 s";
}

TEST_F(redisson_defects_values, ours_keeps_what_it_takes_in_the_last_millisecond_of_the_group) {
    for (int round = 0; round < 30; ++round) {
        last_millisecond const there(server(), name, server_milliseconds() + 10);
        std::optional<hold> held;
        ASSERT_TRUE(wait_until([&] {
            for (int times = 0; times < 20 && !held; ++times) held = ours(cpp, "a").try_acquire();
            return held.has_value();
        }));
        EXPECT_TRUE(stays([&] { return exists(name); }, 3ms));
    }
}

} // namespace
} // namespace redlatch::test
