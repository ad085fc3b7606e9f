// Waiting: no polling, no lost wake-up, an uncontended cycle of exactly two commands.
#include "integration/fixture.hpp"
#include "support/both_faces.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

namespace redlatch::test {
namespace {

class waiting_test : public with_server {
protected:
    static config unwatched(std::string const& uri) {
        config settings = quick(uri);
        settings.watched_holds = 0; // what is counted here is what waiters do
        return settings;
    }
    client user{quick(server.uri())};
    client other{unwatched(server.uri())};
    reentrant_lock lock = user.get_lock(name);
    reentrant_lock theirs = other.get_lock(name);
};

/// In the local queue, yielding to other processes or with its attempt under way: the server answers all the time. A loaded
/// machine may be late with its answers, or with the end of a try, for so long that a few rightly hear nothing; not in each of
/// several rounds.
TEST_F(waiting_test, short_tries_of_a_busy_lock_end_as_timed_out_and_never_as_disconnected) {
    constexpr int rounds = 5;
    for (int round = 1; round <= rounds; ++round) {
        std::atomic<bool> ending{false};
        std::atomic<int> acquired{0};
        std::atomic<int> timed_out{0};
        std::atomic<int> late{0}; // there was time enough for an answer
        std::atomic<int> others{0};
        auto const work = [&](reentrant_lock which) {
            while (!ending) {
                std::error_code code;
                auto const start = test_clock::now();
                hold got = which.acquire({.wait = 20ms}, code);
                if (got) {
                    ++acquired;
                    std::this_thread::sleep_for(5ms); // sleeps because this is how long it holds
                } else if (code == errc::timed_out) {
                    ++timed_out;
                } else {
                    ++(code == errc::disconnected && since(start) > 50ms ? late : others);
                }
            }
        };
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back(work, lock);
            threads.emplace_back(work, theirs);
        }
        EXPECT_TRUE(wait_until([&] { return acquired + timed_out + late + others >= 400; }));
        ending = true;
        threads.clear();
        EXPECT_GT(timed_out, 0);
        if (others == 0) return;
        EXPECT_LT(round, rounds) << "in each round some, at last " << others;
    }
}

TEST_F(waiting_test, a_try_of_a_lock_that_was_busy_says_disconnected_when_the_server_does_not_answer_any_more) {
    hold const taken = theirs.acquire();
    std::error_code code;
    EXPECT_FALSE(lock.acquire({.wait = 1s}, code));
    EXPECT_EQ(code, errc::timed_out);
    server.pause();
    EXPECT_FALSE(lock.acquire({.wait = 100ms}, code));
    EXPECT_EQ(code, errc::disconnected) << "that it was held before says nothing of now";
    server.resume();
}

TEST_F(waiting_test, a_wait_too_short_for_an_answer_does_not_say_that_the_lock_was_held) {
    for (int round = 0; round < 50; ++round) {
        lock.acquire().release();
        server.pause();
        auto const start = test_clock::now();
        auto const end = outcome_of([&] { (void)lock.acquire({.wait = 2ms}); });
        auto const took = since(start);
        server.resume();
        if (took >= 40ms) continue; // a loaded machine: there was time enough for an answer
        EXPECT_EQ(end.reason, errc::timed_out);
        EXPECT_NE(end.message.find("before the server had said"), std::string::npos) << end.message;
        return;
    }
    FAIL() << "no wait of two milliseconds ended in time";
}

TEST_F(waiting_test, a_forced_release_by_another_process_wakes_the_waiters_of_the_holders_own_process) {
    hold const taken = lock.acquire();
    auto waiter = in_thread([&] { return bool(lock.acquire({.wait = 20s})); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }))
        << "behind a hold of its own process it listens as well";
    auto const start = test_clock::now();
    EXPECT_TRUE(theirs.force_unlock());
    EXPECT_TRUE(waiter.get());
    EXPECT_LT(test_clock::now() - start, 2s) << "the renewal would be due after ten seconds";
    EXPECT_TRUE(wait_until([&] { return taken.status() == hold_status::lost; }));
}

TEST_F(waiting_test, a_forced_release_after_a_hand_off_wakes_the_waiter_behind_it) {
    auto settings = quick(server.uri());
    settings.watched_holds = 0; // the waiter alone listens
    settings.local_handoff.enabled = true;
    client mine(settings);
    auto shared = mine.get_lock(name);
    auto first = shared.acquire({.owner = owner()});
    auto second = in_thread([&] { return shared.acquire({.wait = 20s, .owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return mine.stats().waiters == 1; }));
    auto third = in_thread([&] { return shared.acquire({.wait = 20s, .owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return mine.stats().waiters == 2; }));
    first.release();
    auto const handed_off = second.get();
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); })) << "it is the first now, and listens";
    auto const start = test_clock::now();
    EXPECT_TRUE(theirs.force_unlock());
    EXPECT_TRUE(third.get());
    EXPECT_LT(test_clock::now() - start, 2s) << "the renewal would be due after ten seconds";
    EXPECT_TRUE(wait_until([&] { return handed_off.status() == hold_status::lost; }));
}

TEST_F(waiting_test, a_key_that_an_administrator_deletes_is_missed_while_somebody_of_the_holders_process_waits) {
    auto settings = quick(server.uri());
    settings.lock_watchdog_timeout = 900ms;
    client mine(settings);
    hold const taken = mine.get_lock(name).acquire({.lease = 10min}); // nobody renews it
    auto waiter = in_thread([&] { return bool(mine.get_lock(name).acquire({.wait = 20s})); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    server.run("DEL", name);
    EXPECT_TRUE(waiter.get());
}

/// How often the threads of this process but the calling one have gone to sleep of their own accord.
long sleeps_of_others() {
    long all = 0;
    for (auto const& task : std::filesystem::directory_iterator("/proc/self/task")) {
        if (task.path().filename() == std::to_string(::gettid())) continue;
        std::ifstream status(task.path() / "status");
        for (std::string line; std::getline(status, line);)
            if (line.starts_with("voluntary_ctxt_switches:")) all += std::stol(line.substr(line.find(':') + 1));
    }
    return all;
}

TEST_F(waiting_test, a_process_in_which_somebody_waits_sleeps) {
    hold mine = theirs.acquire();
    auto waiter = in_thread([&] { lock.acquire({.wait = 60s}).release(); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    auto const wakes_in_a_second = [] {
        auto const before = sleeps_of_others();
        std::this_thread::sleep_for(1s); // sleeps because a rate is measured
        return sleeps_of_others() - before;
    };
    long least = 1'000;
    EXPECT_TRUE(wait_until([&] {
        least = std::min(least, wakes_in_a_second());
        return least <= 3;
    })) << least
        << " wake-ups a second";
    mine.release();
    waiter.get();
}

TEST_F(waiting_test, an_uncontended_cycle_is_two_calls) {
    lock.acquire().release(); // the scripts are loaded now, the connections made
    monitor watch(server);
    constexpr std::size_t cycles = 50;
    for (std::size_t i = 0; i < cycles; ++i) {
        lock.lock();
        lock.unlock();
    }
    if (in_variant("scripts")) {
        EXPECT_EQ(watch.commands().size(), 2 * cycles);
        EXPECT_EQ(watch.count(a_command("EVALSHA")), 2 * cycles);
    } else {
        EXPECT_EQ(watch.commands().size(), 3 * cycles);
        for (auto const* once : {"RESTORE", "HDEL", "PUBLISH"}) EXPECT_EQ(watch.count(a_command(once)), cycles);
    }
}

TEST_F(waiting_test, a_re_entered_cycle_is_four_calls) {
    lock.acquire().release();
    hold warm = lock.acquire();
    lock.acquire().release();
    warm.release();
    monitor watch(server);
    hold outer = lock.acquire();
    hold inner = lock.acquire();
    inner.release();
    outer.release();
    EXPECT_EQ(watch.commands().size(), in_variant("scripts") ? 4U : 5U);
    EXPECT_EQ(watch.count(any_lock_call()), 4U);
}

TEST_F(waiting_test, a_waiter_sends_nothing_while_it_waits) {
    hold mine = theirs.acquire();
    auto waiter = in_thread([&] { lock.acquire({.wait = 60s}).release(); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    auto const settled = [&] {
        auto const before = user.stats().commands;
        return stays([&] { return user.stats().commands == before; }, 100ms);
    };
    ASSERT_TRUE(wait_until(settled));
    monitor watch(server);
    auto const before = user.stats().commands;
    EXPECT_TRUE(stays([&] { return user.stats().commands == before; }, 3s));
    EXPECT_EQ(watch.count(any_lock_call()), 0U);
    mine.release();
    waiter.get();
    expect_idle(user);
    expect_clean(server);
}

TEST_F(waiting_test, a_release_wakes_a_waiter_of_another_process_in_milliseconds) {
    std::vector<std::chrono::microseconds> delays;
    for (int round = 0; round < 21; ++round) {
        hold mine = theirs.acquire({.wait = 10s});
        auto waiter = in_thread([&] {
            hold const got = lock.acquire({.wait = 60s});
            return test_clock::now();
        });
        ASSERT_TRUE(wait_until([&] { return somebody_waits(name) && user.stats().waiters == 1; }));
        auto const start = test_clock::now();
        mine.release();
        delays.push_back(std::chrono::duration_cast<std::chrono::microseconds>(waiter.get() - start));
    }
    std::sort(delays.begin(), delays.end());
    auto const median = delays[delays.size() / 2];
    std::cout << "wake-up: median " << median.count() << " us, longest " << delays.back().count() << " us\n";
    RecordProperty("median_us", static_cast<int>(median.count()));
    EXPECT_LT(median, 20ms);
    EXPECT_LT(delays.back(), 1s);
}

TEST_F(waiting_test, a_strangers_release_wakes_a_waiter) {
    hold_as_stranger(server, name, 60s);
    auto waiter = in_thread([&] { lock.acquire({.wait = 60s}).release(); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    auto const start = test_clock::now();
    release_as_stranger(server, name);
    waiter.get();
    EXPECT_LT(since(start), 2s);
}

// Redisson's spin lock does not publish, and a crashed holder cannot.
TEST_F(waiting_test, an_expiry_without_a_message_lets_the_waiter_in) {
    auto const start = test_clock::now();
    hold_as_stranger(server, name, 600ms);
    hold mine = lock.acquire({.wait = 20s});
    EXPECT_GE(since(start), 595ms);
    EXPECT_LT(since(start), 1200ms);
    mine.release();
}

TEST_F(waiting_test, a_holder_without_expiry_is_waited_for) {
    server.run("HSET", name, "00000000-0000-4000-8000-000000000000:1", "1");
    EXPECT_EQ(pttl(server, name), -1);
    EXPECT_TRUE(still_busy(lock, {.wait = 50ms}));
    auto waiter = in_thread([&] { lock.acquire({.wait = 20s}).release(); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    release_as_stranger(server, name);
    waiter.get();
    expect_clean(server);
}

TEST_F(waiting_test, no_wake_up_is_lost_when_release_and_subscription_cross) {
    // The waiter subscribes at about the time of the release. With a lease of a minute a lost wake-up would show as a hang.
    constexpr int rounds = 300;
    auto const holder = [&](reentrant_lock& mine) {
        for (int i = 0; i < rounds; ++i) {
            hold const got = mine.acquire({.wait = 60s, .lease = 60s});
            if (i % 7 == 0) std::this_thread::yield();
        }
    };
    auto const start = test_clock::now();
    std::thread first([&] { holder(lock); });
    std::thread second([&] { holder(theirs); });
    std::thread third([&] { holder(lock); });
    first.join();
    second.join();
    third.join();
    EXPECT_LT(since(start), 30s);
    expect_idle(user);
    expect_idle(other);
    expect_clean(server);
}

TEST_F(waiting_test, waiters_of_one_client_share_one_subscription_and_one_contender) {
    hold mine = theirs.acquire();
    monitor watch(server);
    constexpr int waiting = 16;
    std::vector<std::future<void>> waiters;
    for (int i = 0; i < waiting; ++i) waiters.push_back(in_thread([&] { lock.acquire({.wait = 60s}).release(); }));
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == waiting && somebody_waits(name); }));
    EXPECT_EQ(user.stats().subscriptions, 1U);
    EXPECT_EQ(watch.count(a_command("SUBSCRIBE")), 1U);
    EXPECT_LE(watch.count(any_lock_call()), 4U) << "a plain one, and by script before and after the subscription";
    mine.release();
    for (auto& one : waiters) one.get();
    EXPECT_LE(watch.count(a_command("SUBSCRIBE")), 1U);
    expect_idle(user);
    expect_clean(server);
}

/// It listens before it asks: what it hears counts from then on, and nothing is to be asked again.
TEST_F(waiting_test, who_had_to_wait_asks_once_the_next_time) {
    auto const questions_of_a_wait = [&] {
        hold mine = theirs.acquire({.wait = 10s});
        monitor watch(server);
        auto waiter = in_thread([&] { lock.acquire({.wait = 60s}).release(); });
        auto const settled = [&] {
            auto const before = watch.count(any_lock_call());
            return before > 0 && stays([&] { return watch.count(any_lock_call()) == before; }, 50ms);
        };
        EXPECT_TRUE(wait_until(settled));
        auto const asked = watch.count(any_lock_call());
        mine.release();
        waiter.get();
        return asked;
    };
    EXPECT_GT(questions_of_a_wait(), 1U) << "the first time it subscribes";
    // On a slow machine the subscription may be given up between two waits.
    EXPECT_TRUE(wait_until([&] { return questions_of_a_wait() == 1; }));
}

/// Behind a crowd that does not ask, the first one of this process would ask after a second.
TEST_F(waiting_test, a_short_try_makes_the_one_before_it_ask_that_leaves_the_lock_to_a_crowd) {
    std::deque<raw_client> crowd;
    for (int i = 0; i < 12; ++i) {
        crowd.push_back(server.admin());
        crowd.back().command("SUBSCRIBE", channel_of(name));
    }
    hold mine = theirs.acquire();
    monitor watch(server);
    auto first = in_thread([&] { return lock.acquire({.wait = 60s, .owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return watch.count(a_command("SUBSCRIBE")) == 1; }));
    std::this_thread::sleep_for(50ms); // sleeps because work takes time
    mine.release();
    EXPECT_TRUE(still_busy(lock, {.wait = 50ms, .owner = owner()}));
    EXPECT_EQ(first.wait_for(500ms), std::future_status::ready);
    EXPECT_TRUE(first.get());
}

TEST_F(waiting_test, locks_whose_names_share_a_channel_do_not_disturb_each_other) {
    // protocol section 0.2: `a` and `{a}` have one channel.
    hold bare = other.get_lock("shared").acquire();
    hold braced = other.get_lock("{shared}").acquire();
    auto first = in_thread([&] { user.get_lock("shared").acquire({.wait = 30s}).release(); });
    auto second = in_thread([&] { user.get_lock("{shared}").acquire({.wait = 30s}).release(); });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 2 && somebody_waits("shared"); }));
    bare.release();
    first.get();
    EXPECT_FALSE(is_ready(second));
    braced.release();
    second.get();
    expect_clean(server);
}

TEST_F(waiting_test, a_stop_request_ends_a_wait_at_once_and_leaves_nothing) {
    hold const mine = theirs.acquire();
    config settings = quick(server.uri());
    settings.timeout = 20s;
    client patient(settings);
    auto wanted = patient.get_lock(name);
    std::stop_source stop;
    auto waiter =
        in_thread([&] { return outcome_of([&] { (void)wanted.acquire({.stop = stop.get_token()}); }).reason; });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    auto const start = test_clock::now();
    stop.request_stop();
    EXPECT_EQ(waiter.get(), errc::cancelled);
    EXPECT_LT(since(start), 250ms);
    expect_idle(patient);
    EXPECT_TRUE(wait_until([&] { return !somebody_waits(name); })) << "UNSUBSCRIBE may be on its way";
}

TEST_F(waiting_test, a_stop_requested_before_the_call_is_seen) {
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(outcome_of([&] { (void)lock.acquire({.stop = stop.get_token()}); }).reason, errc::cancelled);
    expect_idle(user);
    EXPECT_FALSE(exists(name));
}

TEST_F(waiting_test, a_cancelled_waiter_in_the_local_queue_does_not_hold_up_the_others) {
    hold mine = theirs.acquire();
    std::stop_source stop;
    auto head = in_thread([&] { return outcome_of([&] { (void)lock.acquire({.stop = stop.get_token()}); }).reason; });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    auto behind = in_thread([&] { lock.acquire({.wait = 60s}).release(); });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 2; }));
    stop.request_stop();
    EXPECT_EQ(head.get(), errc::cancelled);
    mine.release();
    auto const start = test_clock::now();
    behind.get();
    EXPECT_LT(since(start), 5s);
    expect_idle(user);
    expect_clean(server);
}

// Redisson's testLockIsNotRenewedAfterInterruptedTryLock: the acquisition succeeds on the server after the caller has left.
TEST_F(waiting_test, an_acquisition_that_succeeds_after_its_cancellation_is_given_back) {
    byte_proxy proxy{server.address()};
    config settings = quick(proxy.uri());
    settings.timeout = 20s;
    client distant(settings);
    auto distant_lock = distant.get_lock(name);
    distant_lock.acquire().release();
    auto const trap = proxy.hold_reply(any_lock_call());
    std::stop_source stop;
    auto caller =
        in_thread([&] { return outcome_of([&] { (void)distant_lock.acquire({.stop = stop.get_token()}); }).reason; });
    ASSERT_TRUE(trap.wait());
    EXPECT_TRUE(exists(name));
    auto const start = test_clock::now();
    stop.request_stop();
    EXPECT_EQ(caller.get(), errc::cancelled);
    EXPECT_LT(since(start), 250ms);
    EXPECT_FALSE(distant_lock.is_held());
    // Released at once on the same connection, where order is certain: no reply is needed for it.
    EXPECT_TRUE(wait_until([&] { return !exists(name); }, 2s));
    trap.deliver();
    expect_idle(distant);
    expect_clean(server);
}

} // namespace
} // namespace redlatch::test
