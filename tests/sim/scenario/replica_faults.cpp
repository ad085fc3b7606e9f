// What goes wrong with replicas.
#include "sim/scenario/stage.hpp"

namespace redlatch::sim {

using kind = fault::kind;

bool is_on_replicas(kind what) {
    return what == kind::part_replica || what == kind::slow_replica;
}

void begin_on_replicas(stage& in, fault const& what) {
    if (!in.replicas) return;
    if (what.what == kind::part_replica) in.replicas->part(what.server, static_cast<replica_set::absence>(what.way));
    if (what.what == kind::slow_replica) in.replicas->set_delay(what.server, std::chrono::milliseconds(what.strength));
}

void end_on_replicas(stage& in, fault const& what) {
    if (!in.replicas) return;
    if (what.what == kind::part_replica) in.replicas->rejoin(what.server);
    if (what.what == kind::slow_replica)
        in.replicas->set_delay(what.server, std::chrono::microseconds(in.plan.replica_delay));
}

} // namespace redlatch::sim
