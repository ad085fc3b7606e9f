#include "locking/tenure_timers.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::locking {

void tenure_timers::set(tenure& tenure, base::instant due_time) {
    if (!has(tenure)) {
        auto const last = heap_.size();
        heap_.push_back({due_time, &tenure});
        tenure.timer_index = static_cast<std::uint32_t>(last);
        if (last > 0 && due_time < heap_[(last - 1) / branches].when) sift_up(last, heap_[last]);
        return;
    }
    auto const index = tenure.timer_index;
    if (heap_[index].when == due_time) return;
    auto moved = heap_[index];
    moved.when = due_time;
    settle(index, moved);
}

void tenure_timers::make_room() {
    if (heap_.size() == heap_.capacity()) heap_.reserve(2 * heap_.size() + 1);
}

bool tenure_timers::cancel(tenure& tenure) noexcept {
    if (!has(tenure)) return false;
    auto const index = std::exchange(tenure.timer_index, tenure::npos);
    REDLATCH_ASSERT(index < heap_.size() && heap_[index].whose == &tenure);
    if (index + 1 == heap_.size()) {
        heap_.pop_back();
        return true;
    }
    auto last = heap_.back();
    heap_.pop_back();
    settle(index, last);
    return true;
}

void tenure_timers::pass_on(tenure& from, tenure& to) noexcept {
    auto const index = std::exchange(from.timer_index, tenure::npos);
    REDLATCH_ASSERT(index < heap_.size() && heap_[index].whose == &from && !has(to));
    put(index, {heap_[index].when, &to});
}

void tenure_timers::put(std::size_t index, timer one) noexcept {
    one.whose->timer_index = static_cast<std::uint32_t>(index);
    heap_[index] = one;
}

/// At `index`, whose timer is another one or gone.
void tenure_timers::settle(std::size_t index, timer one) noexcept {
    if (index > 0 && one.when < heap_[(index - 1) / branches].when)
        sift_up(index, one);
    else
        sift_down(index, one);
}

void tenure_timers::sift_up(std::size_t index, timer one) noexcept {
    while (index > 0) {
        auto const parent = (index - 1) / branches;
        if (heap_[parent].when <= one.when) break;
        put(index, heap_[parent]);
        index = parent;
    }
    put(index, one);
}

void tenure_timers::sift_down(std::size_t index, timer one) noexcept {
    for (auto first = branches * index + 1; first < heap_.size(); first = branches * index + 1) {
        auto least = first;
        for (auto other = first + 1; other < std::min(first + branches, heap_.size()); ++other)
            if (heap_[other].when < heap_[least].when) least = other;
        if (heap_[least].when >= one.when) break;
        put(index, heap_[least]);
        index = least;
    }
    put(index, one);
}

} // namespace redlatch::locking
