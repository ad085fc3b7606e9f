// The one background thread: descriptors that nobody else reads, timers, and work that must not run elsewhere.
//
// A nested epoll set with a timerfd on CLOCK_BOOTTIME, an eventfd, and a second timerfd that tells when the machine has slept:
// then all threads that wait look at the clock again. It never runs user code. Instead of a thread of our own,
// an event loop of the user's may wait for its one descriptor and call run_ready() (docs/adr/0002, 0008). What an iteration is:
//
//     wait (run_ready: look) -> events, one by one -> all that was posted until now -> all that this has posted
//                            -> what was put off until its end
//
// "On the thread" means within an iteration, whichever thread takes it: one at a time.
#pragma once

#include "base/time.hpp"
#include "io/unique_fd.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace redlatch::io {

/// Something with a descriptor in the set.
class event_target {
public:
    /// On the reactor's thread. Events may be old: look before acting.
    virtual void on_event(std::uint32_t events) = 0;

protected:
    ~event_target() = default;
};

/// Work that is an object already: posting it asks for no memory.
class runnable {
public:
    virtual void run() = 0;

protected:
    ~runnable() = default;
};

/// Thread-safe. None of its members may be called with a mutex of this library held.
class reactor {
public:
    using task = std::function<void()>;
    using timer = std::uint64_t;

    enum class driver { own_thread, user_loop };

    explicit reactor(driver thread = driver::own_thread);
    ~reactor();
    reactor(reactor const&) = delete;
    reactor& operator=(reactor const&) = delete;

    /// Starts the thread if it does not run yet and is not the user's to run. Throws std::system_error.
    void start();
    /// Something was posted when the thread could not be started: tries again.
    void start_if_overdue() noexcept;
    bool started() const noexcept { return started_.load(std::memory_order_acquire); }
    bool has_own_thread() const noexcept { return driver_ == driver::own_thread; }
    /// Ends the loop and joins. Tasks posted later are dropped. On a loop of the user's: the descriptor stays readable, and
    /// run_ready() says false once all that was posted has run.
    void stop() noexcept;
    bool on_thread() const noexcept;

    /// Readable while there is work.
    int descriptor() const noexcept { return epoll_.get(); }
    void wait_for_work() const noexcept;
    /// One iteration without waiting. False: stopped, and nothing is left.
    bool run_ready() noexcept;

    /// Runs a task soon, on the thread; starts it if need be, or with the next post if it cannot be started now.
    void post(task job) { enqueue({std::move(job), nullptr}); }
    void post(std::shared_ptr<runnable> work) { enqueue({nullptr, std::move(work)}); }
    /// Runs at the end of this iteration; only where gathers() is true.
    void at_end_of_iteration(std::shared_ptr<runnable> work) { at_end_.push_back(std::move(work)); }
    /// We are within an iteration: what is to be written may wait for its end and go out in one piece.
    bool gathers() const noexcept;
    /// Runs a task at a time; kept until the thread is started.
    timer at(base::instant due_time, task job);
    void cancel(timer number) noexcept;

    /// A token for arm() and unwatch(); the target lives as long as it is watched.
    std::uint64_t watch(std::shared_ptr<event_target> target);
    void unwatch(std::uint64_t token) noexcept;
    /// One event of `events` on `fd` goes to the token's target. One system call and no mutex: may be called under a lane's.
    /// False: refused, see errno.
    bool arm(int fd, std::uint32_t events, std::uint64_t token, bool first_time) noexcept;
    void disregard(int fd) noexcept;

private:
    struct posted {
        task what;
        std::shared_ptr<runnable> who;
    };
    struct pending {
        timer id;
        task what;
    };
    void enqueue(posted job);
    void start_thread(); ///< with the mutex held
    bool try_to_start() noexcept;
    void ring() noexcept;
    void run();
    enum class next {
        wait,
        go_on, ///< something was posted without the bell
        end,   ///< stopped, and nothing is left
    };
    next iterate(int timeout);
    void take_from_others() noexcept;
    bool run_posted();
    void run_end_of_iteration();
    void run_timers();
    void set_alarm(base::instant due_time) noexcept;

    driver const driver_;
    unique_fd epoll_;
    unique_fd alarm_;
    unique_fd bell_;
    unique_fd sleep_watch_; ///< readable after the machine has slept, or its wall clock was set
    std::mutex mutex_;      // guards what follows
    std::vector<posted> posted_;
    std::multimap<base::instant, pending> timers_;
    std::unordered_map<timer, std::multimap<base::instant, pending>::iterator> timer_index_;
    std::unordered_map<std::uint64_t, std::shared_ptr<event_target>> targets_;
    std::uint64_t last_id_ = 2; // 0 to 2 are the alarm, the bell and the watch
    std::thread thread_;
    std::atomic<bool> stopping_{false};   ///< written under the mutex
    std::atomic<bool> has_posted_{false}; ///< as posted_ has; the same
    std::atomic<bool> started_{false};
    std::atomic<bool> in_iteration_{false}; ///< of a loop of the user's: somebody takes one
    std::atomic<std::thread::id> thread_id_{};

    // The iteration's own.
    std::vector<posted> own_; ///< posted by itself before anything that is in posted_: needs neither mutex nor bell
    std::vector<posted> running_;
    std::vector<std::shared_ptr<runnable>> at_end_;
};

} // namespace redlatch::io
