// The thread on which users' callbacks run: listeners, lost() tokens, handlers without an executor. A slow callback delays
// other callbacks, never renewals.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace redlatch::io {

/// Thread-safe. The thread starts with the first task.
class notifier {
public:
    using task = std::function<void()>;

    notifier() = default;
    ~notifier();
    notifier(notifier const&) = delete;
    notifier& operator=(notifier const&) = delete;

    /// Starts the thread, unless it runs or stop() was called. Throws std::system_error.
    void start();
    /// Runs a task soon, in order; false: stopped, it will not run. What it throws ends the program, as with std::thread.
    bool post(task job);
    /// Its thread runs, or was started now; or nothing will run any more.
    bool can_run() noexcept;
    /// Its thread could not be started, and now it cannot either: ask again. What is queued waits for it.
    bool waits_for_its_thread() noexcept;
    /// As post(); after stop() it runs on a thread of its own, or, where there can be none, on the calling one.
    void post_always(task job);
    /// Behind what is queued or running; false: nothing is, it will not run.
    bool follow(task job);
    enum class wait { yes, no };
    /// Runs what is queued, then ends the thread. On the thread itself, and if not to wait: lets it go on and end by itself.
    void stop(wait span = wait::yes) noexcept;
    bool on_thread() const noexcept;

private:
    struct shared_state {
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<task> tasks;
        bool running = false; ///< a task
        bool stopping = false;
        std::atomic<std::thread::id> thread_id{}; ///< of the thread that runs tasks; not under the mutex
    };
    static void run(std::shared_ptr<shared_state> const& state);
    bool start_thread() noexcept;
    void run_what_is_left() noexcept;

    std::shared_ptr<shared_state> state_ = std::make_shared<shared_state>();
    std::thread thread_; // guarded by state_->mutex
};

} // namespace redlatch::io
