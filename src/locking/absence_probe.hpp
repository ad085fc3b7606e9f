// When a process that is thought not to wait is given its time again (turn_order.hpp): it may only have answered late, since a
// thread that is woken can take some ms to run.
//
// | event                                             | next                                                              |
// |---------------------------------------------------|-------------------------------------------------------------------|
// | it did not ask when it was its turn               | its time again after our second turn from then on                 |
// | it did not ask then either                        | after twice as many turns, up to every 8th                        |
// | it did, or somebody asked who was taken for it    | once more after every second turn, should one be absent again     |
#pragma once

#include <algorithm>
#include <utility>

namespace redlatch::locking {

class absence_probe {
public:
    /// A turn of ours has ended, beside one that is thought to be absent. True: it is given its time before our next one.
    bool is_due() noexcept {
        if (++turns_ < every_) return false;
        turns_ = 0;
        return probing_ = true;
    }
    /// Our turn has come, after the time of the others.
    void on_nobody_asked() noexcept {
        if (std::exchange(probing_, false)) every_ = std::min(2 * every_, seldomest);
    }
    /// A turn of ours has ended, which began without that.
    void on_turn_ended() noexcept {
        if (std::exchange(probing_, false)) every_ = soonest;
    }
    void on_refused_by_one() noexcept {
        every_ = soonest;
        turns_ = 0;
    }

    static constexpr int soonest = 2;
    static constexpr int seldomest = 8; ///< so many turns from one time to the next

private:
    int every_ = soonest;
    int turns_ = 0;
    bool probing_ = false;
};

} // namespace redlatch::locking
