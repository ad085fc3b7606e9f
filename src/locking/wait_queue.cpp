#include "locking/wait_queue.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::locking {

namespace {

void make_head(waiter& one) noexcept {
    one.at_head.store(true, std::memory_order_release); // pairs with the waiter's acquire
}

} // namespace

bool wait_queue::enter(waiter_ptr const& waiter) noexcept {
    if (head_) {
        waiter->previous = std::exchange(head_->last, waiter.get());
        waiter->previous->next = waiter;
        return false;
    }
    head_ = waiter;
    head_->last = head_.get();
    make_head(*head_);
    return true;
}

/// True: there is a new head.
bool wait_queue::remove(waiter_ptr const& waiter) noexcept {
    if (head_ == waiter) {
        auto next = std::move(head_->next);
        auto* const last = std::exchange(head_->last, nullptr);
        head_ = std::move(next);
        if (!head_) return false;
        head_->previous = nullptr;
        head_->last = last;
        make_head(*head_);
        return true;
    }
    if (waiter->previous == nullptr) return false; // it is not here
    auto* const previous = std::exchange(waiter->previous, nullptr);
    auto next = std::move(waiter->next);
    (next ? next->previous : head_->last) = previous;
    [[maybe_unused]] auto const gone = std::exchange(previous->next, std::move(next));
    return false;
}

void wait_queue::clear() noexcept {
    while (head_) { // one by one: a long chain must not end within the destructor of its first one
        head_->previous = head_->last = nullptr;
        head_ = std::exchange(head_->next, nullptr);
    }
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

void tell(waiter& one, std::int64_t amount, base::wake_list& woken) {
    one.told_of += amount;
    one.released.store(true, std::memory_order_release); // pairs with the waiter's exchange
    woken.add(one.waker);
}

} // namespace

void wait_queue::tell_first(std::int64_t amount, base::wake_list& woken) const {
    if (!head_) return;
    auto left = amount;
    auto const takes = [&](waiter& one) { // false: the permits do not go as far as to it
        auto const missing = one.amount - one.told_of;
        if (missing <= 0) {
            rely_on(one);
            return true;
        }
        if (left < amount && left < missing) return false;
        tell(one, std::min(left, missing), woken);
        left -= missing;
        return left > 0;
    };
    for (auto* one = head_.get(); one != nullptr; one = one->next.get())
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
        for (auto* one = head_.get(); one != nullptr; one = one->next.get()) {
            if (one->told_of == 0) continue; // else it asks for its own
            left -= one->told_of;
            rely_on(*one);
        }
    }
    if (left > 0) tell_first(left, woken);
    if (!another) return;
    head_->none_left = found.left == 0 && found.heard.subscribed && head_->told_of == 0;
    head_->back_at = found.back_at;
    head_->sample = found.heard;
    woken.add(head_->waker);
}

void wait_queue::wake_all(base::wake_list& woken) const {
    for (auto const* one = head_.get(); one != nullptr; one = one->next.get()) woken.add(one->waker);
}

} // namespace redlatch::locking
