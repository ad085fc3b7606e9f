// A master is lost and its replica takes its place: the same with Sentinels, in a cluster, and with replicated servers.
#pragma once

#include "network.hpp"
#include "scenario.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace redlatch::chaos {

struct arrangement {
    std::string name; ///< begins the names of the scenarios
    scenario::where group;
    std::function<std::unique_ptr<topology>()> servers;
    std::string takes_over = "is elected"; ///< said of the replica, on the page
};

/// Whether the replica has the lock at the fault.
enum class replication { behind, up_to_date };

/// A scenario with the lease of all that wait for an election.
scenario with_election(arrangement const& on, std::string const& name);

/// What is promised where the replica knows the lock, and where it does not.
expectation after_election(replication state);
std::string promised_after_election(replication state);

/// A holder, waiters, and the replica as wanted; from then on a silent master is replaced.
replicated_topology& held_and_waited_for(stage& at, replication state);

std::vector<scenario> scenarios_of_a_lost_master(arrangement const& on);

/// Clients reach the master; those that elect another one do not, whose packets `cut` drops. `done` says so on the page.
std::vector<scenario> scenarios_of_a_cut_off_master(arrangement const& on, std::string const& done,
                                                    std::function<void(stage&, packet_filter const&)> const& cut);

} // namespace redlatch::chaos
