#include "io/write_gate.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::io {

write_gate::refusal write_gate::on_refused(std::string const& error, base::instant sent_at, base::instant now,
                                           waiter* waiting, base::waker const& sleeper) {
    std::lock_guard guard(mutex_);
    bool const begins = state_.on_refused(error, sent_at, now);
    refused_at_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
    closed_.store(state_.refuses(), std::memory_order_relaxed);
    if (waiting != nullptr && state_.refuses() && !std::exchange(waiting->cut_short_, false)) add(*waiting, sleeper);
    return {begins, std::max(state_.next(), base::later(now, base::milliseconds(1)))};
}

/// Opens the gate if over(), which is called under the mutex, says that the server executes writes again.
bool write_gate::ends(base::function_ref<bool()> over) noexcept {
    base::wake_list woken;
    {
        std::lock_guard guard(mutex_);
        if (!over()) return false;
        open(woken);
    }
    woken.wake_all();
    return true;
}

void write_gate::on_connected() noexcept {
    std::lock_guard guard(mutex_);
    state_.on_connected();
}

base::instant write_gate::next_try(base::instant now, waiter& waiting, base::waker const& sleeper) {
    std::lock_guard guard(mutex_);
    auto const next = state_.next_write(now);
    if (next > now) add(waiting, sleeper);
    return next;
}

base::instant write_gate::next_try(base::instant now) {
    std::lock_guard guard(mutex_);
    return state_.next_write(now);
}

base::instant write_gate::closed_since() {
    std::lock_guard guard(mutex_);
    return state_.since();
}

std::string write_gate::last_refusal() {
    std::lock_guard guard(mutex_);
    return state_.said();
}

// --- who waits: with the mutex, but for remove()

void write_gate::open(base::wake_list& woken) noexcept {
    closed_.store(false, std::memory_order_relaxed);
    while (first_ != nullptr) {
        auto& next = *first_;
        next.told_.store(true, std::memory_order_release); // pairs with waiter::told(); first: it may wake at once
        woken.add(next.sleeper_);
        unlink(next);
    }
}

void write_gate::add(waiter& waiting, base::waker const& sleeper) noexcept {
    REDLATCH_ASSERT(waiting.gate_ == nullptr);
    waiting.gate_ = this;
    waiting.listed_ = true;
    waiting.sleeper_ = sleeper;
    waiting.before_ = last_;
    (last_ != nullptr ? last_->behind_ : first_) = &waiting;
    last_ = &waiting;
}

void write_gate::remove(waiter& waiting) noexcept {
    base::waker sleeper; // let go of without the mutex: it may be the last reference to a task
    std::lock_guard guard(mutex_);
    sleeper.swap(waiting.sleeper_);
    if (waiting.listed_) unlink(waiting);
    waiting.gate_ = nullptr;
    waiting.cut_short_ = waiting.told_.exchange(false, std::memory_order_relaxed);
}

void write_gate::unlink(waiter& waiting) noexcept {
    (waiting.before_ != nullptr ? waiting.before_->behind_ : first_) = waiting.behind_;
    (waiting.behind_ != nullptr ? waiting.behind_->before_ : last_) = waiting.before_;
    waiting.before_ = waiting.behind_ = nullptr;
    waiting.listed_ = false;
}

} // namespace redlatch::io
