// What all locks have in common: calls that end before their answer, leases, ids, renewal, cost.
#include "redisson_defects_test.hpp"
#include "support/lock_helpers.hpp"

namespace redlatch::test {
namespace {

class redisson_defects_lock : public redisson_defects_test {
protected:
    any_lock ours{brief_cpp.get_lock(name)};
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
