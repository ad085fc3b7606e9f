// Work that the threads of several clients share, and the wait for its end: by a thread, or on the reactor of one client.
//
// That the wait is an operation like every other gives it what these have: a deadline that holds where a member's server, or
// the loop that runs its client, has stopped; cancelling at once; and an end with its client, or with the loop.
#pragma once

#include "base/time.hpp"
#include "base/waker.hpp"
#include "io/client_core.hpp"
#include "io/operation.hpp"

#include <redlatch/completion.hpp>
#include <redlatch/error.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace redlatch::detail {

/// What a member said; empty where there is no memory for it: its code says enough.
std::string message_of(outcome const& outcome) noexcept;

/// Thread-safe.
class joint_work {
public:
    joint_work() = default;
    joint_work(joint_work const&) = delete;
    joint_work& operator=(joint_work const&) = delete;
    virtual ~joint_work() = default;

    /// Ends it now, if it has not ended, whatever is under way: `reason` is cancelled, timed_out or closed.
    virtual void end_early(errc reason) noexcept = 0;
    /// Called by who waits for it, once the time of rests_until() has come.
    virtual void go_on() noexcept {}

    /// It does nothing until then; never: it does something, or has ended.
    base::instant rests_until() const noexcept { return rests_until_.load(std::memory_order_acquire); } // with rest()
    bool ended() const noexcept { return ended_.load(std::memory_order_acquire); } // pairs with end()
    /// Once it has ended.
    outcome const& result() const noexcept { return result_; }
    /// Who is woken at the end; kept until then.
    void be_awaited_by(base::waker waiter);

protected:
    /// With no mutex held, as end().
    void rest(base::instant until) noexcept;
    /// On going on.
    void end_rest() noexcept { rests_until_.store(base::never, std::memory_order_relaxed); }
    /// Once, with no mutex held.
    void end(outcome result) noexcept;

private:
    std::mutex waiter_mutex_; // guards what follows
    base::waker waiter_{};

    outcome result_{}; ///< written before ended_
    std::atomic<bool> ended_{false};
    std::atomic<base::instant> rests_until_{base::never};
};

class joint_wait final : public io::operation {
public:
    joint_wait(std::shared_ptr<io::client_core> core, std::shared_ptr<joint_work> work, base::instant deadline);

    bool step() override;
    bool ready() const override;

private:
    bool carrier_is_gone() const noexcept { return !blocking() && core_->ended(); }

    std::shared_ptr<io::client_core> const core_; ///< whose reactor waits, unless a thread does
    std::shared_ptr<joint_work> const work_;
    base::instant deadline_;
    bool awaits_ = false;
    bool told_cancelled_ = false;
    bool told_closed_ = false;
};

} // namespace redlatch::detail
