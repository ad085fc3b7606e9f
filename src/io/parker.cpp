#include "io/parker.hpp"

#include <cerrno>
#include <linux/futex.h>
#include <mutex>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace redlatch::io {
namespace {

/// Parkers of threads that have ended.
struct parker_pool {
    std::mutex mutex;
    std::vector<parker*> idle;
};

parker_pool& pool() {
    static auto* const the_pool = new parker_pool; // never destroyed: threads may end after static destruction
    return *the_pool;
}

struct lease_of_a_parker {
    parker* mine;
    lease_of_a_parker() {
        std::lock_guard guard(pool().mutex);
        if (pool().idle.empty()) {
            mine = new parker;
        } else {
            mine = pool().idle.back();
            pool().idle.pop_back();
        }
    }
    ~lease_of_a_parker() {
        std::lock_guard guard(pool().mutex);
        pool().idle.push_back(mine);
    }
};

timespec to_timespec(base::nanoseconds left) noexcept {
    constexpr std::int64_t second = 1'000'000'000;
    return {static_cast<std::time_t>(left.count() / second), static_cast<long>(left.count() % second)};
}

} // namespace

base::nanoseconds time_left(base::instant until) noexcept {
    if (until == base::never) return base::nanoseconds(-1);
    return std::max(until - lease_clock::now(), base::nanoseconds::zero());
}

parker& parker::of_this_thread() {
    thread_local lease_of_a_parker lease;
    return *lease.mine;
}

void parker::wake() noexcept {
    // seq_cst: the word is the only meeting point of sleeper and waker, and this is never the hot path of one thread alone.
    auto const before = word_.exchange(told);
    if (before == parked) ::syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    if (before == polling) {
        std::uint64_t const one = 1;
        // The poller waits for this write before it leaves the lane, so the descriptor is still the one it named.
        while (::write(event_fd_.load(), &one, sizeof one) < 0 && errno == EINTR) {
        }
    }
}

void parker::park(base::instant until) noexcept {
    std::uint32_t expected = awake;
    if (word_.compare_exchange_strong(expected, parked)) {
        while (word_.load() == parked) {
            auto const left = time_left(until);
            if (left == base::nanoseconds::zero()) break;
            auto const limit = to_timespec(left);
            ::syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, parked, left.count() < 0 ? nullptr : &limit, nullptr, 0);
        }
    }
    word_.store(awake);
}

short parker::poll(int fd, short events, int event_fd, base::instant until) noexcept {
    event_fd_.store(event_fd);
    std::uint32_t expected = awake;
    if (!word_.compare_exchange_strong(expected, polling)) {
        word_.store(awake);
        return 0;
    }
    pollfd both[2] = {{fd, events, 0}, {event_fd, POLLIN, 0}};
    auto const left = time_left(until);
    auto const limit = to_timespec(left);
    auto const ready = ::ppoll(both, 2, left.count() < 0 ? nullptr : &limit, nullptr);
    if (word_.exchange(awake) == told) {
        std::uint64_t taken = 0;
        while (::read(event_fd, &taken, sizeof taken) < 0) { // its write may still be on the way
            pollfd only{event_fd, POLLIN, 0};
            ::poll(&only, 1, -1);
        }
    }
    return ready > 0 ? both[0].revents : short{0};
}

} // namespace redlatch::io
