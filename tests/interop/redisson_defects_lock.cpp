// What all locks have in common: calls that end before their answer, leases, ids, renewal, cost.
#include "redisson_defects_test.hpp"
#include "support/lock_helpers.hpp"

#include <algorithm>
#include <functional>
#include <optional>

namespace redlatch::test {
namespace {

class redisson_defects_lock : public redisson_defects_test {
protected:
    any_lock ours{brief_cpp.get_lock(name)};
};

/// Of one client; the bad ones are to become something that cannot be renewed.
struct some_locks {
    std::vector<std::string> good{};
    std::vector<std::string> bad{};

    explicit some_locks(std::string const& name) {
        for (int number = 0; number < 30; ++number)
            (number < 25 ? good : bad).push_back(name + "-" + std::to_string(number));
    }
};

TEST_F(redisson_defects_lock, java_goes_on_holding_what_it_got_after_its_call_was_interrupted) {
    java_peer& peer = brief_java(); // which writes when it connects
    {
        writes_paused const paused;
        auto const call = peer.start("a", "lock", {name});
        ASSERT_TRUE(paused.hold_up(1));
        interrupt(peer, "a");
        EXPECT_FALSE(peer.end_of(call).ok);
    }
    EXPECT_TRUE(wait_until([&] { return exists(name); }));
    EXPECT_TRUE(renewed(1)) << "for a thread that was told of an error";
    EXPECT_TRUE(peer.yes("b", "forceUnlock", {name}));
}

TEST_F(redisson_defects_lock, ours_gives_back_what_it_got_after_its_call_was_cancelled) {
    {
        writes_paused const paused;
        std::stop_source stop;
        auto call = in_thread([&] { return ours.acquire({.owner = owner(), .stop = stop.get_token()}); });
        ASSERT_TRUE(paused.hold_up(1));
        stop.request_stop();
        EXPECT_THROW(static_cast<void>(call.get()), error);
    }
    brief_cpp.ping(); // behind the acquisition, on the same connection
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
    EXPECT_TRUE(wait_until([&] { return brief_cpp.stats().unresolved == 0; }));
    EXPECT_FALSE(exists(name));
}

TEST_F(redisson_defects_lock, java_tries_for_longer_than_it_may_wait_when_the_server_is_slow) {
    java_peer& peer = java(); // which writes when it connects
    java_peer::ticket call = 0;
    {
        writes_paused const paused;
        call = peer.start("a", "tryLock", {name, "100"});
        ASSERT_TRUE(paused.hold_up(1));
        EXPECT_FALSE(peer.reply_if_any(call, 1s)) << "ten times as long as it may wait";
    }
    EXPECT_EQ(peer.end_of(call).value, "true") << "and then it has the lock";
    peer.value("a", "unlock", {name});
}

TEST_F(redisson_defects_lock, ours_tries_for_no_longer_than_it_may_wait_when_the_server_is_slow) {
    writes_paused const paused;
    auto const begin = std::chrono::steady_clock::now();
    std::error_code ec;
    EXPECT_FALSE(ours.acquire({.wait = 100ms, .owner = owner()}, ec));
    EXPECT_EQ(ec, errc::disconnected) << "it has said nothing";
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
}

TEST_F(redisson_defects_lock, java_ends_with_a_late_unlock_what_its_thread_has_acquired_since) {
    java().value("a", "lock", {name, "100"});
    ASSERT_TRUE(wait_until([&] { return !exists(name); })) << "the lease is over";
    java().value("a", "lock", {name});
    java().value("a", "unlock", {name}); // of the first section
    EXPECT_FALSE(exists(name)) << "both are OWNER";
    EXPECT_EQ(java().ask("a", "unlock", {name}).exception_class, "IllegalMonitorStateException");
}

TEST_F(redisson_defects_lock, ours_keeps_what_its_owner_has_acquired_since_when_a_release_comes_late) {
    owner const me;
    hold first = ours.acquire({.lease = 100ms, .owner = me});
    ASSERT_TRUE(wait_until([&] { return !exists(name); })) << "the lease is over";
    hold const second = ours.acquire({.owner = me});
    std::error_code ec;
    first.release(ec);
    EXPECT_EQ(ec, errc::lease_lost);
    EXPECT_TRUE(exists(name));
    second.ensure_held();
}

TEST_F(redisson_defects_lock, java_takes_the_lease_of_an_outer_lock_for_an_inner_one_without_a_lease) {
    EXPECT_LE(java().number("a", "lockWithinLease", {name, "10000"}), 10'000) << "ms; the watchdog timeout is 30 s";
    EXPECT_TRUE(java().yes("a", "forceUnlock", {name}));
}

TEST_F(redisson_defects_lock, ours_takes_the_watchdog_timeout_for_an_inner_lock_without_a_lease) {
    owner const me;
    any_lock lock{cpp.get_lock(name)};
    hold const outer = lock.acquire({.lease = 10s, .owner = me});
    hold const inner = lock.acquire({.owner = me});
    EXPECT_GT(ttl(), 20'000);
}

TEST_F(redisson_defects_lock, java_gives_a_spin_lock_the_lease_of_an_attempt_that_was_refused) {
    EXPECT_LE(java().number("a", "spin/unlockOnceBesideAnAttempt", {name, "60000", "500"}), 500) << "ms, of 60 s";
    EXPECT_TRUE(wait_until([&] { return !exists(name); }, 5s)) << "it is held once still";
    EXPECT_EQ(java().ask("a", "spin/unlock", {name}).exception_class, "IllegalMonitorStateException");
}

TEST_F(redisson_defects_lock, ours_keeps_the_lease_of_a_spin_lock_beside_an_attempt_that_is_refused) {
    owner const me;
    any_lock lock{cpp.get_spin_lock(name)};
    hold const outer = lock.acquire({.lease = 60s, .owner = me});
    hold inner = lock.acquire({.lease = 60s, .owner = me});
    EXPECT_FALSE(lock.try_acquire({.lease = 500ms, .owner = owner()}));
    inner.release();
    EXPECT_GT(ttl(), 50'000);
}

TEST_F(redisson_defects_lock, java_gives_a_re_entry_another_token) {
    auto const outer = java().number("a", "fenced/lockAndGetToken", {name});
    EXPECT_GT(java().number("a", "fenced/lockAndGetToken", {name}), outer);
    EXPECT_TRUE(java().yes("a", "fenced/forceUnlock", {name}));
}

TEST_F(redisson_defects_lock, ours_gives_a_re_entry_the_token_of_its_owner) {
    owner const me;
    any_lock lock{cpp.get_fenced_lock(name)};
    hold const outer = lock.acquire({.owner = me});
    hold const inner = lock.acquire({.owner = me});
    EXPECT_EQ(inner.token(), outer.token());
}

TEST_F(redisson_defects_lock, java_writes_and_deletes_a_second_key_for_each_unlock) {
    java().value("a", "lock", {name});
    auto before = command_counts(server());
    java().value("a", "unlock", {name});
    // The deletion is not waited for.
    EXPECT_TRUE(wait_until([&] { return command_counts(server())["del"] >= before["del"] + 2; }));
    EXPECT_EQ(command_counts(server())["set"] - before["set"], 1U);
}

TEST_F(redisson_defects_lock, ours_writes_no_second_key_for_a_release) {
    hold held = ours.acquire();
    auto before = command_counts(server());
    held.release();
    auto after = command_counts(server());
    EXPECT_EQ(after["set"], before["set"]);
    EXPECT_LE(after["del"] + after["hdel"], before["del"] + before["hdel"] + 1);
}

TEST_F(redisson_defects_lock, java_waits_for_the_answer_to_a_command_whose_connection_is_gone) {
    java_peer& peer = java(); // which writes when it connects
    java_peer::ticket call = 0;
    {
        writes_paused const paused;
        call = peer.start("a", "lock", {name});
        ASSERT_TRUE(paused.hold_up(1));
        paused.break_connections();
    }
    EXPECT_FALSE(peer.reply_if_any(call, 2s)) << "and the lock is free";
    EXPECT_EQ(peer.end_of(call).exception_class, "RedisResponseTimeoutException");
    EXPECT_FALSE(exists(name));
}

TEST_F(redisson_defects_lock, ours_repeats_a_command_whose_connection_is_gone) {
    std::optional<writes_paused> paused(std::in_place);
    auto call = in_thread([&] { return ours.acquire({.wait = patience, .owner = owner()}); });
    EXPECT_TRUE(paused->hold_up(1));
    paused->break_connections();
    paused.reset();
    EXPECT_EQ(call.wait_for(2s), std::future_status::ready);
    EXPECT_TRUE(call.get());
}

TEST_F(redisson_defects_lock, java_renews_no_lock_behind_one_that_it_cannot_renew) {
    some_locks const locks{name};
    for (auto const& lock : locks.good) brief_java().value("a", "lock", {lock});
    for (auto const& lock : locks.bad) brief_java().value("a", "lock", {lock});
    for (auto const& lock : locks.bad) server().run("SET", lock, "no lock any more");
    EXPECT_TRUE(wait_until([&] { return std::ranges::any_of(locks.good, std::not_fn(exists)); }))
        << "that all bad ones are the last in its table is one case in millions";
    for (auto const& lock : locks.bad) server().run("DEL", lock);
    for (auto const& all : {locks.good, locks.bad})
        for (auto const& lock : all) brief_java().value("a", "forceUnlock", {lock});
}

TEST_F(redisson_defects_lock, ours_renews_every_lock_beside_some_that_it_cannot_renew) {
    some_locks const locks{name};
    std::vector<hold> held;
    for (auto const& lock : locks.good) held.push_back(brief_cpp.get_lock(lock).acquire());
    std::vector<hold> lost;
    for (auto const& lock : locks.bad) lost.push_back(brief_cpp.get_lock(lock).acquire());
    for (auto const& lock : locks.bad) server().run("SET", lock, "no lock any more");
    EXPECT_TRUE(stays([&] { return std::ranges::all_of(locks.good, exists); }, 2 * brief_watchdog));
    for (auto const& one : held) one.ensure_held();
    for (auto const& lock : locks.bad) server().run("DEL", lock);
}

TEST_F(redisson_defects_lock, java_renews_a_lock_no_more_that_another_thread_of_its_process_has_lost) {
    constexpr int times = 100; // which it goes on trying to renew for the former holder, one of them in each period
    for (int level = 0; level < times; ++level) brief_java().value("a", "lock", {name});
    server().run("DEL", name);
    brief_java().value("b", "lock", {name});
    EXPECT_TRUE(brief_java().yes("b", "isHeld", {name}));
    EXPECT_TRUE(wait_until([&] { return !exists(name); }, 2 * brief_watchdog)) << "and nobody has released it";
    EXPECT_EQ(brief_java().ask("b", "unlock", {name}).exception_class, "IllegalMonitorStateException");
    brief_java().value("b", "forceUnlock", {name}); // by which it forgets the former one, too
}

TEST_F(redisson_defects_lock, ours_renews_a_lock_that_another_owner_of_its_process_has_lost) {
    owner const former;
    std::vector<hold> lost;
    for (int level = 0; level < 100; ++level) lost.push_back(ours.acquire({.owner = former}));
    server().run("DEL", name);
    hold const held = ours.acquire({.wait = patience, .owner = owner()});
    EXPECT_TRUE(renewed(4)) << "beyond its first lease";
    held.ensure_held();
}

TEST_F(redisson_defects_lock, java_wakes_a_thread_and_a_callback_of_one_process_by_one_message) {
    hold_as_stranger(server(), name, 60s);
    auto const thread = java_waits("a", name);
    auto const callback = java_waits("b", name, "lockAsyncWithoutLease");
    auto const before = script_calls();
    release_as_stranger(server(), name);
    EXPECT_TRUE(wait_until([&] { return script_calls() >= before + 2; })) << "and one of them asks in vain";
    for (int times = 0; times < 2; ++times) {
        EXPECT_TRUE(wait_until([&] { return exists(name); }));
        java().value("c", "forceUnlock", {name});
    }
    EXPECT_TRUE(java().end_of(thread).ok);
    EXPECT_TRUE(java().end_of(callback).ok);
}

TEST_F(redisson_defects_lock, java_asks_twice_before_it_waits_although_it_listens_already) {
    hold_as_stranger(server(), name, 60s);
    auto const first = java_waits("a", name);
    EXPECT_EQ(subscribers(name), 1);
    auto const before = script_calls();
    auto const second = java_waits("b", name);
    EXPECT_GE(script_calls() - before, 2) << "nothing can have changed unheard";
    release_as_stranger(server(), name);
    for (int times = 0; times < 2; ++times) {
        EXPECT_TRUE(wait_until([&] { return exists(name); }));
        java().value("c", "forceUnlock", {name});
    }
    EXPECT_TRUE(java().end_of(first).ok);
    EXPECT_TRUE(java().end_of(second).ok);
}

TEST_F(redisson_defects_lock, java_ignores_the_lease_of_a_lock_with_a_token) {
    java().value("a", "fenced/lockWithLeaseAndGetToken", {name, "500"});
    EXPECT_GT(ttl(), 20'000) << "ms; the watchdog timeout is 30 s";
    java().value("a", "fenced/unlock", {name});
}

TEST_F(redisson_defects_lock, java_waits_without_a_limit_where_it_was_to_try_for_a_token_once) {
    hold_as_stranger(server(), name, 60s);
    auto const call = java().start("a", "fenced/tryLockAndGetToken", {name});
    EXPECT_FALSE(java().reply_if_any(call, 500ms));
    release_as_stranger(server(), name);
    EXPECT_TRUE(java().end_of(call).ok);
    java().value("a", "fenced/unlock", {name});
}

TEST_F(redisson_defects_lock, ours_gives_a_lock_with_a_token_the_lease_and_tries_once) {
    any_lock lock{cpp.get_fenced_lock(name)};
    hold const held = lock.acquire({.lease = 500ms, .owner = owner()});
    EXPECT_TRUE(held.token());
    EXPECT_LE(ttl(), 500);
    auto const begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(lock.try_acquire({.owner = owner()}));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 500ms);
}

constexpr int cycles = 3000;
constexpr int renewals_of_one_timer = 30; // of a period of 500 ms, in any time that the cycles may take here

TEST_F(redisson_defects_lock, java_renews_ever_more_often_as_it_locks_and_unlocks) {
    // Acquisition and release are a script each; what is more are renewals.
    auto const before = script_calls();
    brief_java().value("a", "contend", {name, name, std::to_string(cycles)});
    EXPECT_GT(script_calls() - before - 2 * cycles, renewals_of_one_timer);
}

TEST_F(redisson_defects_lock, ours_renews_no_more_often_as_it_locks_and_unlocks) {
    auto const before = brief_cpp.stats().renewals;
    for (int cycle = 0; cycle < cycles; ++cycle) static_cast<void>(ours.acquire());
    EXPECT_LE(brief_cpp.stats().renewals - before, unsigned(renewals_of_one_timer));
}

} // namespace
} // namespace redlatch::test
