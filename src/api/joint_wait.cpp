#include "api/joint_wait.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace redlatch::detail {

namespace {

/// The members have the same deadline, and say more: they come first.
constexpr base::milliseconds after_the_members{20};

} // namespace

std::string message_of(outcome const& outcome) noexcept {
    try {
        return outcome.message();
    } catch (std::bad_alloc const&) {
        return {};
    }
}

void joint_work::be_awaited_by(base::waker waiter) {
    std::lock_guard const guard(waiter_mutex_);
    if (!ended()) waiter_ = std::move(waiter);
}

/// Whoever waits has to look at the clock earlier than it meant to.
void joint_work::rest(base::instant until) noexcept {
    base::waker waiter;
    rests_until_.store(until, std::memory_order_release); // pairs with rests_until()
    {
        std::lock_guard const guard(waiter_mutex_);
        waiter = waiter_;
    }
    if (waiter) waiter->wake();
}

void joint_work::end(outcome result) noexcept {
    base::waker waiter;
    result_ = std::move(result);
    {
        std::lock_guard const guard(waiter_mutex_);
        ended_.store(true, std::memory_order_release); // pairs with ended()
        waiter = std::move(waiter_);
    }
    if (waiter) waiter->wake();
}

joint_wait::joint_wait(std::shared_ptr<io::client_core> core, std::shared_ptr<joint_work> work, base::instant deadline)
    : core_(std::move(core)), work_(std::move(work)),
      deadline_(deadline == base::never ? base::never : base::later(deadline, after_the_members)) {}

bool joint_wait::step() {
    if (!std::exchange(awaits_, true)) work_->be_awaited_by(waker());
    if (cancelled() && !std::exchange(told_cancelled_, true)) work_->end_early(errc::cancelled);
    if (carrier_is_gone() && !std::exchange(told_closed_, true)) work_->end_early(errc::closed);
    if (lease_clock::now() >= work_->rests_until()) work_->go_on();
    if (lease_clock::now() >= deadline_) {
        deadline_ = base::never;
        work_->end_early(errc::timed_out);
    }
    return work_->ended() || suspend(nullptr, std::min(deadline_, work_->rests_until()));
}

bool joint_wait::ready() const {
    return work_->ended() || (cancelled() && !told_cancelled_) || (carrier_is_gone() && !told_closed_)
           || work_->rests_until() < at().until;
}

} // namespace redlatch::detail
