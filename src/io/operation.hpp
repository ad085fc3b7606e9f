// An operation on its way, and how it is driven: by the thread that waits for it, or by the reactor.
//
// step() goes on until the operation is finished or has to wait for something; `at` then says what for. The one difference
// between the faces is who is woken: a thread's parker, or a task that makes the reactor take the next step.
#pragma once

#include "base/time.hpp"
#include "base/waker.hpp"
#include "io/lane.hpp"

#include <redlatch/completion.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace redlatch::io {

class operation {
public:
    struct suspension {
        lane* where = nullptr; ///< whose mutex guards what ready() looks at; null: atomics only
        base::instant until = base::never;
    };

    virtual ~operation() = default;

    /// True: finished. Called by one thread at a time.
    virtual bool step() = 0;
    /// There is something for step() to do before at().until.
    virtual bool ready() const = 0;

    suspension const& at() const noexcept { return at_; }
    /// Ends a wait at once. From any thread; takes no mutex, so that a stop callback can neither block nor deadlock.
    void cancel() noexcept {
        cancelled_.store(true, std::memory_order_release); // pairs with cancelled()
        if (thread_) thread_->wake();
    }
    /// Who is to be woken when there is something to do: this before the first step, or be_driven_by().
    void set_waker(base::waker thread) noexcept { thread_ = std::move(thread); }
    /// By a task, which keeps the operation: the other way round would be a circle.
    void be_driven_by(std::weak_ptr<base::wakeable> task) noexcept { task_ = std::move(task); }

protected:
    bool cancelled() const noexcept { return cancelled_.load(std::memory_order_acquire); }
    bool suspend(lane* lane, base::instant until) noexcept {
        at_ = {lane, until};
        return false;
    }
    /// A part of this one: whoever is woken for the whole is woken for it.
    void drive(operation& part) const noexcept {
        part.thread_ = thread_;
        part.task_ = task_;
    }
    base::waker waker() const noexcept { return thread_ ? thread_ : task_.lock(); }
    bool blocking() const noexcept { return thread_ != nullptr; }

private:
    std::atomic<bool> cancelled_{false};
    base::waker thread_;
    std::weak_ptr<base::wakeable> task_;
    suspension at_;
};

/// On the calling thread, until it is finished.
void run_blocking(operation& operation, std::stop_token const& stop = {});

/// Drives an operation on the reactor. What the operation is, and who is told of its end, is up to those who derive from it:
/// api/async_call.hpp.
class async_task : public base::wakeable,
                   public runnable,
                   public redlatch::detail::cancellable,
                   public std::enable_shared_from_this<async_task> {
public:
    explicit async_task(std::shared_ptr<reactor> loop) noexcept : loop_(std::move(loop)) {}
    async_task(async_task const&) = delete;
    async_task& operator=(async_task const&) = delete;
    virtual ~async_task() = default;

    /// First, before anybody else knows the task: a stop that comes now is seen by the first run.
    void prepare(std::stop_token const& stop);
    /// Then either this: from now on a wake makes it run, and the first one is due. Or drop().
    void open() noexcept { posted_.store(false); }
    void drop() noexcept;
    /// It goes on, but nobody is told of its end. On the reactor, or where that does not run any more.
    void disown() noexcept { disowned(); }
    void wake() noexcept override;
    void cancel() noexcept override;
    /// Posts a run of its own: whoever else wakes it may have said so and not have posted it yet.
    void run_again();

    /// Most operations end long before their time is over: a timer of its own gets only a task whose time is near. Whoever has
    /// tasks under way looks at them this often, on the reactor, and sees to it that those whose time comes near get one.
    static constexpr base::milliseconds look{1'000};
    bool needs_alarm(base::instant now) const noexcept;
    void set_alarm();

protected:
    virtual operation& what() noexcept = 0;
    /// Once, on the reactor: tells of the end, and lets go of what the operation held.
    virtual void finished() noexcept = 0;
    virtual void disowned() noexcept = 0;
    reactor& loop() const noexcept { return *loop_; }

private:
    friend class task_list;
    struct on_stop {
        async_task* who;
        void operator()() const noexcept { who->cancel(); }
    };
    void run() override;
    void end() noexcept;

    std::shared_ptr<reactor> const loop_;
    std::optional<std::stop_callback<on_stop>> on_stop_;
    std::atomic<bool> posted_{true}; ///< until it is open: nothing may run beside prepare()
    std::atomic<bool> cancelled_{false};
    bool ended_ = false;
    base::instant until_ = base::never; ///< the reactor's, as is alarm_
    reactor::timer alarm_ = 0;

    // The list's own.
    std::shared_ptr<async_task> listed_;
    async_task* before_ = nullptr;
    async_task* behind_ = nullptr;
};

/// The tasks under way, in the order in which they began. Not thread-safe.
class task_list {
public:
    void add(std::shared_ptr<async_task> const& task) noexcept;
    /// The list's reference; null: it is not there.
    std::shared_ptr<async_task> remove(async_task& task) noexcept;
    std::vector<std::shared_ptr<async_task>> all() const;
    /// Those that need an alarm.
    std::vector<std::shared_ptr<async_task>> near_their_end(base::instant now) const;
    bool empty() const noexcept { return first_ == nullptr; }

private:
    async_task* first_ = nullptr;
    async_task* last_ = nullptr;
};

} // namespace redlatch::io
