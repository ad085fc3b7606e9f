// A simulated operating-system process with a clock of its own: it can be stopped, go on, or die.
#pragma once

#include "base/time.hpp"
#include "sim/world/time.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

namespace redlatch::sim {

struct process {
    std::string name;
    int number = 0;

    // Its lease clock (CLOCK_BOOTTIME): never steps, but runs a little fast or slow.
    std::int64_t drift_ppm = 0;
    moment clock_offset{0};

    /// Stopped (SIGSTOP, a machine that sleeps) or dead: what should run waits.
    bool stopped = false;
    bool dead = false;
    bool short_of_memory = false; ///< calls of its threads may be refused memory
    bool without_threads = false; ///< it gets no further thread
    /// Its part of the scenario is over; what it does now is only tidying up.
    bool retired = false;
    std::deque<std::function<void()>> waiting{};
    /// A digest of everything that reached it, and when: equal histories, equal states.
    std::uint64_t heard = 0;
    std::uint64_t wakes = 0; ///< of its threads
    /// When it last went on after a stop: deadlines before that cannot have been kept.
    moment last_went_on{-1};

    base::instant clock(moment now) const noexcept {
        return base::instant(clock_offset + now + moment(now.count() / 1'000'000 * drift_ppm));
    }
    /// The first moment at which its clock shows `when` or later.
    moment reaches(base::instant when, moment now) const noexcept {
        if (when == base::never) return never;
        auto const left = when - clock(now);
        if (left <= base::nanoseconds::zero()) return now;
        return now + left + moment(left.count() / 1'000'000 * (drift_ppm < 0 ? -drift_ppm : 0)) + moment(1);
    }
};

} // namespace redlatch::sim
