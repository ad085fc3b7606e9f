// What else the machine does: figures of a busy one are worth little.
#pragma once

#include <chrono>
#include <istream>
#include <string>

namespace redlatch::bench {

/// Of all processors since the machine started, in ticks.
struct processor_times {
    double all = 0;
    double idle = 0;
};
/// From the first line of /proc/stat; zero where it is not as expected.
processor_times processor_times_in(std::istream& stat);

/// 1: nothing was done between the two. Also 1 where no time has passed.
double idle_share(processor_times const& before, processor_times const& after);

struct machine_load {
    double average;    ///< of the last minute, as uptime shows it
    double idle_share; ///< while this was looked at
    std::chrono::seconds over;

    bool is_quiet(int processors) const;
};

/// Looks for so long.
machine_load look_at_machine(std::chrono::seconds time);

/// "0.12 in the last minute, 99 % idle for 3 s"; of a busy machine it says so.
std::string text_of(machine_load const& load, int processors);

} // namespace redlatch::bench
