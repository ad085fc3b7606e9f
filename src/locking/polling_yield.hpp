// Whether a turn of this process leaves the lock to others, where nobody hears of releases: waiters poll, with pauses in which
// they tell nobody that they wait (Redisson's of up to 128 ms). A process whose waiters asked right behind each release would
// have the lock for as long as it wants it.
//
// | event                                       | next                                                                   |
// |---------------------------------------------|------------------------------------------------------------------------|
// | the server said busy in the last second     | after some ms the lock is left to others for a while, which becomes    |
// |                                             | longer where nobody took it then, and shorter where somebody did       |
// | not since                                   | where a waiter of this process is next: the first end of a turn, then  |
// |                                             | the 2nd, 4th, and every 8th; others may be there all the same           |
#pragma once

#include "base/time.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::locking {

class polling_yield {
public:
    void on_busy(base::instant now) noexcept {
        refused_at_ = now;
        began_ = base::never;
        every_ = 1;
        if (std::exchange(leaves_, false)) time_ = std::max(time_ / 2, shortest);
    }
    /// A release of what was held since then. `ends_turn`: a waiter of this process would be next, and is not. True: the
    /// lock is left to others.
    bool is_due(bool ends_turn, base::instant held_since, base::instant now) noexcept {
        if (began_ == base::never) began_ = held_since;
        if (!is_wanted(now)) {
            leaves_ = false;
            if (!ends_turn || ++turns_ < every_) return false;
            every_ = std::min(2 * every_, seldomest);
        } else {
            if (!ends_turn && now - began_ < longest_turn) return false;
            if (std::exchange(leaves_, true)) time_ = std::min(time_ * 5 / 4, longest);
            until_ = base::later(now, time_);
        }
        turns_ = 0;
        began_ = base::never;
        return true;
    }
    /// By others, who have had it lately.
    bool is_wanted(base::instant now) const noexcept { return now < base::later(refused_at_, longest_absence); }
    /// For how much longer it is left to them.
    base::nanoseconds left(base::instant now) const noexcept {
        return until_ > now ? until_ - now : base::nanoseconds(0);
    }

    /// In that time whoever polls has asked several times, and has got it if it was free.
    static constexpr base::milliseconds longest_absence{1'000};
    static constexpr base::milliseconds longest_turn{5};
    static constexpr base::nanoseconds shortest{base::microseconds(200)};
    static constexpr base::nanoseconds longest{base::milliseconds(5)};
    static constexpr int seldomest = 8; ///< so many turns from one time to the next

private:
    base::instant refused_at_ = base::instant::min();
    base::instant began_ = base::never; ///< this turn did, with the first hold
    base::instant until_ = base::instant::min();
    base::nanoseconds time_{base::milliseconds(1)};
    bool leaves_ = false; ///< since the last release, and has not been refused since then
    int every_ = 1;
    int turns_ = 0;
};

} // namespace redlatch::locking
