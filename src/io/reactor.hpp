// The one background thread: descriptors that nobody else reads, timers, and work that must not run elsewhere.
//
// A nested epoll set with a timerfd on CLOCK_BOOTTIME and an eventfd; it never runs user code. Whoever owns an event loop can
// wait for its one descriptor (docs/adr/0002).
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

/// Thread-safe. None of its members may be called with a mutex of this library held.
class reactor {
public:
    using task = std::function<void()>;
    using timer = std::uint64_t;

    reactor();
    ~reactor();
    reactor(reactor const&) = delete;
    reactor& operator=(reactor const&) = delete;

    /// Starts the thread if it does not run yet.
    void start();
    bool started() const noexcept { return started_.load(std::memory_order_acquire); }
    /// Ends the loop and joins. Tasks posted later are dropped.
    void stop() noexcept;
    bool on_thread() const noexcept;

    /// Runs a task soon, on the thread; starts it if need be.
    void post(task what);
    /// Runs a task at a time; kept until the thread is started.
    timer at(base::instant when, task what);
    void cancel(timer which) noexcept;

    /// A token for arm() and unwatch(); the target lives as long as it is watched.
    std::uint64_t watch(std::shared_ptr<event_target> target);
    void unwatch(std::uint64_t token) noexcept;
    /// One event of `events` on `fd` goes to the token's target. One system call and no mutex: may be called under a lane's.
    void arm(int fd, std::uint32_t events, std::uint64_t token, bool first_time) noexcept;
    void disregard(int fd) noexcept;

    /// In the child of a fork: closes the descriptors, touches nothing else.
    void close_after_fork() noexcept;

private:
    void start_thread(); ///< with the mutex held
    struct pending {
        timer id;
        task what;
    };
    void run();
    void run_posted();
    void run_timers();
    void set_alarm(base::instant when) noexcept;

    unique_fd epoll_;
    unique_fd alarm_;
    unique_fd bell_;
    std::mutex mutex_; // guards what follows
    std::vector<task> posted_;
    std::multimap<base::instant, pending> timers_;
    std::unordered_map<timer, std::multimap<base::instant, pending>::iterator> timer_index_;
    std::unordered_map<std::uint64_t, std::shared_ptr<event_target>> targets_;
    std::uint64_t last_id_ = 1; // 0 and 1 are the alarm and the bell
    bool stopping_ = false;
    std::thread thread_;
    std::atomic<bool> started_{false};
    std::atomic<std::thread::id> thread_id_{};
};

} // namespace redlatch::io
