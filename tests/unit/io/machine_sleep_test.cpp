// A machine that sleeps: the kernel tells the reactor, and the reactor those who wait.
#include "io/parker.hpp"
#include "io/reactor.hpp"
#include "support/wait_until.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <gtest/gtest.h>
#include <string>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <thread>
#include <unistd.h>

namespace {

/// Where a timer on the wall clock is asked for, an eventfd stands in for it: writing to it is what a sleep does to the timer.
std::atomic<int> last_watch{-1};

} // namespace

extern "C" int timerfd_create(int clock, int flags) noexcept {
    if (clock != CLOCK_REALTIME) return static_cast<int>(::syscall(SYS_timerfd_create, clock, flags));
    int const stand_in = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    last_watch = stand_in;
    return stand_in;
}

namespace redlatch::io {
namespace {

void wake_up_the_machine() {
    std::uint64_t const one = 1;
    ASSERT_EQ(::write(last_watch, &one, sizeof one), static_cast<::ssize_t>(sizeof one));
}

struct sleeper {
    explicit sleeper(bool reads) : thread([this, reads] { rest(reads); }) {
        EXPECT_TRUE(test::wait_until([this] { return kernel_has_it(); }));
    }
    ~sleeper() {
        if (!woken) who.load()->wake();
        thread.join();
    }
    /// Asleep in a futex or a poll.
    bool kernel_has_it() const {
        if (who == nullptr) return false;
        char state = 0;
        if (auto* const file = std::fopen(("/proc/self/task/" + std::to_string(id) + "/stat").c_str(), "r")) {
            if (std::fscanf(file, "%*d %*s %c", &state) != 1) state = 0;
            std::fclose(file);
        }
        return state == 'S';
    }
    void rest(bool reads) {
        auto& me = parker::of_this_thread();
        me.park(lease_clock::now()); // it may have been woken for the thread that had it before
        int const bell = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        id = static_cast<int>(::syscall(SYS_gettid));
        who = &me;
        if (reads) {
            std::array<int, 2> silent{};
            EXPECT_EQ(::pipe(silent.data()), 0);
            me.poll(silent[0], 1, bell, base::never);
            for (int const end : silent) ::close(end);
        } else {
            me.park(base::never);
        }
        ::close(bell);
        woken = true;
    }

    std::atomic<int> id{0};
    std::atomic<parker*> who{nullptr};
    std::atomic<bool> woken{false};
    std::thread thread;
};

TEST(machine_sleep, wakes_those_who_are_parked_and_those_who_read) {
    reactor loop;
    loop.start();
    sleeper parked(false);
    sleeper reading(true);
    EXPECT_FALSE(parked.woken || reading.woken);
    wake_up_the_machine();
    EXPECT_TRUE(test::wait_until([&] { return parked.woken && reading.woken; }));
    loop.stop();
}

TEST(machine_sleep, is_noticed_each_time_and_by_a_loop_of_the_users) {
    reactor loop(reactor::driver::user_loop);
    for (int time = 0; time < 2; ++time) {
        sleeper parked(false);
        EXPECT_FALSE(parked.woken);
        wake_up_the_machine();
        loop.wait_for_work();
        loop.run_ready();
        EXPECT_TRUE(test::wait_until([&] { return parked.woken.load(); }));
    }
}

TEST(machine_sleep, leaves_those_alone_who_do_not_wait) {
    auto& me = parker::of_this_thread();
    me.park(lease_clock::now()); // what an earlier test left is not this wake-up
    parker::wake_all_sleepers();
    auto const until = base::later(lease_clock::now(), base::milliseconds(20));
    me.park(until);
    EXPECT_GE(lease_clock::now(), until) << "a wake-up for nothing";
}

} // namespace
} // namespace redlatch::io
