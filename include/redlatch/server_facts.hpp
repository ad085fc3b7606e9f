// What the servers of a client say of themselves, as far as it decides what locks on them are worth:
// client::inspect_servers(). `redlatch doctor` says what follows from it.
#pragma once

#include <redlatch/lease_clock.hpp>
#include <redlatch/topology_options.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace redlatch {

/// What client::inspect_servers() asks.
struct inspect_servers_options {
    /// Rights are asked for names that begin with this, behind config::name_prefix.
    std::string name_prefix{};
    /// How many round trips to time on each server, one after the other, from 1 to 1000.
    int round_trips = 10;
    /// After this time nothing more is asked; what was not asked is absent.
    duration limit{10000};
};

/// A command that was not answered as it should be.
struct refused_question {
    std::string command; ///< for example "CONFIG GET save"
    std::string reason;  ///< the server's error, or what it did
};

/// One server. What it did not say, or this user may not ask, is absent, and `refused` says why.
struct server_facts {
    enum class role_kind { unknown, master, replica };

    std::string address{};
    /// Why it could not be asked anything; empty: it could.
    std::string problem{};

    std::string software{}; ///< "redis" or "valkey"; empty: unknown
    std::string version{};  ///< likewise

    std::optional<std::string> eviction_policy{}; ///< maxmemory-policy
    std::optional<std::uint64_t> memory_limit{};  ///< maxmemory in bytes; 0: none
    std::optional<std::uint64_t> memory_used{};   ///< in bytes
    std::optional<std::uint64_t> evicted_keys{};  ///< since it started

    std::optional<bool> append_only{};         ///< appendonly: writes go to a file
    std::optional<std::string> append_fsync{}; ///< "always", "everysec" or "no"
    std::optional<std::string> snapshots{};    ///< when it saves a snapshot, in the words of its setting; empty: never
    std::optional<bool> last_save_worked{};    ///< the last write to its files

    role_kind role = role_kind::unknown;
    std::optional<int> replicas{};      ///< that are connected and have the data
    std::optional<int> min_replicas{};  ///< min-replicas-to-write; 0: writes are taken without any
    std::optional<bool> wait_command{}; ///< WAIT can be used
    std::optional<bool> role_command{}; ///< ROLE can be used

    /// What a message that was published to a channel of locks did: true: it came to this client.
    std::optional<bool> messages{};
    std::optional<std::chrono::microseconds> message_time{}; ///< from before it was sent until it was read here

    /// As words of an ACL rule, "+hset", "~jobs:*", "&redisson_lock__channel:{jobs:*": the rights that some kind of lock,
    /// semaphore, latch or election, or this client, makes use of and this user does not have.
    std::vector<std::string> missing_rights{};
    /// Commands that redlatch makes use of and this server does not have, because they were renamed or it is too old;
    /// "client|kill" is a subcommand. Complete where the server can say it, Redis from 7.0 on; before, only EVAL is noticed.
    std::vector<std::string> unknown_commands{};
    bool rights_known = false; ///< false: there may be more, since the server cannot say (before Redis 7) or does not

    std::vector<std::chrono::microseconds> round_trips{}; ///< in the order in which they were made
    /// How far the server's clock is ahead of this machine's; as exact as half of the shortest round trip. Nothing depends on
    /// it: a client measures leases with its own monotonic clock, a server with its own.
    std::optional<std::chrono::microseconds> clock_ahead{};

    std::vector<refused_question> refused{};
};

/// What one Sentinel has said when the master was last asked for.
struct sentinel_facts {
    std::optional<int> sentinels{}; ///< that it knows of, itself included
    std::optional<int> reachable{}; ///< of these: those that it does not call away, itself included
    std::optional<int> quorum{};    ///< so many have to agree that the master is gone
    /// Replicas that may take the place of the master: they are there, and their replica-priority is not 0. As of when the
    /// master was last looked for, which is at the beginning and after a connection was lost.
    std::optional<int> promotable{};
    std::vector<refused_question> refused{};
};

struct server_setup {
    server_mode mode = server_mode::single;
    std::vector<server_facts> servers{};       ///< those that have locks: in a cluster all masters, else one
    std::optional<sentinel_facts> sentinels{}; ///< where Sentinels say who is the master
};

} // namespace redlatch
