// What happens in one run: processes, what their workers do, and what goes wrong when. Plain data: generated from a seed,
// shrunk, printed.
#pragma once

#include "sim/world/time.hpp"

#include <redlatch/replica_policy.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace redlatch::sim {

/// One acquisition and what becomes of it. Times are milliseconds.
struct job {
    enum class how : std::uint8_t { for_ever, timed, once, asynchronous, cancelled };
    enum class ending : std::uint8_t { release, detached, destroyed, asynchronous };
    int lock = 0;
    how asks = how::for_ever;
    std::int64_t pause = 0;              ///< before it
    std::int64_t wait = 0;               ///< of timed; of cancelled: until it is cancelled
    std::optional<std::int64_t> lease{}; ///< fixed; none: renewed
    std::optional<std::int64_t> max_hold{};
    std::optional<std::int64_t> hold_at_least{};
    std::int64_t hold = 0;                     ///< how long it is held
    int entries = 1;                           ///< re-entries included
    std::optional<std::int64_t> inner_lease{}; ///< of re-entries; 0: renewed; none: as the first
    ending ends = ending::release;
    bool by_the_same = false;  ///< by the owner of the job before, not by one of its own
    bool by_thread = false;    ///< by the worker's thread
    bool thread_ends = false;  ///< while it is held; another one goes on
    std::int64_t pause_us = 0; ///< microseconds, beside the milliseconds
    std::int64_t hold_us = 0;
    std::optional<replica_policy> confirmed{}; ///< by replicas; none: nobody asks them
};

/// The same again and again, to see who gets how much.
struct contention {
    std::int64_t until = 0;   ///< ms
    std::int64_t hold_us = 0; ///< microseconds
    std::int64_t pause_us = 0;
    double zipf = 0; ///< lock n is chosen in proportion to 1 / n ^ zipf
};

struct worker {
    int process = 0;
    std::vector<job> jobs{};
    std::optional<contention> then{};
};

/// How fast everything is, in microseconds.
struct speed {
    std::int64_t least_delay = 50; ///< of bytes, each way
    std::int64_t most_delay = 150;
    std::int64_t least_wake = 1; ///< until a process that was woken runs
    std::int64_t most_wake = 40;
    int stalls = 64; ///< one wake-up in so many takes 1 to 5 ms: another process has the processor; 0: none
};

struct fault {
    enum class kind : std::uint8_t {
        cut,            ///< the connections of a process, seen by the server late; what was on its way is gone
        cut_late_bytes, ///< the same, and what was on its way arrives late
        block_up,       ///< nothing reaches the server from this process for a while
        block_down,     ///< nothing reaches this process
        block_both,
        slow,         ///< the link takes `strength` ms
        refuse,       ///< no new connections
        stop_process, ///< for `lasts`
        kill_process,
        stop_server,
        restart_kept, ///< the server is away for `lasts`, then back with its data
        restart_lost,
        failover, ///< a replica that lags takes over at once
        flush_scripts,
        remove_key,   ///< an administrator deletes a lock
        force_unlock, ///< the tool ends a hold
        loading,      ///< the server answers LOADING
        read_only,
        out_of_memory,
        kill_clients,   ///< CLIENT KILL of everybody
        half_open,      ///< the connections of a process carry nothing any more, and it is not told
        close_client,   ///< a process closes its client, with what it holds and waits for
        no_replicas,    ///< the server answers NOREPLICAS to writes
        disk_error,     ///< MISCONF
        busy,           ///< BUSY, to nearly everything
        rights_taken,   ///< the clients' user may not do something for a while; `way`: see rights_that_change
        buffer_full,    ///< the sockets of a process take nothing for a while, or (`way` 1) some bytes now and then
        no_descriptors, ///< a process gets no socket and no eventfd; `way` 1: no eventfd
        no_memory,      ///< calls of a process's threads are refused memory: one request of each
        no_threads,     ///< a process gets no further thread
        half_sent,      ///< what a process sends in one go may end between two commands; `way`: see world/half_sent.hpp
        // Of clusters; what is done to a master is done to that which has the slot of `lock` then:
        migrate_slot, ///< the slot goes to another master in `lasts`; `way`: see migration_ways
        lose_master, ///< it crashes, its replica takes over within `strength`, and it is back after `lasts`; `way`: see
                     ///< loss_ways; of odd strength: without what the replica had not heard of
        part_master, ///< the other nodes do not reach it, or it stands still: see parting_ways; the same happens, and it
                     ///< goes on answering, in the first case for about as long
        wrong_hosts,  ///< nodes name hosts that lead nowhere; `way`: a membership::naming
        cluster_down, ///< nodes answer CLUSTERDOWN
        // Of servers with replicas; `server` is the replica:
        part_replica, ///< it hears nothing of its master for `lasts`; `way`: a replica_set::absence
        slow_replica, ///< what it hears takes up to `strength` ms
        // Of servers that Sentinels watch; lose_master and part_master as well:
        switch_master, ///< a failover is asked for; the old master is told that it is none after `lasts`; of odd strength:
                       ///< not to the replica that has heard of most
        part_sentinel, ///< a Sentinel, `server` of them, hears of no failover
        stop_sentinel, ///< it crashes, vanishes with its machine or stands still: `way`
    };
    kind what = kind::cut;
    std::int64_t at = 0;
    std::int64_t lasts = 0;
    int process = 0;
    int lock = 0;
    std::int64_t strength = 0;
    int way = 0;    ///< one of several, by kind
    int server = 0; ///< which one fails, or the connections to which one; every_server: to all of them
};

/// Commands, lower case, that are taken away together and given back together.
using rights = std::set<std::string, std::less<>>;
std::vector<rights> const& rights_that_change();

enum class lock_kind : std::uint8_t;
enum class topology : std::uint8_t;
bool can_be_played(lock_kind kind, topology with);

/// How a slot moves; and, so many times migration_ways more, how many keys go soon, and no others before the end.
enum class migration_way : std::uint8_t { usual, source_told_late, given_up };
constexpr int migration_ways = 3;

/// How a master is lost; together.
constexpr int with_its_machine = 1; ///< nobody is told
constexpr int for_good = 2;         ///< it does not come back, if it was replaced
constexpr int loss_ways = 4;

/// Which processes a master is parted from with the other nodes, or whether it stands still instead.
enum class parting : std::uint8_t { from_nodes, from_all_but_one_process, from_one_process, stands_still };
constexpr int partings = 4;

constexpr int every_server = -1;
/// How far a replica of a cluster may be behind: ms.
constexpr std::int64_t longest_lag = 20;
bool is_on_the_cluster(fault::kind what);
bool is_on_replicas(fault::kind what);
bool is_on_sentinels(fault::kind what);
/// Between a process and a server.
bool is_on_a_link(fault::kind what);

/// A fault of more strength is bytes that arrive long after all else is well: ms.
constexpr std::int64_t at_once = 700;

/// Of all locks of a scenario. Of a read-write lock jobs take one half or the other; of a semaphore some permits;
/// latches are counted down, waited for and set; multi: jobs take several locks as one; faster_multi: the locks are values of
/// one group, of which jobs take several; red: jobs take three locks, each of another server, and the majority is enough.
enum class lock_kind : std::uint8_t {
    reentrant,
    non_reentrant,
    spin,
    fenced,
    fair,
    read_write,
    semaphore,
    permit_semaphore,
    latch,
    election,
    multi,
    faster_multi,
    red,
    non_reentrant_fair,
};

/// How the servers are arranged, and the clients told of them.
/// Replicas: one server, with replicas that confirm locks; when it fails one of them is in its place at once.
/// Sentinel: a master with replicas, and Sentinels that say which one is the master.
enum class topology : std::uint8_t { single, cluster, replicas, sentinel };

/// Of each semaphore.
constexpr std::int64_t permits_in_all = 3;

struct scenario {
    std::uint64_t seed = 0;
    lock_kind locks_are = lock_kind::reentrant;
    int processes = 2;
    topology servers_are = topology::single;
    int masters = 1;                ///< of a cluster
    int first_share = 0;            ///< see simulated_cluster
    bool is_whole = true;           ///< the same
    bool shards_known = true;       ///< there are messages of shards (Redis 7)
    int of_one_slot = 0;            ///< of a cluster: so many locks, the first ones, have a hash tag in common
    int named_first = 0;            ///< which master a client is told of first
    int replicas = 0;               ///< of the master, where it is not a cluster
    std::int64_t replica_delay = 0; ///< what a change takes to get to one: microseconds
    bool wait_refused = false;
    int servers = 1;
    int locks = 1; ///< lock n is of server n % servers
    std::int64_t watchdog = 3'000;
    std::int64_t timeout = 500;
    bool kill_refused = false;
    bool evalsha_refused = false;
    bool subscribe_refused = false;
    bool publish_refused = false; ///< waiters of other processes are not woken: no wake-up is promised
    bool restore_refused = false;
    bool one_by_one = false;   ///< commands that are sent in one go arrive one by one
    bool scripts_only = false; ///< as the clients' configuration wants it, like what follows
    bool hands_over = true;
    bool strictly = false;
    bool detached_unlock = false;
    bool lazily = false;                ///< clients connect with their first call
    bool fail_fast = false;             ///< calls end while the server is known to be away
    std::set<int> redisson{};           ///< processes that lock as Redisson does
    std::vector<std::int64_t> drifts{}; ///< ppm, by process
    std::int64_t server_drift = 0;
    std::vector<worker> workers{};
    std::vector<fault> faults{};
    speed how_fast{};

    std::int64_t longest_lease() const;
    bool is_cluster() const noexcept { return servers_are == topology::cluster; }
    bool is_behind_sentinels() const noexcept { return servers_are == topology::sentinel; }
    bool has_replicas() const noexcept { return servers_are == topology::replicas || is_behind_sentinels(); }
    /// The longest time for which an acquisition may wait for replicas, attempts together.
    std::int64_t longest_confirmation() const;
    /// That each process has.
    int clients() const noexcept { return is_cluster() || is_behind_sentinels() ? 1 : servers; }
    int server_of(int lock) const noexcept { return lock % servers; } ///< where they are independent
    /// Of semaphores: requests are repeated until they are answered.
    bool exactly_once() const noexcept { return seed % 2 == 0; }
    /// Of semaphores: nothing happens by which permits may go or come that no request has taken or given. What a failover in a
    /// cluster forgets is seen when it comes about (fact::kind::missed).
    bool keeps_permits() const;
    /// They are numbers, whose keys stay when nobody has anything.
    bool are_counters() const noexcept {
        return locks_are == lock_kind::semaphore || locks_are == lock_kind::permit_semaphore
               || locks_are == lock_kind::latch;
    }
    bool have_a_queue() const noexcept {
        return locks_are == lock_kind::fair || locks_are == lock_kind::non_reentrant_fair;
    }
    /// By their owner.
    bool can_be_entered_again() const noexcept {
        return locks_are != lock_kind::non_reentrant && locks_are != lock_kind::non_reentrant_fair;
    }
    /// Of locks.
    bool has_one_key_each() const noexcept {
        return locks_are == lock_kind::reentrant || locks_are == lock_kind::non_reentrant
               || locks_are == lock_kind::spin || locks_are == lock_kind::multi;
    }
    /// Nothing is wrong at any time, and slots may move. What has one key is somewhere at every moment.
    bool only_moves_slots() const;
    /// Nothing goes wrong but that the server is full, and takes nothing new.
    bool only_lacks_memory() const;
    /// For a while nobody may run scripts: what is to be given back in the background then stays until its lease is over.
    bool scripts_refused_for_a_while() const;
};

/// What may be in a scenario has grown: a kept seed of an earlier generation stays what it was.
enum class generation : std::uint8_t {
    first,
    second,
    third,
    fourth,
    fifth,
    sixth,
    seventh,
    eighth,
    ninth,
    tenth,
    latest = tenth
};

/// What is asked of fairness and of the cost of waiting is for no more.
constexpr int most_processes = 8;

/// `processes`: exactly so many, and workers in each of them; none: as many as the seed says.
scenario generate(std::uint64_t seed, bool with_faults = true, generation of = generation::latest,
                  std::optional<int> processes = {});
/// C++-like lines that say all of it.
std::string to_text(scenario const& what);
std::string to_text(fault const& what);
std::string to_text(topology what);

} // namespace redlatch::sim
