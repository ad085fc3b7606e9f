// The order of fair locks: across threads and clients, with waiters that give up, close or die.
#include "behaviour/kinds.hpp"
#include "locking/script.hpp"

#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace redlatch::test {
namespace {

class fair_lock_test : public with_server {
protected:
    static config settings(std::string address) {
        auto result = quick(std::move(address));
        result.fair_lock_wait_timeout = 4s;
        return result;
    }
    client user{settings(server.uri())};
    client other{settings(server.uri())};
    any_lock lock = user.get_fair_lock(name);
    any_lock theirs = other.get_fair_lock(name);
    std::string const queue = "redisson_lock_queue:{" + name + "}";
    std::string const timeouts = "redisson_lock_timeout:{" + name + "}";

    void TearDown() override {
        expect_idle(user);
        expect_idle(other);
        expect_clean(server);
    }
    std::int64_t queued() const { return server.run("LLEN", queue).integer; }
    bool queue_becomes(std::int64_t length) const {
        return wait_until([&] { return queued() == length; });
    }
    std::int64_t server_ms() const {
        auto const now = server.run("TIME").items;
        return std::stoll(now.at(0).text) * 1'000 + std::stoll(now.at(1).text) / 1'000;
    }
    /// A waiter that has died: nobody asks for it any more, and its timeout is so far away.
    void queue_the_dead(std::chrono::milliseconds left) const {
        server.run("RPUSH", queue, "dead:1");
        server.run("ZADD", timeouts, std::to_string(server_ms() + left.count()), "dead:1");
    }
};

TEST_F(fair_lock_test, is_acquired_in_the_order_in_which_waiters_came_whatever_their_client) {
    auto mine = lock.acquire();
    std::mutex guard;
    std::vector<int> order;
    std::vector<std::jthread> waiters;
    constexpr int many = 8;
    for (int i = 0; i < many; ++i) {
        waiters.emplace_back([&, i, from = i % 2 == 0 ? theirs : lock]() mutable {
            auto const got = from.acquire({.owner = owner()});
            std::lock_guard const inside(guard);
            order.push_back(i);
        });
        ASSERT_TRUE(queue_becomes(i + 1));
    }
    mine.release();
    waiters.clear();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(fair_lock_test, is_acquired_in_order_by_waiters_that_let_their_leases_end) {
    auto mine = lock.acquire();
    std::mutex guard;
    std::vector<int> order;
    std::vector<hold> held; // nobody releases
    std::vector<std::jthread> waiters;
    for (int i = 0; i < 5; ++i) {
        waiters.emplace_back([&, i, from = i % 2 == 0 ? theirs : lock]() mutable {
            auto got = from.acquire({.wait = 60s, .lease = 800ms, .owner = owner()});
            std::lock_guard const inside(guard);
            order.push_back(i);
            held.push_back(std::move(got));
        });
        ASSERT_TRUE(queue_becomes(i + 1));
    }
    auto const began = test_clock::now();
    mine.release();
    waiters.clear();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
    EXPECT_LT(since(began), 20s) << "by the ends of the leases, not by the timeouts of those before";
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
}

TEST_F(fair_lock_test, lets_hundreds_of_threads_in_one_after_the_other) {
    constexpr int many = 300;
    int counter = 0; // guarded by the lock alone
    std::vector<std::jthread> threads;
    for (int i = 0; i < many; ++i)
        threads.emplace_back([&, from = i % 2 == 0 ? theirs : lock]() mutable {
            auto const got = from.acquire({.wait = 100s, .owner = owner()});
            int const read = counter;
            std::this_thread::yield();
            counter = read + 1;
        });
    threads.clear();
    EXPECT_EQ(counter, many);
    EXPECT_EQ(queued(), 0);
}

TEST_F(fair_lock_test, lets_nobody_who_comes_later_overtake_a_waiter_that_has_been_told) {
    auto mine = lock.acquire();
    auto waiter = in_thread([&] { return theirs.acquire({.owner = owner()}); });
    ASSERT_TRUE(queue_becomes(1));
    mine.release();
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(lock.try_acquire()) << "the waiter has it, or is the first";
    auto got = waiter.get();
    got.release();
    EXPECT_TRUE(lock.try_acquire());
}

TEST_F(fair_lock_test, is_not_queued_for_by_who_does_not_wait) {
    auto mine = lock.acquire();
    EXPECT_FALSE(theirs.try_acquire());
    EXPECT_EQ(queued(), 0);
}

TEST_F(fair_lock_test, is_passed_on_at_once_when_the_first_waiter_gives_up) {
    auto mine = lock.acquire();
    std::stop_source stop;
    auto first = in_thread([&] {
        std::error_code ec;
        auto const got = theirs.acquire({.owner = owner(), .stop = stop.get_token()}, ec);
        return ec;
    });
    ASSERT_TRUE(queue_becomes(1));
    auto second = in_thread([&] { return lock.acquire({.owner = owner()}); });
    ASSERT_TRUE(queue_becomes(2));
    stop.request_stop();
    EXPECT_EQ(first.get(), errc::cancelled);
    EXPECT_TRUE(queue_becomes(1)) << "it leaves the queue, though nobody waits for that";
    mine.release();
    auto const began = test_clock::now();
    EXPECT_TRUE(second.get());
    EXPECT_LT(since(began), 2s) << "not after the timeout of the one that has left";
}

TEST_F(fair_lock_test, leaves_the_queue_at_its_deadline_and_when_its_client_closes) {
    auto mine = lock.acquire();
    std::error_code ec;
    EXPECT_FALSE(theirs.acquire({.wait = 1s}, ec));
    EXPECT_EQ(ec, errc::timed_out);
    EXPECT_TRUE(queue_becomes(0));
    client closing(settings(server.uri()));
    auto waiter = in_thread([&] {
        std::error_code end;
        auto const got = any_lock(closing.get_fair_lock(name)).acquire({}, end);
        return end;
    });
    ASSERT_TRUE(queue_becomes(1));
    closing.close();
    EXPECT_EQ(waiter.get(), errc::closed);
    EXPECT_TRUE(queue_becomes(0));
    mine.release();
    EXPECT_TRUE(theirs.try_acquire()) << "no entry keeps others out";
}

TEST_F(fair_lock_test, keeps_each_timeout_within_its_place_however_many_give_up_before_and_behind) {
    auto mine = lock.acquire();
    auto patient = in_thread([&] { return theirs.acquire({.owner = owner()}); });
    ASSERT_TRUE(queue_becomes(1));
    auto const expect_within_their_places = [&] {
        auto const waiting = server.run("LRANGE", queue, "0", "-1").items;
        for (std::size_t place = 0; place < waiting.size(); ++place) {
            auto const until = server.run("ZSCORE", timeouts, waiting[place].text).text;
            ASSERT_FALSE(until.empty()) << waiting[place].text;
            EXPECT_LE(std::stoll(until) - server_ms(), 4'000 * static_cast<std::int64_t>(place + 1)) << place;
            EXPECT_GT(std::stoll(until), server_ms()) << place;
        }
    };
    for (int round = 0; round < 10; ++round) {
        SCOPED_TRACE(round);
        std::stop_source stop;
        std::stop_source stop_behind;
        auto leaves = in_thread([&] {
            std::error_code ec;
            auto const got = lock.acquire({.owner = owner(), .stop = stop.get_token()}, ec);
            return ec;
        });
        ASSERT_TRUE(queue_becomes(2));
        auto behind = in_thread([&] {
            std::error_code ec;
            auto const got = theirs.acquire({.owner = owner(), .stop = stop_behind.get_token()}, ec);
            return ec;
        });
        ASSERT_TRUE(queue_becomes(3));
        expect_within_their_places();
        stop.request_stop();
        EXPECT_EQ(leaves.get(), errc::cancelled);
        ASSERT_TRUE(queue_becomes(2));
        expect_within_their_places();
        stop_behind.request_stop();
        EXPECT_EQ(behind.get(), errc::cancelled);
        ASSERT_TRUE(queue_becomes(1));
        expect_within_their_places();
    }
    mine.release();
    EXPECT_TRUE(patient.get());
}

TEST_F(fair_lock_test, leaves_the_queue_at_its_deadline_although_the_server_takes_no_writes_meanwhile) {
    auto mine = lock.acquire();
    auto limited = in_thread([&] {
        std::error_code ec;
        auto const got = theirs.acquire({.wait = 1500ms, .owner = owner()}, ec);
        return ec;
    });
    ASSERT_TRUE(queue_becomes(1));
    auto patient = in_thread([&] { return lock.acquire({.owner = owner()}); });
    ASSERT_TRUE(queue_becomes(2));
    server.run("CLIENT", "PAUSE", "60000", "WRITE");
    EXPECT_EQ(limited.get(), errc::timed_out) << "nothing that it was told of is wrong";
    EXPECT_EQ(queued(), 2);
    server.run("CLIENT", "UNPAUSE");
    EXPECT_TRUE(queue_becomes(1));
    mine.release();
    EXPECT_TRUE(patient.get());
}

TEST_F(fair_lock_test, is_kept_by_a_dead_waiter_until_its_timeout_and_without_asking_again_and_again) {
    auto const began = test_clock::now();
    queue_the_dead(1500ms);
    auto const calls = user.stats().commands;
    auto got = lock.acquire({.wait = 20s});
    EXPECT_GE(since(began), 1490ms);
    EXPECT_LE(user.stats().commands - calls, 20U) << "it sleeps until then";
    EXPECT_EQ(queued(), 0);
}

TEST_F(fair_lock_test, keeps_the_place_of_a_waiter_for_longer_than_its_timeout) {
    auto mine = lock.acquire();
    auto first = in_thread([&] { return theirs.acquire({.owner = owner()}); });
    ASSERT_TRUE(queue_becomes(1));
    auto const id = server.run("LINDEX", queue, "0").text;
    // Java's acquisitions make all timeouts nearer: here it would be over at once.
    server.run("ZINCRBY", timeouts, "-6000000", id);
    EXPECT_TRUE(wait_until([&] { return std::stoll(server.run("ZSCORE", timeouts, id).text) > server_ms() + 2'000; }))
        << "it asks each quarter of the timeout, and puts it off";
    EXPECT_EQ(server.run("LINDEX", queue, "0").text, id);
    mine.release();
    EXPECT_TRUE(first.get());
}

TEST_F(fair_lock_test, is_acquired_in_order_although_connections_break) {
    byte_proxy proxy{server.address()};
    client through(settings(proxy.uri()));
    auto mine = lock.acquire();
    auto first = in_thread([&] { return any_lock(through.get_fair_lock(name)).acquire({.owner = owner()}); });
    ASSERT_TRUE(queue_becomes(1));
    auto second = in_thread([&] { return theirs.acquire({.owner = owner()}); });
    ASSERT_TRUE(queue_becomes(2));
    proxy.cut_all();
    mine.release();
    auto got = first.get();
    EXPECT_FALSE(is_ready(second));
    got.release();
    EXPECT_TRUE(second.get());
    expect_idle(through);
}

TEST_F(fair_lock_test, hears_of_releases_by_its_new_id_when_what_it_got_was_over_before_it_knew) {
    byte_proxy proxy{server.address()};
    config far = quick(proxy.uri());
    far.lock_watchdog_timeout = 30s; // no timer helps
    client slow(far);
    any_lock late = slow.get_fair_lock(name);
    auto first = lock.acquire();
    auto waiter = in_thread([&] { return late.acquire({.wait = 20s, .max_hold = 100ms, .owner = owner()}); });
    ASSERT_TRUE(queue_becomes(1));
    auto next = in_thread([&] { return theirs.acquire({.lease = 60s, .owner = owner()}); });
    ASSERT_TRUE(queue_becomes(2));
    proxy.delay(direction::to_client, 150ms);
    first.release();
    auto between = next.get(); // what the first one got was over, and has been given back
    proxy.delay(direction::to_client, 0ms);
    ASSERT_TRUE(queue_becomes(1));
    ASSERT_TRUE(wait_until([&] { return slow.stats().unresolved == 0; }));
    auto const told = test_clock::now();
    between.release();
    { hold const mine = waiter.get(); } // on a slow machine its 100 ms may be over: release() would say so
    EXPECT_LT(since(told), 5s);
}

TEST_F(fair_lock_test, asks_when_it_begins_to_listen_by_another_id_after_the_release) {
    byte_proxy proxy{server.address()};
    config far = quick(proxy.uri());
    far.lock_watchdog_timeout = 30s; // no timer helps
    far.timeout = 20s;               // answers are kept from it
    client slow(far);
    any_lock late = slow.get_fair_lock(name);
    auto const listens_by = [&](std::string const& id) {
        return server.run("PUBSUB", "NUMSUB", "redisson_lock__channel:{" + name + "}:" + slow.id() + id)
                   .items.at(1)
                   .integer
               == 1;
    };
    auto const is_free = [&] { return server.run("EXISTS", name).integer == 0; };
    auto first = lock.acquire();
    auto waiter = in_thread([&] { return late.acquire({.wait = 60s, .lease = 100ms, .owner = owner()}); });
    auto const attempts = a_script(locking::scripts::fair_acquire);
    ASSERT_TRUE(wait_until([&] { return proxy.count(attempts) == 2; })) << "the second one when it has begun to listen";
    // Twice it learns too late that it has got the lock.
    auto const once = proxy.hold_reply(attempts);
    first.release();
    ASSERT_TRUE(once.wait_fate() == proxy_trap::fate::answered && wait_until(is_free));
    auto const twice = proxy.hold_reply(attempts);
    once.deliver();
    ASSERT_TRUE(twice.wait_fate() == proxy_trap::fate::answered && wait_until(is_free));
    EXPECT_TRUE(wait_until([&] { return listens_by(":2"); }));
    auto between = theirs.acquire({.lease = 60s, .owner = owner()});
    // Its third id is in the queue before anybody listens by it.
    auto const listening = proxy.hold_tail(a_command("SUBSCRIBE"), 0);
    twice.deliver();
    ASSERT_TRUE(queue_becomes(1) && listening.wait());
    auto const told = test_clock::now();
    between.release();
    listening.deliver();
    { hold const mine = waiter.get(); } // on a slow machine its 100 ms may be over: release() would say so
    EXPECT_LT(since(told), 5s);
}

} // namespace
} // namespace redlatch::test
