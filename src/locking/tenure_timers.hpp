// When each tenure is to be looked at next, the earliest one first.
//
// A heap with four branches whose times are its own: of very many locks the tenures are not in the processor's cache, and a
// comparison does not touch them. A tenure knows its place, so that its timer can be moved and cancelled; it has to outlive
// its timer.
#pragma once

#include "base/time.hpp"
#include "locking/tenure.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace redlatch::locking {

/// Not thread-safe.
class tenure_timers {
public:
    struct timer {
        base::instant when;
        tenure* whose;
    };

    static bool has(tenure const& tenure) noexcept { return tenure.timer_index != tenure::npos; }
    bool empty() const noexcept { return heap_.empty(); }
    std::size_t size() const noexcept { return heap_.size(); }
    /// In no particular order but for the first one.
    std::span<timer const> all() const noexcept { return heap_; }
    base::instant next() const noexcept { return heap_.empty() ? base::never : heap_.front().when; }
    /// There is one.
    tenure& first() const noexcept { return *heap_.front().whose; }

    /// In place of the timer that the tenure has, if it has one. Needs memory only for one that has none.
    void set(tenure& tenure, base::instant due_time);
    /// The next set() asks for no memory.
    void make_room();
    /// True: it had one.
    bool cancel(tenure& tenure) noexcept;
    /// The timer of `from`, which has one, is that of `to`, which has none.
    void pass_on(tenure& from, tenure& to) noexcept;

private:
    static constexpr std::size_t branches = 4;

    void put(std::size_t index, timer one) noexcept;
    void settle(std::size_t index, timer one) noexcept;
    void sift_up(std::size_t index, timer one) noexcept;
    void sift_down(std::size_t index, timer one) noexcept;

    std::vector<timer> heap_;
};

} // namespace redlatch::locking
