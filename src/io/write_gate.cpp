#include "io/write_gate.hpp"

#include <algorithm>

namespace redlatch::io {

write_gate::refusal write_gate::on_refused(std::string const& error, base::instant sent_at, base::instant now) {
    std::lock_guard guard(mutex_);
    bool const begins = state_.on_refused(error, sent_at, now);
    closed_.store(true, std::memory_order_relaxed);
    refused_at_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
    return {begins, std::max(state_.next(), base::later(now, base::milliseconds(1)))};
}

bool write_gate::ends_with_write(base::instant sent_at, bool grows) noexcept {
    std::lock_guard guard(mutex_);
    bool const over = state_.on_written(sent_at, grows);
    if (over) closed_.store(false, std::memory_order_relaxed);
    return over;
}

bool write_gate::ends_with_execution(base::instant sent_at) noexcept {
    std::lock_guard guard(mutex_);
    bool const over = state_.on_executed(sent_at);
    if (over) closed_.store(false, std::memory_order_relaxed);
    return over;
}

void write_gate::on_connected() noexcept {
    std::lock_guard guard(mutex_);
    state_.on_connected();
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

} // namespace redlatch::io
