#include "scenario.hpp"

#include <iterator>

namespace redlatch::chaos {

std::vector<scenario> all_scenarios() {
    std::vector<scenario> result;
    for (auto* const each :
         {&process_scenarios, &server_scenarios, &connection_scenarios, &network_scenarios, &failover_scenarios,
          &clock_scenarios, &sentinel_scenarios, &cluster_scenarios, &replicated_scenarios, &master_slave_scenarios,
          &red_lock_scenarios, &red_majority_scenarios}) {
        auto some = each();
        result.insert(result.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    }
    return result;
}

} // namespace redlatch::chaos
