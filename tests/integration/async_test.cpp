// The asynchronous form: handlers on the user's executor, never inside the call.
#include "integration/fixture.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <thread>

namespace redlatch::test {
namespace {

/// A thread of the user's that runs what it is given.
class one_thread {
public:
    executor as_executor() {
        return [this](std::function<void()> task) {
            std::lock_guard const guard(mutex_);
            tasks_.push_back(std::move(task));
            changed_.notify_one();
        };
    }
    std::thread::id id() const { return thread_.get_id(); }
    ~one_thread() {
        {
            std::lock_guard const guard(mutex_);
            ending_ = true;
            changed_.notify_one();
        }
        thread_.join();
    }

private:
    void run() {
        std::unique_lock guard(mutex_);
        for (;;) {
            changed_.wait(guard, [this] { return ending_ || !tasks_.empty(); });
            if (tasks_.empty()) return;
            auto task = std::move(tasks_.front());
            tasks_.pop_front();
            guard.unlock();
            task();
            guard.lock();
        }
    }
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    bool ending_ = false;
    std::thread thread_{[this] { run(); }};
};

struct result {
    std::error_code code;
    hold got;
    std::thread::id thread;
};

class async_test : public with_server {
protected:
    client user{quick(server.uri())};
    client other{quick(server.uri())};
    reentrant_lock lock = user.get_lock(name);
    reentrant_lock theirs = other.get_lock(name);
    one_thread mine;

    std::future<result> acquire(acquire_options const& options, executor where) {
        auto promise = std::make_shared<std::promise<result>>();
        auto future = promise->get_future();
        lock.async_acquire(options, std::move(where), [promise](std::error_code code, hold got) {
            promise->set_value({code, std::move(got), std::this_thread::get_id()});
        });
        return future;
    }
};

TEST_F(async_test, acquires_a_free_lock_on_the_executor) {
    auto got = acquire({.owner = owner()}, mine.as_executor()).get();
    EXPECT_FALSE(got.code);
    EXPECT_TRUE(got.got);
    EXPECT_EQ(got.thread, mine.id());
    EXPECT_TRUE(exists(name));
    std::promise<std::pair<std::error_code, std::thread::id>> released;
    got.got.async_release(mine.as_executor(), [&](std::error_code code) {
        released.set_value({code, std::this_thread::get_id()});
    });
    auto const end = released.get_future().get();
    EXPECT_FALSE(end.first);
    EXPECT_EQ(end.second, mine.id());
    EXPECT_FALSE(exists(name));
    expect_idle(user);
    expect_clean(server);
}

TEST_F(async_test, without_an_executor_handlers_run_on_one_thread_of_the_client) {
    auto first = acquire({.owner = owner()}, {}).get();
    first.got.release();
    auto second = acquire({.owner = owner()}, {}).get();
    EXPECT_EQ(first.thread, second.thread);
    EXPECT_NE(first.thread, std::this_thread::get_id());
    second.got.release();
}

TEST_F(async_test, two_calls_of_one_thread_are_two_owners) {
    auto const first = acquire({}, {}).get();
    ASSERT_TRUE(first.got);
    std::promise<std::error_code> second;
    lock.async_try_acquire({}, {}, [&](std::error_code code, std::optional<hold>) { second.set_value(code); });
    EXPECT_EQ(second.get_future().get(), errc::busy) << "two were inside together";
    EXPECT_EQ(acquire({.wait = 1s}, {}).get().code, errc::timed_out);
}

TEST_F(async_test, a_call_without_a_handler_is_refused_at_once) {
    auto const refused = [](auto&& call) { return outcome_of(call).reason; };
    auto held = acquire({}, {}).get().got;
    EXPECT_EQ(refused([&] { lock.async_acquire({}, {}, {}); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { lock.async_try_acquire({}, {}, {}); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { lock.async_is_locked({}, {}); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { lock.async_force_unlock({}, {}); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { user.async_ping({}, {}); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { held.async_release({}, {}); }), errc::invalid_argument);
    EXPECT_EQ(held.status(), hold_status::held) << "nothing was started";
    EXPECT_EQ(user.stats().waiters, 0U);
}

TEST_F(async_test, never_calls_the_handler_inside_the_call) {
    // An executor that runs at once would show it, and so would a handler of an error that is known at once.
    std::atomic<int> inside{0};
    std::atomic<int> done{0};
    std::atomic<bool> calling{true};
    auto const caller = std::this_thread::get_id();
    executor const at_once = [](std::function<void()> const& task) { task(); };
    auto const note = [&] {
        if (std::this_thread::get_id() == caller && calling) ++inside;
        ++done;
    };
    lock.async_acquire({.owner = owner()}, at_once, [&](std::error_code, hold) { note(); });
    lock.async_try_acquire({.owner = owner()}, at_once, [&](std::error_code, std::optional<hold>) { note(); });
    lock.async_acquire({.lease = -1ms, .owner = owner()}, at_once, [&](std::error_code code, hold) {
        EXPECT_EQ(code, errc::invalid_argument);
        note();
    });
    hold().async_release(at_once, [&](std::error_code) { note(); });
    std::stop_source stop;
    stop.request_stop();
    lock.async_acquire({.owner = owner(), .stop = stop.get_token()}, at_once, [&](std::error_code code, hold) {
        EXPECT_EQ(code, errc::cancelled);
        note();
    });
    lock.async_force_unlock(at_once, [&](std::error_code, bool) { note(); });
    EXPECT_TRUE(wait_until([&] { return done == 6; }));
    user.close();
    lock.async_acquire({.owner = owner()}, at_once, [&](std::error_code code, hold) {
        EXPECT_EQ(code, errc::closed);
        note();
    });
    calling = false;
    EXPECT_TRUE(wait_until([&] { return done == 7; }));
    EXPECT_EQ(inside, 0);
}

TEST_F(async_test, an_executor_that_runs_at_once_does_so_on_the_notifier_thread) {
    auto const notifier = acquire({.owner = owner()}, {}).get().thread;
    auto got = acquire({.wait = 5s, .owner = owner()}, [](std::function<void()> const& task) { task(); }).get();
    EXPECT_EQ(got.thread, notifier) << "not on the thread that reads the sockets";
    EXPECT_TRUE(got.got);
}

TEST_F(async_test, says_busy_and_timed_out) {
    hold const held = theirs.acquire();
    std::promise<std::error_code> busy;
    lock.async_try_acquire({.owner = owner()}, {}, [&](std::error_code code, std::optional<hold> got) {
        EXPECT_FALSE(got);
        busy.set_value(code);
    });
    EXPECT_EQ(busy.get_future().get(), errc::busy);
    auto const start = test_clock::now();
    EXPECT_EQ(acquire({.wait = 1s, .owner = owner()}, {}).get().code, errc::timed_out);
    EXPECT_GE(since(start), 1s);
    EXPECT_LT(since(start), 1300ms);
    expect_idle(user);
}

TEST_F(async_test, waits_and_is_woken) {
    hold held = theirs.acquire();
    auto waiting = acquire({.wait = 60s, .owner = owner()}, mine.as_executor());
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    EXPECT_FALSE(is_ready(waiting));
    auto const start = test_clock::now();
    held.release();
    auto got = waiting.get();
    EXPECT_LT(since(start), 2s);
    EXPECT_TRUE(got.got);
    got.got.release();
    expect_idle(user);
    expect_clean(server);
}

TEST_F(async_test, is_cancelled_while_waiting) {
    hold const held = theirs.acquire();
    config settings = quick(server.uri());
    settings.timeout = 20s;
    client patient(settings);
    std::stop_source stop;
    std::promise<std::error_code> ended;
    patient.get_lock(name).async_acquire({.owner = owner(), .stop = stop.get_token()}, {},
                                         [&](std::error_code code, hold) { ended.set_value(code); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    auto const start = test_clock::now();
    stop.request_stop();
    EXPECT_EQ(ended.get_future().get(), errc::cancelled);
    EXPECT_LT(since(start), 250ms);
    expect_idle(patient);
}

TEST_F(async_test, is_cancelled_with_the_call_in_flight_and_gives_back_what_it_got) {
    byte_proxy proxy{server.address()};
    config settings = quick(proxy.uri());
    settings.timeout = 10s;
    client distant(settings);
    auto far = distant.get_lock(name);
    far.acquire().release();
    auto const trap = proxy.hold_reply(any_lock_call());
    std::stop_source stop;
    std::promise<std::error_code> ended;
    far.async_acquire({.owner = owner(), .stop = stop.get_token()}, {},
                      [&](std::error_code code, hold) { ended.set_value(code); });
    ASSERT_TRUE(trap.wait());
    stop.request_stop();
    EXPECT_EQ(ended.get_future().get(), errc::cancelled);
    EXPECT_TRUE(wait_until([&] { return !exists(name); }, 2s));
    trap.deliver();
    expect_idle(distant);
}

TEST_F(async_test, a_hold_that_the_handler_does_not_keep_is_released) {
    std::promise<void> called;
    lock.async_acquire({.owner = owner()}, {}, [&](std::error_code, hold) { called.set_value(); });
    called.get_future().get();
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
    expect_idle(user);
}

TEST_F(async_test, force_unlock_says_whether_there_was_a_hold) {
    auto const force = [&] {
        std::promise<std::pair<std::error_code, bool>> done;
        lock.async_force_unlock({}, [&](std::error_code code, bool was_held) { done.set_value({code, was_held}); });
        return done.get_future().get();
    };
    hold held = theirs.acquire();
    EXPECT_EQ(force(), std::pair(std::error_code(), true));
    EXPECT_EQ(force(), std::pair(std::error_code(), false));
    std::error_code lost;
    held.release(lost);
    EXPECT_EQ(lost, errc::lease_lost);
}

TEST_F(async_test, many_acquisitions_of_one_lock_each_get_their_turn) {
    constexpr int many = 200;
    std::atomic<int> done{0};
    std::atomic<int> inside{0};
    std::atomic<bool> overlapped{false};
    for (int i = 0; i < many; ++i)
        lock.async_acquire({.wait = 60s, .owner = owner()}, mine.as_executor(), [&](std::error_code code, hold got) {
            EXPECT_FALSE(code) << code.message();
            if (++inside != 1) overlapped = true;
            --inside;
            got.release();
            ++done;
        });
    EXPECT_TRUE(wait_until([&] { return done == many; }, 60s));
    EXPECT_FALSE(overlapped);
    expect_idle(user);
    expect_clean(server);
}

TEST_F(async_test, a_server_that_is_gone_is_reported) {
    server.stop();
    EXPECT_EQ(acquire({.wait = 300ms, .owner = owner()}, {}).get().code, errc::disconnected);
}

} // namespace
} // namespace redlatch::test
