#include "locking/wait_queue.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::locking {

bool wait_queue::enter(waiter_ptr const& waiter) {
    if (head_) {
        waiter->behind = rest_.insert(rest_.end(), waiter);
        return false;
    }
    head_ = waiter;
    waiter->at_head.store(true, std::memory_order_release); // pairs with the waiter's acquire
    return true;
}

/// True: there is a new head.
bool wait_queue::remove(waiter_ptr const& waiter) {
    if (head_ != waiter) {
        if (waiter->behind) rest_.erase(*std::exchange(waiter->behind, std::nullopt));
        return false;
    }
    head_.reset();
    if (rest_.empty()) return false;
    head_ = std::move(rest_.front());
    rest_.pop_front();
    head_->behind.reset();
    head_->at_head.store(true, std::memory_order_release); // pairs with the waiter's acquire
    return true;
}

void wait_queue::leave(waiter_ptr const& waiter, base::wake_list& woken) {
    if (remove(waiter)) woken.add(head_->waker);
}

void wait_queue::tell_head(base::wake_list& woken, std::optional<channel_sample> const& yields_since) const {
    if (!head_) return;
    head_->told_to_yield = yields_since.has_value();
    head_->sample = yields_since.value_or(channel_sample());
    head_->released.store(true, std::memory_order_release); // pairs with the waiter's exchange
    woken.add(head_->waker);
}

namespace {

/// Its answer may be from before these permits, and not have been looked at yet.
void rely_on(waiter& one) {
    one.passed_over.store(true, std::memory_order_relaxed);
}

void tell(waiter& one, std::int64_t permits, base::wake_list& woken) {
    one.told_of += permits;
    one.released.store(true, std::memory_order_release); // pairs with the waiter's exchange
    woken.add(one.waker);
}

} // namespace

void wait_queue::tell_first(std::int64_t permits, base::wake_list& woken) const {
    if (!head_) return;
    auto left = permits;
    auto const takes = [&](waiter& one) { // false: the permits do not go as far as to it
        auto const missing = one.amount - one.told_of;
        if (missing <= 0) {
            rely_on(one);
            return true;
        }
        if (left < permits && left < missing) return false;
        tell(one, std::min(left, missing), woken);
        left -= missing;
        return left > 0;
    };
    if (!takes(*head_)) return;
    for (auto const& one : rest_)
        if (!takes(*one)) return;
    if (left > 0) tell(*head_, left, woken); // all are asking: one of them may have asked too early
}

void wait_queue::found_none(waiter& one) {
    if (one.released.load(std::memory_order_relaxed)) return; // more have come since it asked
    if (one.passed_over.exchange(false, std::memory_order_relaxed))
        one.released.store(true, std::memory_order_release); // pairs with the waiter's exchange
    else
        one.told_of = 0;
}

void wait_queue::leave_with(waiter_ptr const& waiter, remainder const& found, base::wake_list& woken) {
    auto const unused = waiter->released.load(std::memory_order_relaxed) ? waiter->told_of : 0;
    bool const another = remove(waiter);
    if (!head_) return;
    if (unused > 0) tell_first(unused, woken);
    auto left = found.left;
    if (left > 0) {
        auto const asks_for_its_own = [&](auto& one) {
            if (one.told_of == 0) return;
            left -= one.told_of;
            rely_on(one);
        };
        asks_for_its_own(*head_);
        for (auto const& one : rest_) asks_for_its_own(*one);
    }
    if (left > 0) tell_first(left, woken);
    if (!another) return;
    head_->none_left = found.left == 0 && found.heard.subscribed && head_->told_of == 0;
    head_->back_at = found.back_at;
    head_->sample = found.heard;
    woken.add(head_->waker);
}

void wait_queue::wake_all(base::wake_list& woken) const {
    if (head_) woken.add(head_->waker);
    for (auto const& one : rest_) woken.add(one->waker);
}

} // namespace redlatch::locking
