#include "io/reactor.hpp"
#include "support/wait_until.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <future>
#include <gmock/gmock.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <thread>
#include <vector>

namespace redlatch::io {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

/// Waits until everything that was posted before has run.
void settle(reactor& loop) {
    std::promise<void> done;
    loop.post([&] { done.set_value(); });
    ASSERT_EQ(done.get_future().wait_for(test::patience), std::future_status::ready);
}

TEST(reactor, runs_what_is_posted_in_order_on_a_thread_of_its_own) {
    reactor loop;
    EXPECT_FALSE(loop.started());
    std::vector<int> order;
    for (int i = 0; i < 3; ++i)
        loop.post([&, i] {
            EXPECT_TRUE(loop.on_thread());
            order.push_back(i);
        });
    settle(loop);
    EXPECT_TRUE(loop.started());
    EXPECT_FALSE(loop.on_thread());
    EXPECT_THAT(order, ElementsAre(0, 1, 2));
}

TEST(reactor, runs_what_a_task_posts) {
    reactor loop;
    std::promise<void> done;
    loop.post([&] { loop.post([&] { loop.post([&] { done.set_value(); }); }); });
    EXPECT_EQ(done.get_future().wait_for(test::patience), std::future_status::ready);
}

TEST(reactor, goes_on_at_once_with_what_a_task_posts) {
    reactor loop;
    std::promise<void> done;
    std::function<void(int)> const count_down = [&](int left) {
        if (left == 0) return done.set_value();
        loop.post([&, left] { count_down(left - 1); });
    };
    auto const begin = std::chrono::steady_clock::now();
    loop.post([&] { count_down(5'000); });
    ASSERT_EQ(done.get_future().wait_for(test::patience), std::future_status::ready);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s) << "not a millisecond for each";
}

TEST(reactor, runs_each_task_once_whoever_posts) {
    reactor loop;
    std::atomic<int> ran{0};
    std::vector<std::thread> posters;
    for (int i = 0; i < 4; ++i)
        posters.emplace_back([&] {
            for (int n = 0; n < 500; ++n) loop.post([&] { ++ran; });
        });
    for (auto& one : posters) one.join();
    settle(loop);
    EXPECT_EQ(ran, 2'000);
}

TEST(reactor, lets_go_of_a_task_when_it_has_run) {
    reactor loop;
    auto kept = std::make_shared<int>();
    std::weak_ptr const watched = kept;
    loop.post([kept = std::move(kept)] {});
    settle(loop);
    EXPECT_TRUE(watched.expired());
}

TEST(reactor, leaves_signals_to_the_threads_of_the_program) {
    reactor loop;
    sigset_t blocked{};
    loop.post([&] { ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked); });
    settle(loop);
    for (int const number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGALRM, SIGUSR1})
        EXPECT_EQ(::sigismember(&blocked, number), 1) << number;
    sigset_t own{};
    ::pthread_sigmask(SIG_SETMASK, nullptr, &own);
    EXPECT_EQ(::sigismember(&own, SIGTERM), 0) << "ours is as it was";
}

// --- timers

TEST(reactor, runs_timers_in_the_order_of_their_times_and_not_before) {
    reactor loop;
    loop.start();
    auto const now = lease_clock::now();
    std::vector<int> order;
    std::promise<void> done;
    auto const add = [&](int number, base::milliseconds after) {
        loop.at(now + after, [&, number, after] {
            EXPECT_GE(lease_clock::now(), now + after);
            EXPECT_TRUE(loop.on_thread());
            order.push_back(number);
            if (number == 3) done.set_value();
        });
    };
    add(3, 15ms);
    add(1, 5ms);
    add(2, 10ms);
    add(0, -1s);
    ASSERT_EQ(done.get_future().wait_for(test::patience), std::future_status::ready);
    EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
}

TEST(reactor, keeps_timers_until_its_thread_is_started) {
    reactor loop;
    std::promise<void> done;
    loop.at(lease_clock::now(), [&] { done.set_value(); });
    EXPECT_FALSE(loop.started()) << "a timer alone needs no thread";
    loop.start();
    EXPECT_EQ(done.get_future().wait_for(test::patience), std::future_status::ready);
}

TEST(reactor, does_not_run_a_timer_that_was_cancelled) {
    reactor loop;
    auto kept = std::make_shared<int>();
    std::weak_ptr const watched = kept;
    bool ran = false;
    auto const timer = loop.at(lease_clock::now() + 1h, [&ran, kept = std::move(kept)] { ran = true; });
    loop.cancel(timer);
    EXPECT_TRUE(watched.expired()) << "what it held is let go";
    std::promise<void> done;
    reactor::timer other = 0;
    auto const begin = lease_clock::now();
    other = loop.at(begin + 2ms, [&] { ran = true; });
    loop.at(begin + 1ms, [&] { loop.cancel(other); });
    loop.at(begin + 3ms, [&] { done.set_value(); });
    loop.start();
    ASSERT_EQ(done.get_future().wait_for(test::patience), std::future_status::ready);
    EXPECT_FALSE(ran);
}

TEST(reactor, cancels_what_is_unknown_or_over_without_harm) {
    reactor loop;
    loop.cancel(0);
    loop.cancel(4'711);
    std::promise<void> done;
    auto const timer = loop.at(lease_clock::now(), [&] { done.set_value(); });
    loop.start();
    ASSERT_EQ(done.get_future().wait_for(test::patience), std::future_status::ready);
    loop.cancel(timer);
    settle(loop);
}

TEST(reactor, runs_a_timer_that_a_timer_sets) {
    reactor loop;
    std::promise<void> done;
    loop.at(lease_clock::now(), [&] { loop.at(lease_clock::now() + 1ms, [&] { done.set_value(); }); });
    loop.start();
    EXPECT_EQ(done.get_future().wait_for(test::patience), std::future_status::ready);
}

// --- descriptors

struct listener final : event_target {
    std::atomic<int> events{0};
    std::atomic<std::uint32_t> last{0};
    void on_event(std::uint32_t what) override {
        last = what;
        ++events;
    }
};

struct watched_pipe {
    reactor loop;
    std::shared_ptr<listener> target = std::make_shared<listener>();
    unique_fd out;
    unique_fd in;
    std::uint64_t token = 0;

    watched_pipe() {
        std::array<int, 2> both{};
        EXPECT_EQ(::pipe(both.data()), 0);
        out.reset(both[0]);
        in.reset(both[1]);
        loop.start();
        token = loop.watch(target);
    }
    void write() const { EXPECT_EQ(::write(in.get(), "x", 1), 1); }
    bool sees(int events) {
        return test::wait_until([&] { return target->events == events; });
    }
};

TEST(reactor, tells_one_event_for_each_time_a_descriptor_is_armed) {
    watched_pipe all;
    all.write();
    settle(all.loop);
    EXPECT_EQ(all.target->events, 0) << "silent while it is not armed";
    all.loop.arm(all.out.get(), EPOLLIN, all.token, true);
    EXPECT_TRUE(all.sees(1));
    EXPECT_EQ(all.target->last & EPOLLIN, EPOLLIN);
    all.write();
    settle(all.loop);
    settle(all.loop);
    EXPECT_EQ(all.target->events, 1);
    all.loop.arm(all.out.get(), EPOLLIN, all.token, false);
    EXPECT_TRUE(all.sees(2)) << "it fires on arming when data wait";
}

TEST(reactor, tells_each_of_many_of_its_own_events) {
    watched_pipe all;
    std::vector<std::shared_ptr<listener>> others;
    all.write();
    for (int i = 0; i < 8; ++i) {
        others.push_back(std::make_shared<listener>());
        all.loop.disregard(all.out.get());
        all.loop.arm(all.out.get(), EPOLLIN, all.loop.watch(others.back()), true);
        EXPECT_TRUE(test::wait_until([&] { return others.back()->events == 1; })) << i;
    }
    EXPECT_EQ(all.target->events, 0);
}

TEST(reactor, tells_that_the_other_end_is_gone) {
    watched_pipe all;
    all.loop.arm(all.out.get(), EPOLLIN, all.token, true);
    all.in.reset();
    EXPECT_TRUE(all.sees(1));
    EXPECT_EQ(all.target->last & EPOLLHUP, EPOLLHUP);
}

TEST(reactor, tells_nothing_about_what_is_watched_no_more) {
    watched_pipe all;
    all.loop.arm(all.out.get(), EPOLLIN, all.token, true);
    all.loop.unwatch(all.token);
    all.loop.unwatch(all.token);
    all.write();
    settle(all.loop);
    settle(all.loop);
    EXPECT_EQ(all.target->events, 0);
}

TEST(reactor, disregards_a_descriptor_that_is_about_to_be_closed) {
    watched_pipe all;
    all.loop.arm(all.out.get(), EPOLLIN, all.token, true);
    all.loop.disregard(all.out.get());
    all.write();
    settle(all.loop);
    settle(all.loop);
    EXPECT_EQ(all.target->events, 0);
    all.loop.arm(all.out.get(), EPOLLIN, all.token, true);
    EXPECT_TRUE(all.sees(1)) << "it can be added again";
}

TEST(reactor, keeps_a_target_alive_while_it_is_watched) {
    watched_pipe all;
    std::weak_ptr const watched = all.target;
    all.target.reset();
    EXPECT_FALSE(watched.expired());
    all.loop.unwatch(all.token);
    EXPECT_TRUE(watched.expired());
}

// --- the end

TEST(reactor, runs_what_was_posted_before_it_stops_and_drops_what_comes_later) {
    reactor loop;
    std::atomic<int> ran{0};
    std::promise<void> running;
    loop.post([&] {
        running.set_value();
        while (loop.at(base::never, [] {}) != 0) std::this_thread::yield(); // until stop() has begun
    });
    running.get_future().wait();
    for (int i = 0; i < 10; ++i) loop.post([&] { ++ran; });
    loop.stop();
    EXPECT_EQ(ran, 10);
    auto kept = std::make_shared<int>();
    std::weak_ptr const watched = kept;
    loop.post([&ran, kept = std::move(kept)] { ++ran; });
    EXPECT_TRUE(watched.expired());
    EXPECT_EQ(loop.at(lease_clock::now(), [&] { ++ran; }), 0U);
    loop.start();
    EXPECT_EQ(ran, 10);
}

TEST(reactor, stops_without_ever_having_started_and_stops_twice) {
    reactor loop;
    loop.stop();
    loop.stop();
    EXPECT_FALSE(loop.started());
    reactor other;
    other.start();
    other.stop();
    other.stop();
}

// --- driven by a loop of the user's

class driven_reactor : public ::testing::Test {
protected:
    bool has_work() const {
        pollfd one{loop.descriptor(), POLLIN, 0};
        return ::poll(&one, 1, 0) == 1;
    }
    reactor loop{reactor::driver::user_loop};
};

TEST_F(driven_reactor, runs_what_is_posted_in_the_turn_that_is_asked_for) {
    int ran = 0;
    bool on_thread = false;
    EXPECT_FALSE(has_work());
    loop.post([&] {
        ++ran;
        on_thread = loop.on_thread();
    });
    EXPECT_FALSE(loop.started());
    EXPECT_TRUE(has_work());
    EXPECT_EQ(ran, 0);
    EXPECT_TRUE(loop.run_ready());
    EXPECT_EQ(ran, 1);
    EXPECT_TRUE(on_thread);
    EXPECT_FALSE(loop.on_thread());
    EXPECT_FALSE(has_work());
}

TEST_F(driven_reactor, a_turn_runs_what_was_posted_and_what_that_posts_and_then_its_end) {
    struct note final : runnable {
        explicit note(std::vector<int>& into) : order(into) {}
        void run() override { order.push_back(4); }
        std::vector<int>& order;
    };
    std::vector<int> order;
    loop.post([&] {
        EXPECT_TRUE(loop.gathers());
        loop.at_end_of_iteration(std::make_shared<note>(order));
        order.push_back(1);
        loop.post([&] {
            order.push_back(3);
            loop.post([&] { order.push_back(5); });
        });
    });
    loop.post([&] { order.push_back(2); });
    EXPECT_FALSE(loop.gathers());
    EXPECT_TRUE(loop.run_ready());
    EXPECT_THAT(order, ElementsAre(1, 2, 3, 4));
    EXPECT_TRUE(has_work()) << "whoever posts again and again keeps no event waiting";
    EXPECT_TRUE(loop.run_ready());
    EXPECT_THAT(order, ElementsAre(1, 2, 3, 4, 5));
    EXPECT_FALSE(has_work());
}

TEST_F(driven_reactor, timers_make_the_descriptor_readable) {
    bool ran = false;
    loop.at(lease_clock::now() + 20ms, [&] { ran = true; });
    EXPECT_TRUE(loop.run_ready());
    EXPECT_FALSE(ran);
    EXPECT_TRUE(test::wait_until([&] { return has_work(); }));
    EXPECT_TRUE(loop.run_ready());
    EXPECT_TRUE(ran);
}

TEST_F(driven_reactor, takes_one_turn_at_a_time_whoever_asks) {
    std::atomic<int> inside{0};
    std::atomic<bool> overlapped{false};
    std::atomic<int> ran{0};
    std::vector<std::jthread> drivers;
    for (int i = 0; i < 4; ++i)
        drivers.emplace_back([&] {
            while (loop.run_ready()) loop.wait_for_work();
        });
    for (int n = 0; n < 2'000; ++n)
        loop.post([&] {
            if (++inside != 1) overlapped = true;
            --inside;
            ++ran;
        });
    EXPECT_TRUE(test::wait_until([&] { return ran == 2'000; }));
    loop.stop(); // and every one of them sees it
    drivers.clear();
    EXPECT_FALSE(overlapped);
}

TEST_F(driven_reactor, a_turn_within_a_turn_does_nothing) {
    int ran = 0;
    loop.post([&] {
        loop.post([&] { ++ran; });
        EXPECT_TRUE(loop.run_ready());
        EXPECT_EQ(ran, 0);
    });
    EXPECT_TRUE(loop.run_ready());
}

TEST_F(driven_reactor, says_when_it_has_stopped_and_stays_readable) {
    int ran = 0;
    loop.post([&] { ++ran; });
    loop.stop();
    EXPECT_FALSE(loop.run_ready());
    EXPECT_EQ(ran, 1) << "what was posted before still runs";
    EXPECT_TRUE(has_work()) << "whoever else watches it is to see the end too";
    EXPECT_FALSE(loop.run_ready());
}

} // namespace
} // namespace redlatch::io
