#include <redlatch/replica_policy.hpp>

namespace redlatch {

replica_policy replica_policy::at_least(int replicas, duration time) noexcept {
    replica_policy made;
    made.replicas = replicas;
    made.time = time;
    return made;
}

replica_policy replica_policy::all(duration time) noexcept {
    return at_least(all_connected, time);
}

replica_policy replica_policy::redisson_default(duration time) noexcept {
    auto made = all(time);
    made.required = 1;
    made.retries = 4;
    made.needs_wait = false;
    return made;
}

} // namespace redlatch
