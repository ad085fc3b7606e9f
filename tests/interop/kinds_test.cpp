// Each kind of lock of ours beside the same kind of Redisson's: who holds keeps the other side out, and is followed by it.
#include "behaviour/kinds.hpp"
#include "contest.hpp"
#include "interop_test.hpp"

namespace redlatch::test {
namespace {

struct same_kind : interop_test, ::testing::WithParamInterface<lock_kind> {
    java_peer::words const key{"same kind: " + std::string(GetParam().name)};
    any_lock lock = GetParam().get(cpp, key.front());

    /// The command on Java's lock of this kind.
    std::string of_kind(std::string const& command) const {
        auto const& kind = GetParam();
        return std::string(kind.to_redisson.empty() ? kind.name : kind.to_redisson) + "/" + command;
    }
};

INSTANTIATE_TEST_SUITE_P(of, same_kind, ::testing::ValuesIn(lock_kinds),
                         [](auto const& about) { return std::string(about.param.name); });

TEST_P(same_kind, keeps_java_out_and_is_seen_by_it) {
    hold held = lock.acquire();
    EXPECT_TRUE(java().yes("a", of_kind("isLocked"), key));
    EXPECT_FALSE(java().yes("a", of_kind("tryLock"), key));
    auto short_wait = key;
    short_wait.insert(short_wait.end(), {"200", "5000"});
    EXPECT_FALSE(java().yes("a", of_kind("tryLock"), short_wait));
    held.ensure_held();
    held.release();
    EXPECT_TRUE(java().yes("a", of_kind("tryLock"), key));
    java().value("a", of_kind("unlock"), key);
}

TEST_P(same_kind, is_kept_out_by_java_and_sees_it) {
    java().value("a", of_kind("lock"), key);
    EXPECT_TRUE(lock.is_locked());
    std::error_code ec;
    EXPECT_FALSE(lock.try_acquire({}, ec));
    EXPECT_EQ(ec, errc::busy);
    EXPECT_TRUE(still_busy(lock, {.wait = 200ms}));
    auto const seen = lock.inspect();
    ASSERT_EQ(seen.owners.size(), 1U);
    EXPECT_EQ(seen.owners[0].client, java().value("main", "id"));
    java().value("a", of_kind("unlock"), key);
    EXPECT_TRUE(lock.try_acquire());
}

TEST_P(same_kind, is_followed_by_a_java_waiter_when_its_minimum_hold_is_over) {
    auto const start = test_clock::now();
    hold held = lock.acquire({.hold_at_least = 1s}); // with a lease of 30 s
    auto const waits = java().start("b", of_kind("lock"), key);
    EXPECT_FALSE(java().reply_if_any(waits, 300ms).has_value()) << "it waits";
    held.release();
    EXPECT_TRUE(java().end_of(waits).ok);
    EXPECT_GE(since(start), 1s);
    EXPECT_LT(since(start), 25s) << "it waited for the lease that was there before the release";
    java().value("b", of_kind("unlock"), key);
}

TEST_P(same_kind, is_followed_by_a_java_waiter) {
    hold held = lock.acquire();
    auto const waits = java().start("b", of_kind("lock"), key);
    EXPECT_FALSE(java().reply_if_any(waits, 300ms).has_value()) << "it waits";
    held.release();
    EXPECT_TRUE(java().end_of(waits).ok);
    EXPECT_FALSE(lock.try_acquire());
    java().value("b", of_kind("unlock"), key);
}

TEST_P(same_kind, follows_a_java_holder) {
    java().value("a", of_kind("lock"), key);
    auto waiter = in_thread([&] { return lock.acquire({.wait = 20s, .owner = owner()}); });
    EXPECT_TRUE(wait_until([&] { return cpp.stats().waiters == 1; }));
    java().value("a", of_kind("unlock"), key);
    EXPECT_TRUE(waiter.get());
}

TEST_P(same_kind, is_ended_by_force_from_the_other_side) {
    hold mine = lock.acquire();
    EXPECT_EQ(java().yes("a", of_kind("forceUnlock"), key), GetParam().java_tells_of_force);
    std::error_code ec;
    mine.release(ec);
    EXPECT_EQ(ec, errc::lease_lost);
    java().value("a", of_kind("lock"), key);
    EXPECT_TRUE(lock.force_unlock());
    EXPECT_FALSE(java().yes("a", of_kind("isLocked"), key));
    // Redisson's fair lock does not tell: to release what nobody holds succeeds.
    EXPECT_EQ(java().ask("a", of_kind("unlock"), key).ok, GetParam().queues_on_server);
}

TEST_P(same_kind, lets_in_one_at_a_time_beside_java_and_neither_side_is_starved) {
    bool const told = GetParam().announces_releases;
    // Who was refused a spin lock sleeps for up to 128 ms, tells nobody that it waits, and finds the lock free by chance. With
    // these pauses Java had 39 to 47 % of 400 entries. With 3 ms it had 38 to 79 %, but nothing at all until it was seen once
    // (polling_yield.hpp), which takes some seconds. Without pauses Java keeps it: it asks again right behind its release.
    expect_one_at_a_time_and_a_tenth_each(up_to_three([&] {
        return contest(
            server(), java(), of_kind("contest"), key.front(), {told ? 200 : 400},
            [&] { return lock.acquire({.wait = patience}); }, told ? no_pause : 10ms);
    }));
}

TEST_F(interop_test, tokens_grow_across_both_languages) {
    auto const lock = cpp.get_fenced_lock(name);
    any_lock ours(lock);
    std::uint64_t last = 0;
    for (int round = 0; round < 3; ++round) {
        hold mine = ours.acquire();
        ASSERT_TRUE(mine.token());
        EXPECT_EQ(*mine.token(), last + 1);
        hold again = ours.acquire();
        EXPECT_EQ(again.token(), mine.token());
        EXPECT_EQ(java().number("a", "fenced/getToken", {name}), static_cast<long long>(last + 2))
            << "a re-entry counts";
        again.release();
        mine.release();
        auto const theirs = java().number("a", "fenced/lockAndGetToken", {name});
        EXPECT_EQ(theirs, static_cast<long long>(last + 3));
        java().value("a", "fenced/unlock", {name});
        last = static_cast<std::uint64_t>(theirs);
    }
}

TEST_P(same_kind, counts_on_from_the_tokens_of_java_and_java_from_its_own) {
    // Of its own: what Redisson leaves in the hash of a group keeps other kinds of lock out.
    auto const counted = key.front() + ", with tokens";
    any_lock ours = GetParam().get(cpp, counted);
    auto const take_in_java = [&] {
        auto const token = java().number("a", "fenced/lockAndGetToken", {counted});
        java().value("a", "fenced/unlock", {counted});
        return static_cast<std::uint64_t>(token);
    };
    auto last = take_in_java();
    for (int round = 0; round < 2; ++round) {
        hold mine = ours.acquire({.fencing = true});
        EXPECT_EQ(mine.token(), ++last);
        mine.release();
        EXPECT_EQ(take_in_java(), ++last);
    }
    client forgets(as_variant(config{.address = server().uri(), .fencing_counter_ttl = 1h}));
    EXPECT_EQ(GetParam().get(forgets, counted).acquire({.fencing = true}).token(), ++last);
    EXPECT_EQ(take_in_java(), ++last) << "a counter with an expiry is a counter";
    EXPECT_GT(pttl(server(), "redisson_lock_token:{" + counted + "}"), 0);
}

TEST_P(same_kind, is_refused_a_second_time_by_java_as_by_ours_unless_re_entrant) {
    java().value("a", of_kind("lock"), key);
    auto const again = java().ask("a", of_kind("lock"), key);
    EXPECT_EQ(again.ok, GetParam().reentrant || !GetParam().to_redisson.empty()) << "Redisson's fenced lock is";
    EXPECT_EQ(again.value.find("non-reentrant") != std::string::npos, !again.ok) << again.value;
    for (int levels = again.ok ? 2 : 1; levels > 0; --levels) java().value("a", of_kind("unlock"), key);
    hold const mine = lock.acquire();
    std::error_code ec;
    EXPECT_EQ(static_cast<bool>(lock.acquire({}, ec)), GetParam().reentrant);
    EXPECT_EQ(ec == errc::would_deadlock, !GetParam().reentrant);
}

} // namespace
} // namespace redlatch::test
