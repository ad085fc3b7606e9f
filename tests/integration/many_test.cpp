// Many at once: clients, threads, locks.
#include "integration/fixture.hpp"
#include "support/both_faces.hpp"
#include "support/sanitized.hpp"

#include <random>
#include <thread>

namespace redlatch::test {
namespace {

int const slower = is_sanitized() ? 4 : 1;

class many_test : public with_server {
protected:
    /// Guarded by the lock under test and by nothing else.
    int counter = 0;
    void cycle(reentrant_lock& lock) {
        hold const mine = lock.acquire({.wait = 100s});
        int const read = counter;
        std::this_thread::yield();
        counter = read + 1;
    }
    static void join(std::vector<std::thread>& threads) {
        for (auto& one : threads) one.join();
    }
};

TEST_F(many_test, threads_of_one_client_count_to_fifteen) {
    client user(quick(server.uri()));
    auto lock = user.get_lock(name);
    std::vector<std::thread> threads;
    for (int i = 0; i < 15; ++i) threads.emplace_back([&] { cycle(lock); });
    join(threads);
    EXPECT_EQ(counter, 15);
    expect_idle(user);
    expect_clean(server);
}

TEST_F(many_test, sixteen_clients_count_to_sixteen_hundred) {
    std::vector<client> users;
    for (int i = 0; i < 16; ++i) users.emplace_back(quick(server.uri()));
    std::vector<std::thread> threads;
    for (auto& user : users)
        threads.emplace_back([&] {
            auto lock = user.get_lock(name);
            for (int i = 0; i < 100; ++i) cycle(lock);
        });
    join(threads);
    EXPECT_EQ(counter, 1600);
    for (auto const& user : users) expect_idle(user);
    expect_clean(server);
}

TEST_F(many_test, a_hundred_clients_count_to_a_hundred) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 100; ++i)
        threads.emplace_back([&] {
            client user(quick(server.uri()));
            auto lock = user.get_lock(name);
            cycle(lock);
        });
    join(threads);
    EXPECT_EQ(counter, 100);
    expect_clean(server);
    EXPECT_TRUE(wait_until([&] {
        auto const list = server.run("CLIENT", "LIST").text;
        return std::count(list.begin(), list.end(), '\n') == 1;
    })) << "connections left behind";
}

TEST_F(many_test, two_thousand_threads_on_one_lock_all_get_their_turn) {
    client user(quick(server.uri()));
    auto lock = user.get_lock(name);
    auto const many = static_cast<std::size_t>(2000 / slower);
    std::atomic<int> failed{0};
    std::vector<std::thread> threads;
    threads.reserve(many);
    hold_as_stranger(server, name, 100s);
    for (std::size_t i = 0; i < many; ++i)
        threads.emplace_back([&] {
            std::error_code code;
            hold const mine = lock.acquire({.wait = 100s}, code);
            if (!mine) {
                ++failed;
                return;
            }
            ++counter;
        });
    EXPECT_TRUE(wait_until([&] { return user.stats().waiters == many && somebody_waits(name); }));
    EXPECT_EQ(user.stats().subscriptions, 1U);
    auto const start = test_clock::now();
    release_as_stranger(server, name);
    join(threads);
    std::cout << many << " waiting threads took their turns within " << since(start).count() << " ms\n";
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(counter, static_cast<int>(many));
    EXPECT_EQ(user.stats().acquired, many);
    expect_idle(user);
    expect_clean(server);
}

TEST_F(many_test, ten_thousand_locks_are_held_for_three_periods) {
    auto const watchdog = 3000ms * slower;
    constexpr std::size_t many = 10000;
    config settings = quick(server.uri());
    settings.lock_watchdog_timeout = watchdog;
    settings.timeout = 3s;
    client user(settings);
    event_log events(user);
    std::vector<hold> mine;
    mine.reserve(many);
    auto start = test_clock::now();
    for (std::size_t i = 0; i < many; ++i) mine.push_back(user.get_lock(name + std::to_string(i)).acquire());
    std::cout << many << " acquisitions took " << since(start).count() << " ms\n";
    auto const before = user.stats().renewals;
    EXPECT_TRUE(stays([&] { return events.count(event::kind::hold_lost) == 0; }, watchdog));
    auto const renewals = user.stats().renewals - before;
    std::cout << renewals << " renewal scripts in three periods\n";
    EXPECT_GE(renewals, 2 * many / 100) << "every lock, at least twice";
    EXPECT_LE(renewals, 2 * 4 * many / 100) << "a hundred locks in a script, not each by itself";
    EXPECT_EQ(server.run("DBSIZE").integer, static_cast<std::int64_t>(many));
    for (auto const& one : mine) ASSERT_EQ(one.status(), hold_status::held) << one.lock_name();
    EXPECT_EQ(events.count(event::kind::hold_suspect), 0U);
    start = test_clock::now();
    for (auto& one : mine) one.release();
    std::cout << many << " releases took " << since(start).count() << " ms\n";
    EXPECT_EQ(user.stats().released, many);
    expect_idle(user);
    expect_clean(server);
}

// RedissonLockHeavyTest, smaller: each thread a lock of its own for each loop.
TEST_F(many_test, threads_lock_and_unlock_names_of_their_own) {
    client user(quick(server.uri()));
    int const loops = 500 / slower;
    std::vector<std::thread> threads;
    std::atomic<int> done{0};
    for (int t = 0; t < 5; ++t)
        threads.emplace_back([&, t] {
            std::minstd_rand random(static_cast<unsigned>(t));
            for (int i = 0; i < loops; ++i) {
                auto lock = user.get_lock(name + "-" + std::to_string(t) + "-" + std::to_string(i));
                if (i % 2 == 0)
                    lock.lock();
                else
                    ASSERT_TRUE(lock.try_lock_for(std::chrono::milliseconds(1000 + random() % 9)));
                lock.unlock();
                ++done;
            }
        });
    join(threads);
    EXPECT_EQ(done, 5 * loops);
    expect_idle(user);
    expect_clean(server);
}

// testConcurrencyTryLockUnLock: 16 threads try and unlock; whoever has it is the only one.
TEST_F(many_test, threads_that_try_and_unlock_never_overlap) {
    client user(quick(server.uri()));
    auto lock = user.get_lock(name);
    std::atomic<int> inside{0};
    std::atomic<int> successes{0};
    std::atomic<bool> overlapped{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 16; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 500 / slower; ++i) {
                if (!lock.try_lock()) continue;
                if (++inside != 1) overlapped = true;
                if (!lock.is_held()) overlapped = true;
                --inside;
                ++successes;
                lock.unlock();
            }
        });
    join(threads);
    EXPECT_FALSE(overlapped);
    EXPECT_GT(successes, 0);
    expect_idle(user);
    expect_clean(server);
}

// testSubscriptionsPerConnection: many jobs over few names; afterwards no channel is left.
TEST_F(many_test, jobs_over_five_names_leave_no_channel) {
    client one(quick(server.uri()));
    client two(quick(server.uri()));
    std::atomic<int> jobs{1000 / slower};
    std::vector<std::thread> threads;
    for (int t = 0; t < 32; ++t)
        threads.emplace_back([&, t] {
            std::minstd_rand random(static_cast<unsigned>(t));
            for (int job = --jobs; job >= 0; job = --jobs) {
                auto lock = (t % 2 == 0 ? one : two).get_lock("name-" + std::to_string(job % 5));
                hold const mine = lock.acquire({.wait = 100s});
                // sleeps because holding for a while is the work of these jobs
                std::this_thread::sleep_for(std::chrono::milliseconds(random() % 8));
            }
        });
    join(threads);
    expect_idle(one);
    expect_idle(two);
    expect_clean(server);
}

TEST_F(many_test, waits_for_many_names_in_a_row_leave_no_subscription) {
    client user(quick(server.uri()));
    constexpr int many = 1500;
    auto admin = server.admin();
    for (int i = 0; i < many; ++i) admin.command("HSET", name + std::to_string(i), "somebody", "1");
    std::atomic<int> next{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&] {
            for (int i = next++; i < many; i = next++) {
                std::error_code code;
                EXPECT_FALSE(user.get_lock(name + std::to_string(i)).try_acquire({.wait = 2ms}, code));
            }
        });
    join(threads);
    admin.command("FLUSHALL");
    expect_idle(user);
    expect_clean(server);
}

// testSinglePubSub: short waits that time out or not, on two names; none fails otherwise, but for a few on a loaded machine, to
// which nothing was answered.
TEST_F(many_test, short_waits_on_two_names_end_in_success_or_time_out) {
    client user(quick(server.uri()));
    std::atomic<int> errors{0};
    std::atomic<int> unanswered{0};
    std::atomic<int> successes{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 16; ++t)
        threads.emplace_back([&, t] {
            auto lock = user.get_lock("pair-" + std::to_string(t % 2));
            for (int i = 0; i < 25; ++i) {
                std::error_code code;
                if (auto const mine = lock.try_acquire({.wait = 100ms}, code))
                    ++successes;
                else if (code == errc::disconnected)
                    ++unanswered;
                else if (code != errc::timed_out)
                    ++errors;
            }
        });
    join(threads);
    EXPECT_EQ(errors, 0);
    EXPECT_LE(unanswered, 16 * 25 / 10);
    EXPECT_GT(successes, 0);
    expect_idle(user);
    expect_clean(server);
}

} // namespace
} // namespace redlatch::test
