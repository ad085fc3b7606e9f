#include "scenarios/held_locks.hpp"

#include <algorithm>
#include <string>
#include <system_error>

namespace redlatch::bench {

held_locks::held_locks(config const& settings) : client_(settings) {
    client_.on_event([this](event const& what) {
        if (what.what == event::kind::hold_suspect || what.what == event::kind::hold_lost) ++told_;
    });
}

void held_locks::acquire(int count, std::string const& prefix) {
    auto const before = holds_.size();
    holds_.resize(before + static_cast<std::size_t>(count));
    std::error_code problem;
    owner const one; // each has a lock of its own
    for (int number = 0; number < count; ++number) {
        free_slots_.acquire();
        auto lock = client_.get_lock(prefix + std::to_string(number));
        // Handlers without an executor run on one thread, so they need no lock among themselves.
        lock.async_acquire({.owner = one}, {},
                           [&, place = before + static_cast<std::size_t>(number)](std::error_code ec, hold got) {
                               if (ec) problem = ec;
                               holds_[place] = std::move(got);
                               free_slots_.release();
                           });
    }
    for (int slot = 0; slot < at_a_time; ++slot) free_slots_.acquire();
    free_slots_.release(at_a_time);
    told_ = 0; // until here acquisitions were in the way of renewals
    if (problem) throw std::system_error(problem, "one of many locks");
}

int held_locks::late() const {
    auto const gone = std::ranges::count_if(holds_, [](hold const& each) { return !each; });
    return std::max(told_.load(), static_cast<int>(gone));
}

} // namespace redlatch::bench
