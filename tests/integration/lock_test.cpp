// The behaviours that Redisson's own tests of RLock (RedissonLockTest) ask for; docs/redisson_tests.md has the table.
#include "integration/fixture.hpp"
#include "support/both_faces.hpp"

#include <csignal>
#include <pthread.h>
#include <thread>

namespace redlatch::test {
namespace {

class lock_test : public with_server {
protected:
    client user{quick(server.uri())};
    client other{quick(server.uri())};
    reentrant_lock lock = user.get_lock(name);
    reentrant_lock theirs = other.get_lock(name);

    void TearDown() override {
        expect_idle(user);
        expect_idle(other);
        expect_clean(server);
    }
};

TEST_F(lock_test, locks_and_unlocks_again_and_again) {
    for (int round = 0; round < 2; ++round) {
        lock.lock();
        EXPECT_TRUE(exists(name));
        lock.unlock();
        EXPECT_FALSE(exists(name));
    }
}

TEST_F(lock_test, is_locked_is_seen_by_everybody_while_held) {
    EXPECT_FALSE(lock.is_locked());
    lock.lock();
    EXPECT_TRUE(lock.is_locked());
    EXPECT_TRUE(in_thread([&] { return lock.is_locked(); }).get());
    EXPECT_TRUE(theirs.is_locked());
    lock.unlock();
    EXPECT_FALSE(lock.is_locked());
    EXPECT_FALSE(in_thread([&] { return lock.is_locked(); }).get());
}

TEST_F(lock_test, is_held_only_by_the_thread_that_took_it) {
    EXPECT_FALSE(lock.is_held());
    lock.lock();
    EXPECT_TRUE(lock.is_held());
    EXPECT_FALSE(in_thread([&] { return lock.is_held(); }).get());
    EXPECT_FALSE(theirs.is_held());
    lock.unlock();
    EXPECT_FALSE(lock.is_held());
    EXPECT_FALSE(in_thread([&] { return lock.is_held(); }).get());
}

TEST_F(lock_test, counts_holds_of_the_calling_owner) {
    EXPECT_EQ(lock.hold_count(), 0);
    lock.lock();
    EXPECT_EQ(lock.hold_count(), 1);
    lock.unlock();
    EXPECT_EQ(lock.hold_count(), 0);
    lock.lock();
    lock.lock();
    EXPECT_EQ(lock.hold_count(), 2);
    EXPECT_EQ(holders(server, name).begin()->second, "2");
    EXPECT_EQ(in_thread([&] { return lock.hold_count(); }).get(), 0);
    lock.unlock();
    EXPECT_EQ(lock.hold_count(), 1);
    EXPECT_EQ(holders(server, name).begin()->second, "1");
    lock.unlock();
    EXPECT_EQ(lock.hold_count(), 0);
}

TEST_F(lock_test, a_release_of_one_level_prolongs_the_lease_and_the_lock_delay_behind_it) {
    auto const outer = lock.acquire({.lease = 30s, .lock_delay = 60s});
    auto inner = lock.acquire();
    server.run("PEXPIRE", name, "5000");
    inner.release();
    EXPECT_GT(pttl(server, name), 80'000);
}

TEST_F(lock_test, re_enters_and_stays_held_until_the_last_release) {
    EXPECT_TRUE(lock.try_lock());
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
    EXPECT_FALSE(in_thread([&] { return lock.try_lock(); }).get());
    EXPECT_FALSE(theirs.try_lock());
    lock.unlock();
    EXPECT_TRUE(theirs.try_lock());
    theirs.unlock();
}

TEST_F(lock_test, current_hold_shows_the_hold_until_its_last_level_has_ended) {
    EXPECT_FALSE(lock.current_hold());
    hold outer = lock.acquire();
    hold inner = lock.acquire();
    auto const seen = lock.current_hold();
    EXPECT_EQ(seen.owner_id(), outer.owner_id());
    inner.release();
    EXPECT_EQ(seen.status(), hold_status::held);
    EXPECT_TRUE(lock.current_hold());
    outer.release();
    EXPECT_EQ(seen.status(), hold_status::released);
    EXPECT_FALSE(lock.current_hold());
}

TEST_F(lock_test, a_look_at_one_level_ends_with_that_level) {
    hold const outer = lock.acquire();
    hold_view seen;
    {
        hold const inner = lock.acquire();
        seen = inner;
        EXPECT_EQ(seen.status(), hold_status::held);
    }
    EXPECT_EQ(seen.status(), hold_status::released);
    EXPECT_EQ(outer.status(), hold_status::held);
}

TEST_F(lock_test, two_objects_of_one_name_are_one_lock) {
    auto again = user.get_lock(name);
    lock.lock();
    again.lock();
    EXPECT_EQ(lock.hold_count(), 2);
    lock.unlock();
    EXPECT_TRUE(again.is_held());
    again.unlock();
}

TEST_F(lock_test, holds_of_one_owner_end_in_any_order) {
    hold first = lock.acquire();
    hold second = lock.acquire();
    hold third = lock.acquire();
    first.release();
    EXPECT_EQ(first.status(), hold_status::released);
    EXPECT_EQ(second.status(), hold_status::held);
    third.release();
    EXPECT_TRUE(exists(name));
    second.release();
    EXPECT_FALSE(exists(name));
}

TEST_F(lock_test, unlock_by_another_owner_is_refused_and_changes_nothing) {
    lock.lock();
    auto const before = holders(server, name);
    auto const refused = in_thread([&] { return outcome_of([&] { lock.unlock(); }); }).get();
    EXPECT_EQ(refused.reason, errc::not_owner);
    EXPECT_NE(refused.message.find(name), std::string::npos) << refused;
    EXPECT_NE(refused.message.find(user.id()), std::string::npos) << refused;
    EXPECT_EQ(outcome_of([&] { theirs.unlock(); }).reason, errc::not_owner);
    EXPECT_EQ(holders(server, name), before);
    lock.unlock();
}

TEST_F(lock_test, unlock_of_a_free_lock_is_refused_and_makes_no_key) {
    EXPECT_EQ(outcome_of([&] { lock.unlock(); }).reason, errc::not_owner);
    EXPECT_FALSE(exists(name));
}

TEST_F(lock_test, force_unlock_ends_anybodys_hold) {
    hold mine = lock.acquire();
    EXPECT_TRUE(theirs.force_unlock());
    EXPECT_FALSE(lock.is_locked());
    EXPECT_FALSE(user.get_lock(name).is_locked());
    EXPECT_FALSE(theirs.force_unlock());
    EXPECT_EQ(outcome_of([&] { mine.release(); }).reason, errc::lease_lost);
}

TEST_F(lock_test, force_unlock_of_our_own_hold_is_a_loss_that_is_known_at_once) {
    hold mine = lock.acquire();
    auto const lost = mine.lost();
    EXPECT_TRUE(user.get_lock(name).force_unlock());
    EXPECT_EQ(mine.status(), hold_status::lost) << "before the next renewal, in ten seconds";
    EXPECT_FALSE(lock.is_held());
    EXPECT_EQ(user.stats().lost, 1U);
    EXPECT_TRUE(wait_until([&] { return lost.stop_requested(); }, 5s));
    EXPECT_EQ(outcome_of([&] { mine.release(); }).reason, errc::lease_lost);
}

TEST_F(lock_test, force_unlock_wakes_a_waiter) {
    hold mine = lock.acquire();
    auto waiter = in_thread([&] { theirs.acquire({.wait = 20s}).release(); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    auto const start = test_clock::now();
    EXPECT_TRUE(user.get_lock(name).force_unlock());
    waiter.get();
    EXPECT_LT(since(start), 5s);
    std::error_code ignored;
    mine.release(ignored);
    EXPECT_EQ(ignored, errc::lease_lost);
}

TEST_F(lock_test, remaining_lease_is_the_lease_or_the_watchdog_timeout_and_none_when_free) {
    EXPECT_EQ(lock.remaining_lease(), std::nullopt);
    {
        hold const mine = lock.acquire({.lease = 1h});
        auto const left = lock.remaining_lease();
        ASSERT_TRUE(left);
        EXPECT_LE(*left, 1h);
        EXPECT_GT(*left, 1h - 5s);
    }
    EXPECT_EQ(lock.remaining_lease(), std::nullopt);
    hold const mine = lock.acquire();
    auto const left = lock.remaining_lease();
    ASSERT_TRUE(left);
    EXPECT_LE(*left, 30s);
    EXPECT_GT(*left, 25s);
}

TEST_F(lock_test, partial_releases_keep_the_lease) {
    hold first = lock.acquire({.lease = 10s});
    hold second = lock.acquire({.lease = 10s});
    hold third = lock.acquire({.lease = 10s});
    third.release();
    second.release();
    auto const left = pttl(server, name);
    EXPECT_GT(left, 9000);
    EXPECT_LE(left, 10000);
}

TEST_F(lock_test, a_shorter_inner_lease_never_shortens_the_outer_one) {
    hold const outer = lock.acquire({.lease = 60s});
    {
        hold const inner = lock.acquire({.lease = 1s});
        EXPECT_GT(pttl(server, name), 50000);
    }
    EXPECT_GT(pttl(server, name), 50000);
}

TEST_F(lock_test, a_wait_of_no_time_asks_once) {
    hold const mine = user.get_lock(name).acquire({.wait = 0ms});
    EXPECT_TRUE(mine);
    auto const asked = outcome_of([&] { (void)other.get_lock(name).acquire({.wait = 0ms}); });
    EXPECT_EQ(asked.reason, errc::busy);
    EXPECT_EQ(asked.message, "lock '" + name + "' is held by somebody else");
}

TEST_F(lock_test, a_bounded_wait_takes_its_time_and_no_more) {
    hold const mine = theirs.acquire();
    auto const start = test_clock::now();
    std::error_code code;
    EXPECT_FALSE(lock.try_acquire({.wait = 500ms}, code));
    EXPECT_EQ(code, errc::timed_out);
    EXPECT_GE(since(start), 500ms);
    EXPECT_LT(since(start), 900ms);
    EXPECT_EQ(outcome_of([&] { (void)lock.acquire({.wait = 1s}); }).reason, errc::timed_out);
}

TEST_F(lock_test, try_acquire_without_a_wait_says_busy) {
    hold const mine = theirs.acquire();
    std::error_code code;
    EXPECT_FALSE(lock.try_acquire({}, code));
    EXPECT_EQ(code, errc::busy);
    EXPECT_FALSE(lock.try_acquire());
    EXPECT_FALSE(lock.try_lock_for(0s));
    EXPECT_FALSE(lock.try_lock_for(-1s));
    EXPECT_FALSE(lock.try_lock_until(std::chrono::system_clock::now() - 1h));
    EXPECT_EQ(outcome_of([&] { (void)lock.acquire({.wait = 0ms}); }).reason, errc::busy);
}

TEST_F(lock_test, an_expired_lease_lets_the_next_one_in_and_the_first_release_says_lost) {
    auto const start = test_clock::now();
    hold mine = lock.acquire({.lease = 700ms});
    hold next = theirs.acquire({.wait = 20s});
    EXPECT_GE(since(start), 695ms);
    EXPECT_LT(since(start), 1500ms);
    EXPECT_EQ(mine.status(), hold_status::lost);
    EXPECT_EQ(outcome_of([&] { mine.release(); }).reason, errc::lease_lost);
    EXPECT_TRUE(exists(name));
    next.release();
}

TEST_F(lock_test, a_signal_does_not_end_a_wait) {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    struct sigaction before {};
    sigaction(SIGUSR1, &action, &before); // without SA_RESTART: system calls end with EINTR
    hold mine = theirs.acquire();
    std::thread waiter([&] { lock.acquire({.wait = 20s}).release(); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    for (int i = 0; i < 20; ++i) {
        pthread_kill(waiter.native_handle(), SIGUSR1);
        EXPECT_TRUE(stays([&] { return user.stats().waiters == 1; }, 5ms));
    }
    mine.release();
    waiter.join();
    sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(lock_test, shows_who_holds_it) {
    EXPECT_FALSE(lock.inspect().held);
    hold const mine = lock.acquire();
    hold const again = lock.acquire();
    auto const info = theirs.inspect();
    EXPECT_EQ(info.name, name);
    EXPECT_TRUE(info.held);
    EXPECT_EQ(info.type, "reentrant");
    ASSERT_EQ(info.owners.size(), 1U);
    EXPECT_EQ(info.owners[0].owner, mine.owner_id());
    EXPECT_EQ(info.owners[0].client, user.id());
    EXPECT_EQ(info.owners[0].count, 2);
    EXPECT_TRUE(info.remaining_lease);
    EXPECT_EQ(mine.owner_id(), again.owner_id());
    EXPECT_TRUE(mine.owner_id().starts_with(user.id() + ":"));
    EXPECT_EQ(lock.current_hold().owner_id(), mine.owner_id());
    EXPECT_FALSE(theirs.current_hold());
}

TEST_F(lock_test, a_tenure_never_uses_the_number_of_a_former_one) {
    std::string const first = lock.acquire().owner_id();
    std::string const second = lock.acquire().owner_id();
    EXPECT_NE(first, second);
}

TEST_F(lock_test, keyspace_events_show_the_end_of_a_hold) {
    server.run("CONFIG", "SET", "notify-keyspace-events", "Egx");
    auto listener = server.admin();
    listener.send(resp::command("PSUBSCRIBE", "__keyevent@0__:*"));
    listener.receive();
    lock.acquire().release();
    auto const next_event = [&] {
        auto message = listener.receive();
        for (auto const* beginning : {"__keyevent@0__:restore", "__keyevent@0__:expire"})
            if (message.items.at(2).text == beginning) message = listener.receive();
        return message;
    };
    auto const deleted = next_event();
    EXPECT_EQ(deleted.items.at(2).text, "__keyevent@0__:del");
    EXPECT_EQ(deleted.items.at(3).text, name);
    hold mine = lock.acquire({.lease = 200ms});
    // The end of a lease: the client gives back what has become invalid, the server expires it, whichever is first.
    auto const ended = next_event();
    EXPECT_TRUE(ended.items.at(2).text == "__keyevent@0__:del" || ended.items.at(2).text == "__keyevent@0__:expired")
        << ended.items.at(2).text;
    EXPECT_EQ(ended.items.at(3).text, name);
    std::error_code lost;
    mine.release(lost);
}

TEST_F(lock_test, lists_the_locks_that_match) {
    hold const one = user.get_lock("list:a").acquire();
    hold const two = user.get_lock("list:b").acquire();
    server.run("SET", "list:not-a-lock", "1");
    server.run("HSET", "list:some-hash", "field", "value");
    auto found = other.list_locks("list:*");
    std::sort(found.begin(), found.end(), [](auto const& a, auto const& b) { return a.name < b.name; });
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].name, "list:a");
    EXPECT_EQ(found[1].name, "list:b");
    EXPECT_EQ(other.list_locks("elsewhere:*").size(), 0U);
    server.run("DEL", "list:not-a-lock", "list:some-hash");
}

TEST_F(lock_test, a_list_says_what_becomes_something_else_while_it_is_made) {
    byte_proxy proxy{server.address()};
    auto settings = quick(proxy.uri());
    settings.timeout = 10s;
    client distant(settings);
    hold_as_stranger(server, "list:a", 60s);
    hold_as_stranger(server, "list:b", 60s);
    auto const trap = proxy.hold_reply(a_command("SCAN"));
    auto listed = in_thread([&] { return distant.list_locks("list:*"); });
    ASSERT_TRUE(trap.wait());
    server.run("SET", "list:a", "text");
    trap.deliver();
    auto found = listed.get();
    std::sort(found.begin(), found.end(), [](auto const& a, auto const& b) { return a.name < b.name; });
    ASSERT_EQ(found.size(), 2U);
    EXPECT_NE(found[0].problem.find("another type"), std::string::npos) << found[0].problem;
    EXPECT_FALSE(found[0].held);
    EXPECT_EQ(found[1].name, "list:b");
    EXPECT_EQ(found[1].problem, "");
    server.run("DEL", "list:a", "list:b");
}

TEST_F(lock_test, the_destructor_and_a_detached_release_give_the_lock_back) {
    { hold const mine = lock.acquire(); }
    EXPECT_FALSE(exists(name));
    hold mine = lock.acquire();
    mine.release_detached();
    EXPECT_EQ(mine.status(), hold_status::released);
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
    mine = lock.acquire();
    mine = hold();
    EXPECT_FALSE(exists(name));
    hold empty;
    empty.release();
    EXPECT_EQ(empty.status(), hold_status::none);
    EXPECT_FALSE(empty);
}

TEST_F(lock_test, releasing_twice_has_no_effect) {
    hold mine = lock.acquire();
    mine.release();
    hold next = theirs.acquire();
    mine.release();
    EXPECT_TRUE(exists(name));
    next.release();
}

TEST_F(lock_test, a_database_has_its_own_locks) {
    config settings = quick(server.uri() + "?db=3");
    client elsewhere(settings);
    hold const mine = lock.acquire();
    hold const same_name = elsewhere.get_lock(name).acquire({.wait = 1s});
    EXPECT_TRUE(same_name);
}

TEST_F(lock_test, knows_the_server_it_talks_to) {
    auto const info = user.ping();
    EXPECT_TRUE(info.software == "redis" || info.software == "valkey") << info.software;
    EXPECT_FALSE(info.version.empty());
    EXPECT_GT(info.round_trip.count(), 0);
}

TEST_F(lock_test, the_client_name_shows_on_the_server) {
    config settings = quick(server.uri());
    settings.client_name = "shown-here";
    client named(settings);
    hold const mine = named.get_lock(name).acquire();
    EXPECT_NE(server.run("CLIENT", "LIST").text.find("name=shown-here"), std::string::npos);
}

} // namespace
} // namespace redlatch::test
