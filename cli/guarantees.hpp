// What follows for locks from what a server says of itself: which guarantees hold, which do not, and what to do. Pure: facts
// in, verdicts out.
//
// | name               | holds where                                                                                         |
// |--------------------|-----------------------------------------------------------------------------------------------------|
// | version            | it is a Redis from 6.2 on, or a Valkey                                                              |
// | takes_locks        | it is a master, its memory has room, and it writes: its disk, its replicas and its cluster allow it |
// | kept_when_full     | maxmemory-policy is noeviction, or there is no maxmemory                                            |
// | server_restart     | it writes to an append-only file                                                                    |
// | machine_crash      | the same, and appendfsync is always                                                                 |
// | failover           | it has no replicas; or each has a lock before it is given: their number is asked for, or all, with  |
// |                    | min-replicas-to-write at their number                                                               |
// | lone_master        | min-replicas-to-write is at least 1; said of a server that has replicas, or should have some        |
// | replicas_confirm   | WAIT can be used, and as many replicas are there as config::replicas wants; only where it does  |
// | automatic_failover | there are three Sentinels or more, as many as a quorum and a majority of all take can be reached,   |
// |                    | and a replica that may be promoted is there; three masters of a cluster or more have slots, and     |
// |                    | this one a replica                                                                                  |
// | commands           | no command that redlatch cannot do without is unknown; left out where the server cannot say it      |
// | rights             | this user has all rights that the types need                                                        |
// | messages           | a message that was published has arrived                                                            |
// | renewal_in_time    | the slowest round trip took no longer than a tenth of what a renewal may take                       |
// Where a fact that decides is missing, it is not known whether it holds.
#pragma once

#include <redlatch/lease_clock.hpp>
#include <redlatch/replica_policy.hpp>
#include <redlatch/server_facts.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace redlatch::cli {

enum class standing { holds, fails, unknown };

struct guarantee {
    std::string_view name;
    std::string_view promise; ///< "A full server keeps the locks that are held"
    standing state = standing::unknown;
    std::string reason{}; ///< why, as a sentence
    std::string advice{}; ///< what to do, as a sentence; empty: nothing
};

/// What is wanted of the servers.
struct lock_plans {
    duration watchdog{30000};     ///< the lease of renewed locks
    std::string user = "default"; ///< who asks, for the advice
    replica_policy replicas{};    ///< who confirms a lock before it is given
};

/// All names, in the order in which they are shown.
std::vector<std::string_view> guarantee_names();

/// Of a server that has answered; those that do not concern it are left out.
std::vector<guarantee> guarantees_of(server_setup const& setup, server_facts const& server, lock_plans const& plans);

} // namespace redlatch::cli
