// An operation on its way, and how it is driven: by the thread that waits for it, or by the reactor.
//
// step() goes on until the operation is finished or has to wait for something; `at` then says what for. The one difference
// between the faces is who is woken: a thread's parker, or a task that posts the next step to the reactor.
#pragma once

#include "base/time.hpp"
#include "base/waker.hpp"
#include "io/lane.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

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
        if (waker_) waker_->wake();
    }
    /// Who is to be woken when there is something to do. Before the first step.
    void set_waker(base::waker who, bool blocking) {
        waker_ = std::move(who);
        blocking_ = blocking;
    }

protected:
    bool cancelled() const noexcept { return cancelled_.load(std::memory_order_acquire); }
    bool suspend(lane* where, base::instant until) noexcept {
        at_ = {where, until};
        return false;
    }
    base::waker const& waker() const noexcept { return waker_; }
    bool blocking() const noexcept { return blocking_; }

private:
    std::atomic<bool> cancelled_{false};
    base::waker waker_;
    bool blocking_ = true;
    suspension at_;
};

/// On the calling thread, until it is finished.
void run_blocking(operation& what, std::stop_token const& stop = {});

/// Drives an operation on the reactor.
class async_task final : public base::wakeable, public std::enable_shared_from_this<async_task> {
public:
    /// `finished` runs once, on the reactor; the operation lives until then.
    async_task(std::shared_ptr<reactor> loop, std::shared_ptr<operation> what, std::function<void()> finished);

    /// First, before anybody else knows the task: a stop that comes now is seen by the first run.
    void prepare(std::stop_token const& stop);
    /// Then either this: from now on a wake makes it run, and the first one is due. Or drop().
    void open() noexcept { posted_.store(false); }
    void drop();
    void wake() noexcept override;
    /// Posts a run of its own: whoever else wakes it may have said so and not have posted it yet.
    void run_again();

private:
    void run();
    void end();

    std::shared_ptr<reactor> loop_;
    std::shared_ptr<operation> what_;
    std::function<void()> finished_;
    std::optional<std::stop_callback<std::function<void()>>> on_stop_;
    std::atomic<bool> posted_{true}; ///< until it is open: nothing may run beside prepare()
    reactor::timer alarm_ = 0;
};

} // namespace redlatch::io
