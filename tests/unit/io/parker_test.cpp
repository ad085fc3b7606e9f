#include "io/parker.hpp"
#include "io/unique_fd.hpp"
#include "support/sanitized.hpp"
#include "support/wait_until.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace redlatch::io {
namespace {

using namespace std::chrono_literals;

/// Long enough for any machine; reached only when something is wrong.
base::instant much_later() {
    return base::later(lease_clock::now(), test::patience);
}

unique_fd make_event_fd() {
    return unique_fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

struct pipe_ends {
    unique_fd out;
    unique_fd in;
    pipe_ends() {
        std::array<int, 2> both{};
        EXPECT_EQ(::pipe(both.data()), 0);
        out.reset(both[0]);
        in.reset(both[1]);
    }
    void write() const { EXPECT_EQ(::write(in.get(), "x", 1), 1); }
};

/// True if nobody's write is left in it.
bool is_drained(unique_fd const& event_fd) {
    std::uint64_t count = 0;
    return ::read(event_fd.get(), &count, sizeof count) < 0 && errno == EAGAIN;
}

TEST(parker, does_not_sleep_when_it_was_woken_before) {
    auto& me = parker::of_this_thread();
    me.wake();
    me.wake();
    me.park(base::never); // would sleep for ever
    auto const began = lease_clock::now();
    me.park(began + 5ms);
    EXPECT_GE(lease_clock::now(), began + 5ms) << "two wakes are one hint";
}

TEST(parker, sleeps_no_longer_than_it_was_told_to) {
    auto& me = parker::of_this_thread();
    auto const began = lease_clock::now();
    me.park(began + 10ms);
    EXPECT_GE(lease_clock::now(), began + 10ms);
    me.park(began); // the past
    me.park(base::instant{});
    EXPECT_LT(lease_clock::now(), began + test::patience);
}

TEST(parker, wakes_a_thread_whenever_the_wake_comes) {
    // Two threads hand a token to each other: a wake that was lost would end it.
    constexpr int rounds = 5'000;
    std::atomic<int> turn{0};
    std::atomic<parker*> first{nullptr};
    std::atomic<parker*> second{nullptr};
    auto const play = [&](int mine, std::atomic<parker*>& me, std::atomic<parker*>& other) {
        me = &parker::of_this_thread();
        while (other == nullptr) std::this_thread::yield();
        auto const until = much_later();
        for (int round = mine; round < rounds; round += 2) {
            while (turn != round && lease_clock::now() < until) me.load()->park(until);
            turn = round + 1;
            other.load()->wake();
        }
    };
    std::thread one(play, 0, std::ref(first), std::ref(second));
    std::thread two(play, 1, std::ref(second), std::ref(first));
    one.join();
    two.join();
    EXPECT_EQ(turn, rounds);
}

TEST(parker, polls_until_the_descriptor_is_ready) {
    auto& me = parker::of_this_thread();
    pipe_ends const pipe;
    auto const bell = make_event_fd();
    EXPECT_EQ(me.poll(pipe.out.get(), POLLIN, bell.get(), lease_clock::now() + 5ms), 0);
    pipe.write();
    EXPECT_EQ(me.poll(pipe.out.get(), POLLIN, bell.get(), base::never), POLLIN);
    EXPECT_TRUE(is_drained(bell));
}

TEST(parker, sees_that_the_other_end_is_gone) {
    auto& me = parker::of_this_thread();
    pipe_ends pipe;
    auto const bell = make_event_fd();
    pipe.in.reset();
    EXPECT_NE(me.poll(pipe.out.get(), POLLIN, bell.get(), base::never) & POLLHUP, 0);
}

TEST(parker, does_not_poll_when_it_was_woken_before_and_leaves_nothing_in_the_eventfd) {
    auto& me = parker::of_this_thread();
    pipe_ends const pipe;
    auto const bell = make_event_fd();
    me.wake();
    EXPECT_EQ(me.poll(pipe.out.get(), POLLIN, bell.get(), base::never), 0);
    EXPECT_TRUE(is_drained(bell));
}

TEST(parker, consumes_exactly_its_own_wake_when_it_is_woken_while_it_polls) {
    auto& me = parker::of_this_thread();
    pipe_ends const pipe;
    auto const bell = make_event_fd();
    constexpr int rounds = 3'000;
    std::atomic<int> asked{0};
    std::thread other([&] {
        for (int round = 1; round <= rounds; ++round) {
            while (asked < round) std::this_thread::yield();
            me.wake();
        }
    });
    for (int round = 1; round <= rounds; ++round) {
        asked = round;
        ASSERT_EQ(me.poll(pipe.out.get(), POLLIN, bell.get(), much_later()), 0) << round;
        ASSERT_TRUE(is_drained(bell)) << round;
    }
    other.join();
}

TEST(parker, consumes_its_wake_also_when_the_descriptor_became_ready_at_the_same_time) {
    auto& me = parker::of_this_thread();
    pipe_ends const pipe;
    auto const bell = make_event_fd();
    constexpr int rounds = 1'000;
    std::atomic<int> asked{0};
    std::atomic<int> done{0};
    std::thread other([&] {
        for (int round = 1; round <= rounds; ++round) {
            while (asked < round) std::this_thread::yield();
            pipe.write();
            me.wake();
            done = round;
        }
    });
    for (int round = 1; round <= rounds; ++round) {
        asked = round;
        char byte = 0;
        while (me.poll(pipe.out.get(), POLLIN, bell.get(), much_later()) == 0) {
        }
        ASSERT_EQ(::read(pipe.out.get(), &byte, 1), 1);
        while (done < round) std::this_thread::yield();
        me.park(lease_clock::now()); // the wake, if it came after the poll
        ASSERT_TRUE(is_drained(bell)) << round;
    }
    other.join();
}

parker* parker_of_a_new_thread() {
    parker* which = nullptr;
    std::thread([&] { which = &parker::of_this_thread(); }).join();
    return which;
}

TEST(parker, of_a_thread_that_has_ended_serves_the_next_one) {
    auto* const mine = &parker::of_this_thread(); // before another thread leaves one behind
    auto* const first = parker_of_a_new_thread();
    EXPECT_EQ(parker_of_a_new_thread(), first);
    EXPECT_NE(mine, first) << "two threads that live have two";
    EXPECT_EQ(&parker::of_this_thread(), mine);
}

/// Does its thread still have a parker that no other thread gets?
struct looks_when_it_is_destroyed {
    parker* before = nullptr;
    bool* has_its_own = nullptr;
    ~looks_when_it_is_destroyed() {
        if (has_its_own != nullptr)
            *has_its_own = &parker::of_this_thread() == before && parker_of_a_new_thread() != before;
    }
};

TEST(parker, is_its_threads_own_until_the_last_thread_local_object_is_destroyed) {
    bool has_its_own = false;
    std::thread([&] {
        static thread_local looks_when_it_is_destroyed made_before_the_parker;
        made_before_the_parker.has_its_own = &has_its_own;
        made_before_the_parker.before = &parker::of_this_thread();
    }).join();
    EXPECT_TRUE(has_its_own) << "two threads had one parker";
}

/// Runs `body` in a child of a fork; its exit status, or -1 if it hung or crashed.
template <class Body> int in_a_child(Body body) {
    pid_t const child = ::fork();
    if (child == 0) {
        ::alarm(20); // a hang is a failure too
        body();
        std::_Exit(100);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(parker, of_the_main_thread_is_its_own_in_static_destructors_too) {
    struct looks_at_exit {
        parker* before = &parker::of_this_thread();
        ~looks_at_exit() { std::_Exit(parker_of_a_new_thread() == before ? 1 : 0); }
    };
    EXPECT_EQ(in_a_child([] {
                  static looks_at_exit const at_exit;
                  std::exit(101);
              }),
              0);
}

TEST(parker, can_be_had_in_the_child_of_a_fork_while_threads_of_the_parent_begin_and_end) {
    if (test::is_sanitized())
        GTEST_SKIP()
            << "the sanitizers' runtimes may hold locks of their own when a process with several threads forks";
    std::atomic<bool> stop{false};
    std::vector<std::thread> churning;
    for (int i = 0; i < 4; ++i)
        churning.emplace_back([&] {
            while (!stop) static_cast<void>(parker_of_a_new_thread());
        });
    constexpr int forks = 400;
    int failed = 0;
    for (int i = 0; i < forks && failed == 0; ++i)
        failed += in_a_child([] { std::_Exit(parker_of_a_new_thread() != nullptr ? 0 : 1); }) == 0 ? 0 : 1;
    stop = true;
    for (auto& one : churning) one.join();
    EXPECT_EQ(failed, 0);
}

TEST(parker, may_be_woken_after_its_thread_has_ended) {
    parker* late = nullptr;
    std::thread([&] { late = &parker::of_this_thread(); }).join();
    late->wake();
    std::thread([&] {
        auto& mine = parker::of_this_thread();
        EXPECT_EQ(&mine, late) << "the next thread has it now";
        auto const began = lease_clock::now();
        mine.park(began + test::patience);
        EXPECT_LT(lease_clock::now(), began + test::patience) << "it finds the wake that came too late";
        auto const until = lease_clock::now() + 5ms;
        mine.park(until);
        EXPECT_GE(lease_clock::now(), until) << "but only once";
    }).join();
}

TEST(parker, as_a_waker_owns_nothing) {
    auto const waker = parker::of_this_thread().as_waker();
    EXPECT_EQ(waker.get(), &parker::of_this_thread());
    EXPECT_EQ(waker.use_count(), 0);
}

TEST(time_left, is_what_poll_and_futex_want) {
    EXPECT_LT(time_left(base::never), 0ns);
    EXPECT_EQ(time_left(lease_clock::now() - 1s), 0ns);
    EXPECT_EQ(time_left(base::instant{}), 0ns);
    EXPECT_GT(time_left(lease_clock::now() + 1h), 59min);
}

} // namespace
} // namespace redlatch::io
