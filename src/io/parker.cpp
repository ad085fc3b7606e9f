#include "io/parker.hpp"

#include "io/fork_guard.hpp"
#include "io/thread_end_key.hpp"

#include <cerrno>
#include <linux/futex.h>
#include <memory>
#include <mutex>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace redlatch::io {
namespace {

/// Parkers of this process, and which of them serve no thread.
struct parker_pool {
    explicit parker_pool(std::uint64_t process) : generation(process) {}
    std::uint64_t const generation; ///< of the process that may use it
    std::mutex mutex;
    parker* idle = nullptr;
    parker* all = nullptr;
};

/// Never destroyed: threads may end after static destruction. The child of a fork makes its own: a thread that it does not have
/// may have held the parent's mutex.
parker_pool& pool() {
    static constinit std::atomic<parker_pool*> of_this_process{nullptr};
    auto const generation = fork_generation();
    auto* known = of_this_process.load(std::memory_order_acquire);
    while (known == nullptr || known->generation != generation) {
        auto fresh = std::make_unique<parker_pool>(generation);
        if (of_this_process.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel))
            return *fresh.release();
    }
    return *known;
}

// Trivial, so that it can be used in the destructors of other thread_local objects, and in static ones.
constinit thread_local parker* mine = nullptr;

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
    if (mine == nullptr) mine = take_one();
    return *mine;
}

// Made when the library is loaded: a child of a fork must not wait for a thread that was about to make it.
thread_end_key const parker::end_of_thread(give_back);

/// For the calling thread, until its last thread_local object is destroyed: each of them may release a lock.
parker* parker::take_one() {
    auto& known = pool();
    std::lock_guard guard(known.mutex);
    auto* found = known.idle;
    if (found != nullptr) {
        known.idle = found->next_idle_;
    } else {
        found = new parker;
        found->next_ = std::exchange(known.all, found);
    }
    end_of_thread.set(found);
    return found;
}

void parker::give_back(void* of_an_ending_thread) noexcept {
    mine = nullptr; // another key's destructor may come to lock something yet
    auto* const idle = static_cast<parker*>(of_an_ending_thread);
    auto& known = pool();
    std::lock_guard guard(known.mutex);
    idle->next_idle_ = std::exchange(known.idle, idle);
}

void parker::wake_all_sleepers() noexcept {
    auto& known = pool();
    std::lock_guard guard(known.mutex);
    for (auto* one = known.all; one != nullptr; one = one->next_) {
        auto const now = one->word_.load();
        if (now == parked || now == polling) one->wake();
    }
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
