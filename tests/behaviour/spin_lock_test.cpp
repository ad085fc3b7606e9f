// Spin locks: no message is sent or waited for.
#include "behaviour/kinds.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

namespace redlatch::test {
namespace {

class spin_lock_test : public with_server {
protected:
    client user{quick(server.uri())};
    client other{quick(server.uri())};
    any_lock lock = user.get_spin_lock(name);
    any_lock theirs = other.get_spin_lock(name);

    void TearDown() override {
        expect_idle(user);
        expect_idle(other);
        expect_clean(server);
    }
};

TEST_F(spin_lock_test, neither_publishes_nor_subscribes) {
    auto mine = lock.acquire();
    auto waiter = in_thread([&] { return theirs.acquire({.owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return other.stats().waiters == 1; }));
    mine.release();
    waiter.get().release();
    lock.acquire().release();
    auto forced = lock.acquire();
    EXPECT_TRUE(theirs.force_unlock());
    std::error_code ec;
    forced.release(ec);
    auto const counts = command_counts(server);
    for (auto const* silent : {"publish", "spublish", "subscribe", "ssubscribe"})
        EXPECT_EQ(counts.count(silent), 0U) << silent;
}

TEST_F(spin_lock_test, asks_less_and_less_often) {
    auto mine = lock.acquire();
    byte_proxy proxy{server.address()};
    client through(quick(proxy.uri()));
    std::error_code ec;
    auto const got = through.get_spin_lock(name).acquire({.wait = 600ms}, ec);
    EXPECT_FALSE(got);
    EXPECT_EQ(ec, errc::timed_out);
    // 1, 2, 4, ... 128, 128, ... ms, and the plain attempt: 11 or 12, fewer on a slow machine.
    EXPECT_GE(proxy.count(any_lock_call()), 2U);
    EXPECT_LE(proxy.count(any_lock_call()), 16U);
}

TEST_F(spin_lock_test, asks_as_often_as_its_policy_says) {
    auto mine = lock.acquire();
    byte_proxy proxy{server.address()};
    client through(quick(proxy.uri()));
    std::error_code ec;
    auto const got = through.get_spin_lock(name, spin_backoff::constant(200ms)).acquire({.wait = 500ms}, ec);
    EXPECT_FALSE(got);
    EXPECT_LE(proxy.count(any_lock_call()), 5U);
}

TEST_F(spin_lock_test, wakes_the_waiters_of_its_own_process_at_once) {
    auto const slow = user.get_spin_lock(name, spin_backoff::constant(1h));
    any_lock waits(slow);
    auto mine = lock.acquire();
    auto waiter = in_thread([&] { return waits.acquire({.owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1; }));
    mine.release();
    EXPECT_TRUE(waiter.get());
}

// Two threads of each process, which work for 5 ms and come again after 3. Each has the other of its own process to pass
// the lock on to, and those of the other process sleep for up to 128 ms between two looks.
TEST_F(spin_lock_test, is_not_kept_within_one_process_while_another_one_polls) {
    constexpr int of_each = 100;
    constexpr int at_the_most = 8'000; // who polls is seen by chance, as a rule within seconds
    std::atomic<int> mine{0};
    std::atomic<int> of_the_other{0};
    auto const contend = [&](any_lock& section, std::atomic<int>& entries) {
        return in_thread([&] {
            while (std::min(mine, of_the_other) < of_each && mine + of_the_other < at_the_most) {
                auto held = section.acquire({.owner = owner()});
                ++entries;
                std::this_thread::sleep_for(5ms); // sleeps because work takes time
                held.release();
                std::this_thread::sleep_for(3ms); // sleeps because other work does too
            }
        });
    };
    std::vector<std::future<void>> all;
    for (int i = 0; i < 2; ++i) {
        all.push_back(contend(lock, mine));
        all.push_back(contend(theirs, of_the_other));
    }
    for (auto& one : all) one.get();
    EXPECT_GE(mine, of_each);
    EXPECT_GE(of_the_other, of_each);
}

TEST_F(spin_lock_test, refuses_pauses_that_are_none) {
    for (auto const& bad : {spin_backoff{0ms, 1ms, 2}, spin_backoff{-1ms, 1ms, 2}, spin_backoff{2ms, 1ms, 2},
                            spin_backoff{1ms, 1ms, 0}}) {
        auto const end = outcome_of([&] { user.get_spin_lock(name, bad); });
        EXPECT_EQ(end.reason, errc::invalid_argument);
        EXPECT_NE(end.message.find(name), std::string::npos) << end.message;
    }
    EXPECT_TRUE(
        any_lock(user.get_spin_lock(name, {.first = std::chrono::hours::max(), .longest = std::chrono::hours::max()}))
            .try_acquire());
}

} // namespace
} // namespace redlatch::test
