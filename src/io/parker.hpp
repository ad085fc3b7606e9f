// Where a thread sleeps until there is something for it to look at.
//
// A word with a futex, or, for a thread that reads a socket for all, a poll of that socket and an eventfd.
//
// | word     | event                 | next                                                                       |
// |----------|-----------------------|----------------------------------------------------------------------------|
// | awake    | park, poll            | parked, polling                                                            |
// | awake    | wake                  | told: the next park or poll returns at once                                |
// | parked   | wake                  | told, futex woken                                                          |
// | polling  | wake                  | told, one write to the eventfd, which the poller takes before it goes on   |
// | any      | the thread goes on    | awake                                                                      |
// Parkers are never destroyed: a wake may come after the call it was for has returned and its thread has ended. A parker whose
// thread has ended serves the next new thread; ended it has when all its thread_local objects are destroyed, for each of them
// may release a lock.
#pragma once

#include "base/time.hpp"
#include "base/waker.hpp"

#include <atomic>
#include <cstdint>

namespace redlatch::io {

class thread_end_key;

class parker final : public base::wakeable {
public:
    static parker& of_this_thread();

    /// A waker that owns nothing.
    base::waker as_waker() noexcept { return {base::waker{}, this}; }

    void wake() noexcept override;

    /// Each thread of this process that sleeps looks at the clock again. The kernel counts their timeouts on a clock that
    /// stands still while the machine sleeps; `until` is on one that goes on.
    static void wake_all_sleepers() noexcept;

    /// Until woken or `until`.
    void park(base::instant until) noexcept;

    /// Until `fd` is ready for `events`, woken, or `until`. Returns the events seen on `fd`.
    short poll(int fd, short events, int event_fd, base::instant until) noexcept;

private:
    enum word : std::uint32_t { awake, told, parked, polling };
    std::atomic<std::uint32_t> word_{awake};
    std::atomic<int> event_fd_{-1};

    static thread_end_key const end_of_thread;
    static parker* take_one();
    static void give_back(void* of_an_ending_thread) noexcept;
    // Guarded by the mutex of the pool.
    parker* next_idle_ = nullptr; ///< of those whose threads have ended
    parker* next_ = nullptr;      ///< of all
};

/// The time left as poll and futex want it; negative: for ever.
base::nanoseconds time_left(base::instant until) noexcept;

} // namespace redlatch::io
