// One fault: what is done, what is promised.
#pragma once

#include "stage.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace redlatch::chaos {

/// What redlatch promises under the fault; the runner holds it to this and only looks at Redisson.
struct expectation {
    enum class loss { never, always, possible };

    loss of_holds = loss::never;
    /// False: the server has forgotten the lock, or its clock has jumped; two at once are possible, and counted.
    bool exclusion = true;
    /// From the fault to the notice; none: not asked.
    std::optional<milliseconds> notice{};
    /// Two at once in all, where exclusion is not promised; none: not asked.
    std::optional<milliseconds> together{};
    /// From the fault until nobody gets the lock any more before it is healed; none: not asked.
    std::optional<milliseconds> last_entry{};
    /// From the healing to the next holder, or to the renewal of the one that stayed.
    milliseconds recovery{2000};
};

struct scenario {
    enum class needs { nothing, own_network, fake_clock };
    enum class where {
        servers,
        processes,
        connections,
        network,
        failover,
        clocks,
        sentinel,
        cluster,
        replicated,
        master_slave,
        independent
    };

    std::string name;
    where group;
    std::string done;     ///< for the table
    std::string promised; ///< likewise
    expectation expected;
    std::function<void(stage&)> act;
    needs needed = needs::nothing;
    test::server_options server{};
    bool behind_proxy = false;
    bool redisson = true; ///< makes sense for Redisson, too
    /// Others than one server with the options above.
    std::function<std::unique_ptr<topology>()> servers{};
    milliseconds lease = worker_settings{}.watchdog;
    int replicas = 0; ///< that have to confirm a lock (worker_settings)
};

/// All of them, in the order of the table.
std::vector<scenario> all_scenarios();

std::vector<scenario> process_scenarios();
std::vector<scenario> server_scenarios();
std::vector<scenario> connection_scenarios();
std::vector<scenario> network_scenarios();
std::vector<scenario> failover_scenarios();
std::vector<scenario> sentinel_scenarios();
std::vector<scenario> cluster_scenarios();
std::vector<scenario> replicated_scenarios();
std::vector<scenario> master_slave_scenarios();
std::vector<scenario> red_lock_scenarios();
std::vector<scenario> red_majority_scenarios();
std::vector<scenario> clock_scenarios();

} // namespace redlatch::chaos
