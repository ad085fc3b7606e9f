// Everything that one running scenario consists of, and the book in which facts are written.
#pragma once

#include "sim/check/history.hpp"
#include "sim/cluster/simulated_cluster.hpp"
#include "sim/redisson/peer.hpp"
#include "sim/replicas/replica_set.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/sentinel/simulated_sentinels.hpp"
#include "sim/world/network.hpp"
#include "sim/world/server_host.hpp"
#include "sim/world/world.hpp"

#include <redlatch/redlatch.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::sim {

/// Of all clients.
constexpr std::chrono::milliseconds close_timeout{200};

/// A hold that somebody has not given back.
struct believed_hold {
    int process;
    int worker;
    int lock;
    std::string owner;
    std::function<hold_status()> status; ///< as its holder sees it
    std::function<std::stop_token()> lost;
    std::int64_t java_thread = 0; ///< of a Redisson process, which has neither
};

/// Permits with ids that somebody has not given back.
struct believed_permits {
    int process;
    int worker;
    int lock;
    std::vector<std::string> ids;
    permits const* mine; ///< null: it has given up the responsibility for them
    bool renewed;
};

/// A permit on the server.
struct permit_there {
    int taken_by;            ///< by a command of this process; -1: of nobody's
    std::int64_t ends_at_ms; ///< by the server's clock
    moment since;            ///< when it was seen first
    bool handed_out = false; ///< a worker knows of it
    bool unwanted = false;   ///< at the last look nobody had it
};

struct actor {
    process* who = nullptr;
    std::deque<client> users{};            ///< one of each server
    std::unique_ptr<redisson_peer> java{}; ///< instead of a client of ours
    std::int64_t java_threads = 0;         ///< so many it has had
    std::uint64_t commands = 0;            ///< that the server has run for it
    std::uint64_t told = 0;                ///< of its traffic: in the last fact
    /// Since when it has heard nothing of a server of a cluster, and connections to it have failed; 0: of all others.
    std::map<int, moment> unreachable_since{};
    int running = 0;          ///< workers that have not ended
    bool closing = false;     ///< by its own wish, in the midst of everything
    int closes = 0;           ///< calls of close()
    bool closed_well = false; ///< nothing else was wrong then: nothing of it may stay
    bool closed = false;

    client& user(int server = 0) { return users.at(static_cast<std::size_t>(server)); }
    /// Whose connection to this server is; null: it is not there yet.
    client const* user_of(int server) const {
        auto const at = users.size() == 1 ? 0 : static_cast<std::size_t>(server);
        return at < users.size() ? &users[at] : nullptr;
    }
    /// It has an owner of this name.
    bool is_of(std::string_view owner) const {
        return std::any_of(users.begin(), users.end(), [&](client const& one) { return owner.starts_with(one.id()); });
    }
};

/// A red lock that somebody has not given back.
struct believed_majority {
    int process;
    int worker;
    std::int64_t locks; ///< a bit for each of its members
    bool renewed;
    std::function<hold_status()> status; ///< as its holder sees it
    std::function<std::stop_token()> lost;
    std::function<std::int64_t()> has; ///< a bit for each member of which it believes that it holds it
};

struct stage {
    explicit stage(scenario const& of, bool with_trace);
    ~stage();

    void write(fact one);
    /// What all others believe who have this lock and should not have it, now that this worker acquires it.
    void tell_beliefs(int lock, int worker, std::string const& acquired_by);
    /// Nobody wakes a waiter of Redisson that has missed its message: the threads of this process sleep until their timers.
    void let_redisson_sleep(int process);
    void note(std::string line);
    void see_command(redis_node::executed const& one, int server);
    /// Writes down who has come to be in the keys of the locks, and who is there no more. `by`: whose command has just run.
    void see_keys(int by = -1);
    /// Who is there of this lock: owners in its key, or permits.
    std::vector<std::string> owners_of(int lock) const;
    /// The same by the keys, and what else is asked of them (keys.cpp).
    std::vector<std::string> owners_in_key(int lock) const;
    bool has_in_key(int lock, std::string const& owner) const;
    bool is_taken(int lock) const;
    /// A reader whose keys are over: its field keeps nobody out, and the next release of anybody drops it.
    bool is_dead_reader(int lock, std::string const& owner) const;
    /// By the server's clock, the last millisecond in which it is taken; the largest number: nobody has it, or for ever.
    std::int64_t last_ms_of(int lock) const;
    std::string key_of(int lock) const;
    /// The server that has the key of a lock; in a cluster another one from time to time.
    server_host& host_of(int lock) { return servers.at(home_of(lock)); }
    server_host const& host_of(int lock) const { return servers.at(home_of(lock)); }
    std::size_t home_of(int lock) const {
        return static_cast<std::size_t>(ownership != nullptr ? ownership->home_of(key_of(lock)) : plan.server_of(lock));
    }
    /// Since when a process has heard nothing of any server that it could ask, and connections have failed.
    moment unreachable_for(actor const& who) const;
    /// Somebody of this process asks for a lock that replicas are to confirm, or did so after `since`.
    bool had_unconfirmed(int process, int lock, moment since) const;
    /// When this owner came to be in the key of a lock; never: it was not seen there.
    moment in_key_since(int lock, std::string const& owner) const;
    /// The end of a minimum hold, by clocks that differ and count milliseconds; zero where `since` is never.
    static moment kept_until(moment since, duration at_least);
    /// What is left of a minimum hold, and no owner.
    static bool is_rest(std::string const& owner);
    /// Writes down what is lost, and what comes back, with a change of who has the keys, or of what these are.
    void see_around_loss(std::function<void()> const& change);
    /// Requests of a semaphore or a latch are forgotten, or are nobody's: what there is has come about in no other way.
    void miss_count(int lock);
    /// A key beside that of a lock: those of a slot move one by one.
    server_host const& host_of_key(int lock, std::string const& key) const {
        return servers.at(ownership != nullptr ? static_cast<std::size_t>(ownership->home_of(key)) : home_of(lock));
    }
    /// A command about a lock that nobody of ours sends.
    void by_hand(int lock, std::string const& bytes);
    /// A message to those who wait for one.
    void tell_by_hand(int lock, std::string const& channel, std::string const& message);
    /// Of a value of the group: all that the key has of whoever holds it.
    std::vector<std::string> fields_of_value(int lock) const;
    void see_renewals(tcp_connection const& on, std::string_view bytes);
    std::string semaphore_name(int number) const { return name_of("permits-", number); }
    std::string latch_name(int number) const { return name_of("latch-", number); }
    std::string lock_name(int number) const { return name_of("lock-", number); }
    static std::string value_name(int number) { return "value-" + std::to_string(number); }
    static constexpr char const* group_name = "group";
    bool all_ended() const;
    bool quiet_now() const noexcept { return faults_left == 0; }

    scenario const& plan;
    bool const traced;
    world universe;
    network net;
    std::unique_ptr<simulated_cluster> cluster;     ///< null: there is none
    std::unique_ptr<simulated_sentinels> sentinels; ///< likewise
    key_ownership* ownership; ///< the one of these that there is; null: each server has its own keys
    std::deque<server_host> servers;
    std::unique_ptr<replica_set> replicas; ///< of the master; null: of a cluster, or there are none
    server_host& server;                   ///< the first, which most scenarios have alone
    std::vector<actor> actors;
    std::list<believed_hold> holds;
    std::list<believed_permits> permits_held;
    std::list<believed_majority> majorities;
    std::map<int, std::map<std::string, permit_there>> permit_ids; ///< by semaphore
    std::map<int, std::pair<int, std::int64_t>> taking_all;        ///< by worker: its process, and a bit for each lock
    std::map<std::pair<int, int>, moment> unconfirmed_until; ///< by process and lock: when it last waited for replicas
    std::set<int> torn; ///< semaphores whose permits a failover may have left with fewer or more than there were
    std::map<int, std::int64_t> latch_counts;
    history facts;
    std::vector<std::string> trace;
    std::map<fault const*, int> struck; ///< which server a fault is about
    std::size_t faults_left = 0;
    int faults_now = 0;    ///< but for a client that closes
    moment last_fault{-1}; ///< when one began or ended
    std::uint64_t acquired = 0;
    bool permits_may_be_missing = false; ///< of semaphores, for good
    moment refilled_at{-1'000'000'000};

private:
    std::string name_of(char const* kind, int number) const {
        return (number < plan.of_one_slot ? "{slot}-" : kind) + std::to_string(number);
    }
    struct owners_of_key {
        std::vector<std::string> all{};
        std::int64_t expires_at_ms = INT64_MAX;
    };
    void see_permit_ids(int by);
    void see_latches(int by);
    void see_key(int lock, owners_of_key& known, int by);
    void begin_ownership();
    void begin_replicas();
    using leases = std::map<std::string, std::int64_t>; ///< of the owners of a lock: when they end on the server
    leases leases_at(server_host const& of, int lock) const;
    std::string counted_at(server_host const& of, int lock) const;
    std::string counted_now(int lock) const;
    bool may_hear_too_late() const;
    void returns(int lock, std::string const& owner);
    void see_outdated(int number, redis_node::executed const& one, int by);

    std::map<int, bool> probed_;
    std::map<int, owners_of_key> keys_;
    std::map<std::pair<int, std::string>, moment> in_key_since_;         ///< by lock and owner
    std::map<int, std::pair<std::uint64_t, std::uint64_t>> writes_seen_; ///< by server, and of which run
    std::uint64_t changes_seen_ = 0;
    std::map<std::pair<int, int>, leases> outdated_;             ///< by server and lock
    std::map<std::pair<int, int>, std::string> outdated_counts_; ///< likewise
};

belief belief_of(hold_view const& which);
belief belief_of(hold_status status);
/// What the clients' user may not do all the time.
rights refused_for_good(scenario const& plan);
/// Commands for messages of the shard stand and fall with the others.
rights of_topology(scenario const& plan, rights all);
/// What a worker does: the body of its fiber.
void work(stage& in, int number, worker const& what);
/// One job, by a thread of a Redisson process.
void work_as_redisson(stage& in, int number, int process, job const& what);
/// One job, with permits of a semaphore.
void use_permits(stage& in, int number, int process, job const& what);
/// The same of a semaphore whose permits have ids.
void use_leased_permits(stage& in, int number, int process, job const& what);
/// Looks at these: what the server has, what holders believe, and permits that nobody has.
void see_leased_permits(stage& in, bool last = false);
/// Their holders' process has died.
void leave_leased_permits(stage& in, int process);
/// One job, with a count-down latch.
void use_latch(stage& in, int number, int process, job const& what);
void set_latches(stage& in);
void see_all_latches(stage& in);
/// One job, in an election: as a candidate or as one who watches.
void stand_for_election(stage& in, int number, int process, job const& what);
/// One job, with several locks as one.
void take_several(stage& in, int number, int process, job const& what);
/// The same of values of a group.
void take_values(stage& in, int number, int process, job const& what);
/// The same of a red lock.
void take_majority(stage& in, int number, int process, job const& what);
/// What all others believe who have this one, now that this worker acquires it.
void tell_majorities(stage& in, int worker, std::int64_t locks);
/// How many servers know of what those believe who have red locks.
void probe_majorities(stage& in);
/// The permits with ids that a server has of a semaphore, and when they end.
std::map<std::string, std::int64_t> permits_at(server_host const& server, std::string const& semaphore);
/// No permit is taken.
bool all_permits_are_back(stage const& in);
/// Sets the semaphores.
void set_permits(stage& in);
/// Writes down how many permits there are; `last`: after everything has ended.
void see_permits(stage& in, bool last = false);
answer answer_of(std::error_code ec);
/// What of a fault concerns the cluster as a whole.
void begin_on_cluster(stage& in, fault const& what);
void end_on_cluster(stage& in, fault const& what);
/// Which processes a master is parted from, or are not any more; see parting.
void part_processes(stage& in, fault const& what, int master, bool parted);
/// What of a fault concerns Sentinels and the servers that they watch.
void begin_on_sentinels(stage& in, fault const& what);
void end_on_sentinels(stage& in, fault const& what);
/// What of a fault concerns replicas.
void begin_on_replicas(stage& in, fault const& what);
void end_on_replicas(stage& in, fault const& what);
/// What of a fault is between its process and its servers.
void begin_on_links(stage& in, fault const& what);
void end_on_links(stage& in, fault const& what);
/// Lets a fault begin; it ends by itself.
void begin_fault(stage& in, fault const& what);

} // namespace redlatch::sim
