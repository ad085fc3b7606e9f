#include "sim/fairness/random_field.hpp"

#include "base/random.hpp"

namespace redlatch::sim {

field random_field(std::uint64_t seed) {
    base::random_source chance(seed * 0xa0761d6478bd642fU + 0xe7037ed1a0b428d);
    field made;
    made.processes = 2 + static_cast<int>(chance.up_to(4));
    made.threads = 1 + static_cast<int>(chance.up_to(2));
    made.hold_us = 500 + chance.up_to(1'500);
    made.pause_us = chance.up_to(500);
    made.lasts = 800;
    made.scripts_only = chance.up_to(2) == 0;
    made.hands_over = chance.up_to(3) != 0;
    made.strictly = chance.up_to(2) == 0;
    if (chance.up_to(2) == 0) made.redisson = 1;
    if (chance.up_to(1) == 0) made.pause_us = 0;
    return made;
}

patience patience_of(field const& what) {
    using namespace std::chrono_literals;
    patience made;
    made.releases.timeout = 3s;
    // What the library does today, seen in some thousand fields, and room for half as much again.
    made.fair.slice += std::chrono::microseconds(what.hold_us);
    made.fair.turns_missed = 60;
    made.fair.beyond_slice = 24;
    made.fair.commands_each = 12;
    made.fair.idle_once = 20ms;
    made.fair.idle_each = 500us;
    made.fair.least_in_window =
        static_cast<std::uint64_t>(made.fair.window / (std::chrono::microseconds(what.hold_us) + 1ms)) * 2 / 3;
    return made;
}

} // namespace redlatch::sim
