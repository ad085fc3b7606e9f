// How many replicas are waited for, and for how long at a time.
#pragma once

#include "base/time.hpp"

#include <algorithm>

namespace redlatch::locking {

struct replica_demand {
    /// As many as the server says that there are.
    static constexpr int all = -1;

    int replicas = 0; ///< waited for
    int required = 0; ///< enough in the end; 0: all that are waited for

    /// Where all are waited for, `connected` says how many there are; negative: the server has not said it.
    int awaited(int connected) const noexcept { return replicas == all ? connected : replicas; }
    bool is_met(int confirmed, int connected) const noexcept {
        auto const most = awaited(connected);
        if (most < 0) return false;
        return confirmed >= (required == 0 ? most : std::min(required, most));
    }
};

/// A server looks ten times a second which waits are over.
constexpr base::milliseconds between_looks_at_waits{120};
/// A WAIT is not to be longer: what comes meanwhile is asked behind it.
constexpr base::milliseconds longest_replica_wait{200};
/// A connection that has been silent for longer than that and its timeout is lost.
constexpr base::milliseconds longest_replica_silence = longest_replica_wait + 2 * between_looks_at_waits;

/// For one WAIT: less than what is left, so that its answer, which is the number of those that have confirmed so far, comes
/// in time. Zero: it is not worth another one.
constexpr base::milliseconds replica_wait_for(base::nanoseconds left) noexcept {
    constexpr base::milliseconds least{5};
    if (left < 2 * least) return base::milliseconds(0);
    auto const whole = std::chrono::floor<base::milliseconds>(left);
    return std::min(whole - std::min(whole / 2, between_looks_at_waits), longest_replica_wait);
}

} // namespace redlatch::locking
