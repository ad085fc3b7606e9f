#include <redlatch/error.hpp>
#include <redlatch/replica_policy.hpp>

#include <string>

namespace redlatch {

namespace {

replica_policy policy_of(int replicas, duration time) noexcept {
    replica_policy made;
    made.replicas = replicas;
    made.time = time;
    return made;
}

} // namespace

replica_policy replica_policy::at_least(int replicas, duration time) {
    if (replicas < 1)
        throw error(errc::invalid_argument, "replica_policy::at_least(" + std::to_string(replicas)
                                                + "): at least one replica; use none() where none is to confirm");
    return policy_of(replicas, time);
}

replica_policy replica_policy::all(duration time) noexcept {
    return policy_of(all_connected, time);
}

replica_policy replica_policy::redisson_default(duration time) noexcept {
    auto made = all(time);
    made.required = 1;
    made.retries = 4;
    made.needs_wait = false;
    return made;
}

} // namespace redlatch
