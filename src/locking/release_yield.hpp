// After a release that others heard: for how long this process leaves the lock to them, where no order of turns is known
// (turn_order.hpp): because the kind has none, or because this process has never been refused and does not listen.
//
// Whoever releases and asks again at once wins each time, before a message has woken anybody: others would starve.
//
// | event                                              | next                                                             |
// |----------------------------------------------------|------------------------------------------------------------------|
// | released, and others heard of it                   | the next attempt comes after half of the time of that hold       |
// | it came after that, and nobody had taken the lock  | those that listen do not wait: only after twice as many releases |
// |                                                    | the lock is left to them again, up to every 8th                  |
// | refused                                            | somebody wants it: left to others after each release             |
#pragma once

#include "base/time.hpp"

#include <algorithm>
#include <cstdint>

namespace redlatch::locking {

class release_yield {
public:
    /// On the server, after so long; and so many others heard of it.
    void on_released(std::int64_t others, base::nanoseconds held_for, base::instant now) noexcept {
        until_ = base::instant::min();
        if (others == 0 || ++released_ < every_) return;
        released_ = 0;
        until_ = base::later(now, std::clamp<base::nanoseconds>(held_for / 2, shortest, longest));
    }
    void on_busy() noexcept { every_ = 1; }
    /// Another one has taken it.
    void end() noexcept { until_ = base::instant::min(); }
    /// Nobody took the lock while it was left to others.
    void on_nobody_asked() noexcept { every_ = std::min(2 * every_, seldomest); }
    /// For how much longer the lock is left to others.
    base::nanoseconds left(base::instant now) const noexcept {
        return until_ > now ? until_ - now : base::nanoseconds(0);
    }

    /// Time for a message to wake a thread of another process, and for its attempt.
    static constexpr base::microseconds shortest{200};
    static constexpr base::milliseconds longest{5};
    static constexpr int seldomest = 8; ///< so many releases from one time to the next

private:
    base::instant until_ = base::instant::min();
    int every_ = 1; ///< so many releases from one time to the next
    int released_ = 0;
};

} // namespace redlatch::locking
