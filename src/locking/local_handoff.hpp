// When a process hands a lock off to its own waiter without a word to the server, and when it leaves it to others.
//
// | event                                | next                                                                            |
// |--------------------------------------|---------------------------------------------------------------------------------|
// | a release, the head can take it      | strict, or the head has seen it taken, or 16 times or 25 µs are over:           |
// |                                      | the head has it. Else it is handed off: the head is woken, once, and whoever    |
// |                                      | comes first of the head and the one who has just released takes it              |
// | the same, `time` after the first one | released on the server; the head yields                                         |
// | the releasing owner comes again      | within 16 times and 25 µs it has it again                                       |
// | the head comes                       | it has it; or sees that it was taken: the next release is for the head          |
// Why barging: a woken thread needs longer to come than a short section lasts. Why a bound: all the others wait.
#pragma once

#include "base/time.hpp"

#include <utility>

namespace redlatch::locking {

class local_handoff {
public:
    struct settings {
        bool enabled = true;
        base::milliseconds time{5};
        bool strict = false;
    };
    enum class release { to_the_head, to_the_first, to_the_server };

    static constexpr int most_retakes = 16;
    static constexpr base::microseconds longest_barging{25};

    /// The head of the local queue can take it. Counts.
    release on_release(settings const& config, base::instant now) noexcept {
        if (began_ == base::never) began_ = now;
        if (now - began_ >= config.time) {
            time_is_over_ = true;
            return release::to_the_server;
        }
        bool const barging = barging_until_ != base::never;
        bool const over = barging && (retakes_ >= most_retakes || now >= barging_until_);
        if (config.strict || head_has_come_ || over) {
            end_barging();
            return release::to_the_head;
        }
        if (!barging) barging_until_ = base::later(now, longest_barging);
        return release::to_the_first;
    }
    /// After to_the_first: the head is to be woken for it; false: it has been.
    bool wakes_head() noexcept { return !std::exchange(head_woken_, true); }
    /// After to_the_server, until it is there: other processes are to get a turn.
    bool time_is_over() const noexcept { return time_is_over_; }
    /// The one who has just released wants it again.
    bool may_retake(base::instant now) const noexcept {
        return retakes_ < most_retakes && now < barging_until_ && barging_until_ != base::never;
    }
    void retaken() noexcept { ++retakes_; }
    /// The head was there, and found it taken.
    void head_came_too_late() noexcept { head_has_come_ = true; }
    /// Another local holder has it now.
    void end_barging() noexcept {
        barging_until_ = base::never;
        retakes_ = 0;
        head_has_come_ = head_woken_ = false;
    }
    /// It was released on the server, or lost.
    void reset() noexcept {
        began_ = base::never;
        time_is_over_ = false;
        end_barging();
    }

private:
    base::instant began_ = base::never;         ///< the first hand-off
    base::instant barging_until_ = base::never; ///< never: no hand-off since the present holder has it
    int retakes_ = 0;
    bool time_is_over_ = false;
    bool head_woken_ = false;
    bool head_has_come_ = false;
};

} // namespace redlatch::locking
