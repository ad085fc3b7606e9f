#include "locking/wait_queue.hpp"

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

void wait_queue::tell_head(base::wake_list& woken, std::optional<channel_sample> const& held_back_since) const {
    if (!head_) return;
    head_->held_back = held_back_since.has_value();
    head_->sample = held_back_since.value_or(channel_sample());
    head_->released.store(true, std::memory_order_release); // pairs with the waiter's exchange
    woken.add(head_->waker);
}

void wait_queue::wake_all(base::wake_list& woken) const {
    if (head_) woken.add(head_->waker);
    for (auto const& one : rest_) woken.add(one->waker);
}

} // namespace redlatch::locking
