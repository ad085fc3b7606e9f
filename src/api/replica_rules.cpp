#include "api/replica_rules.hpp"

#include "api/config_limits.hpp"

namespace redlatch::detail {

std::string problem_of(replica_policy const& policy) {
    auto const from_to = [](int least, int most) {
        return "; it must be from " + std::to_string(least) + " to " + std::to_string(most);
    };
    bool const all = policy.replicas == replica_policy::all_connected;
    if (!all && (policy.replicas < 0 || policy.replicas > most_replicas))
        return "replicas.replicas is " + std::to_string(policy.replicas) + from_to(0, most_replicas)
               + ", or replica_policy::all_connected";
    auto const most_required = all ? most_replicas : policy.replicas;
    if (policy.required < 0 || policy.required > most_required)
        return "replicas.required is " + std::to_string(policy.required) + from_to(0, most_required)
               + ": no more than are waited for";
    if (policy.time < duration(1) || policy.time > config_limits::longest)
        return "replicas.time is " + std::to_string(policy.time.count()) + " ms; it must be from 1 ms to ten years";
    if (policy.shortage < replica_shortage::fail || policy.shortage > replica_shortage::accept)
        return "replicas.shortage must be fail, give_back or accept";
    if (policy.retries < 0 || policy.retries > most_replica_retries)
        return "replicas.retries is " + std::to_string(policy.retries) + from_to(0, most_replica_retries);
    return {};
}

} // namespace redlatch::detail
