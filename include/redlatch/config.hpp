// How to reach the server and how to behave.
//
// Sources: a URI (`redis://user:password@host:6379/0`, `unix:///run/redis.sock?db=1`), a YAML document as Redisson and Spring
// users write it, or this struct with designated initialisers. All times are std::chrono; zero and negative values are refused
// where they make no sense, with errc::bad_config and a message that names the field.
#pragma once

#include <redlatch/credentials.hpp>
#include <redlatch/export.hpp>
#include <redlatch/lease_clock.hpp>
#include <redlatch/replica_policy.hpp>
#include <redlatch/tls_options.hpp>
#include <redlatch/topology_options.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace redlatch {

/// What is sent to take a free re-entrant lock and to release it for the last time. What Java sees is the same.
enum class command_set {
    automatic, ///< plain, and scripts on each connection where the server refuses a plain command
    plain,     ///< RESTORE to take, HDEL and PUBLISH to release: a fraction of the server's work; a refusal is an error
    scripts,   ///< Lua scripts only, as Redisson does
};

/// When a client makes its first connection.
enum class connect_mode {
    eagerly, ///< its constructor does, and throws where it cannot
    lazily, ///< the first call that needs one, as after the loss of a connection: a program may start before its server
};

/// How the waiters of one client hand a lock off among themselves, without a word to the server.
struct local_handoff {
    bool enabled = true;
    /// How long the waiters of this client may hand the lock on in a row, at least 1 ms; then it is released on the server, so
    /// that other processes get a turn. While other processes are known to wait it is 1 ms, whatever is said here.
    duration time{5};
    /// First come, first served without exception. Otherwise a thread that has just released may take the lock again, up to
    /// 16 times in a row within 25 microseconds, before the next waiter is there: ten times the throughput.
    bool strict = false;

    friend bool operator==(local_handoff const&, local_handoff const&) = default;
};

/// Plain data: distinct objects are independent, shared objects need the usual care.
struct REDLATCH_EXPORT config {
    /// `redis://[user:password@]host[:port][/db]`, `valkey://…`, both with TLS as `rediss://…` and `valkeys://…`,
    /// `redis+uds:///path`, `unix:///path[?db=n]`, or `local:` for
    /// the private server (of this user on this machine, started when needed; see embedded_server.hpp). Several servers:
    /// `redis-sentinel://host:port,host:port/0#master-name`, `redis-cluster://host:port,host:port`,
    /// `redis-replicated://host:port,host:port` (whichever of them is the master), or the field topology.
    /// User, password and database in the address win over the fields below.
    ///
    /// Empty: the environment chooses, as for the tool: the address in REDLATCH_SERVER; else the file that REDLATCH_CONFIG
    /// names, for all fields that are still at their defaults here; else the private server, with a warning in the log,
    /// or error(bad_config) where REDLATCH_REQUIRE_SERVER=1 forbids that.
    std::string address{};
    /// ACL user (Redis 6 and later); empty: the default user.
    std::string username{};
    /// Empty: no authentication, or, with a user name, that of a user without a password (nopass).
    std::string password{};
    /// Names a file that holds the password, in place of it: read at each connect, so that a changed file needs no restart. A
    /// line feed at its end does not count. A file that cannot be read is an attempt to connect that has failed.
    std::string password_file{};
    /// In place of user and password, where these change: asked at each connect of each connection, and again before they
    /// expire, for connections that live on: those for commands say AUTH anew; that for messages, which the server lets say
    /// nothing of the kind, is replaced. Called on a thread of its own, by client's constructor on the caller's, and by several
    /// threads at a time: it may block, for as long as an attempt to connect may take, and has to be thread-safe. What it
    /// throws counts as an attempt to connect that has failed. It must not use this client, and a call may outlast it.
    std::function<redlatch::credentials()> credentials{};
    /// The same for the Sentinels, in place of topology.sentinel_username and sentinel_password: asked at each connect. A
    /// connection to a Sentinel is left as it is when they expire.
    std::function<redlatch::credentials()> sentinel_credentials{};
    /// What the names of this client begin with on the server: put before the name of each lock, semaphore, latch and election
    /// that it is asked for, unless the name begins with it already, as Java applications do it with a NameMapper of
    /// their own. Patterns of list_locks and its like are of names behind it, and the names that these find are shown without
    /// it; elsewhere, as by name(), in events and messages, the whole name is shown.
    std::string name_prefix{};
    /// Shown by CLIENT LIST on the server; empty: none. Where it is set, holder_label has no default.
    std::string client_name{};
    /// Who holds the locks of this client, for those who look (lock_owner::label, `redlatch status`). At most 128 printable
    /// ASCII characters without a space; empty: none. Default: `host:pid:program`. It is a part of the connections' name, as
    /// `redlatch:<client's UUID>:<label>` behind client_name and a `|`, and costs no round trip.
    std::optional<std::string> holder_label{};
    /// The logical database, 0 or more.
    int database = 0;

    /// Several servers, where address does not say it; address is empty then. See topology_options.
    topology_options topology{};

    /// Of addresses that begin with `rediss://` or `valkeys://`; see tls_options.
    tls_options tls{};

    /// How long the server may stay silent while answers are due. After it the connection counts as lost and is replaced.
    /// Lower it when a fast notice of a dead server matters more than patience with a slow one.
    duration timeout{3000};
    /// How long one attempt to connect may take, handshake included. Before it the name of the server is looked up, for as long
    /// as the system's resolver takes.
    duration connect_timeout{10000};
    /// See connect_mode. Lazily, the constructor only throws for what is wrong with the configuration, and what the server
    /// refuses (a wrong password) is told by each call until it is mended. In a cluster calls go to the nodes of the address
    /// until one of them has told who has which slots; with sharded messages left to `automatic` they are taken to be
    /// supported until then. The private server (`local:`) is started by the constructor in either case.
    connect_mode connect = connect_mode::eagerly;
    /// While the server is known to be away - a connection was lost or could not be made, and the latest attempt to make one
    /// has failed -, acquisitions, waits and questions end with errc::disconnected at once, in place of waiting for it until
    /// their deadlines. (Where they need not wait, as try_acquire() without options, they do so in any case.) Releases and
    /// renewals go on for as long as the lease.
    bool fail_fast = false;
    /// How many further attempts the constructor of client makes when the server cannot be reached (a client that is once
    /// connected reconnects for ever).
    int retry_attempts = 4;
    /// The first pause between two attempts to connect; it doubles up to ten times this value, with jitter. A client that
    /// was connected reconnects at once, and then, until a connection has answered something, after pauses that grow from
    /// 50 ms to this value.
    duration retry_delay{1000};
    /// An idle connection is probed this often; zero: never.
    duration ping_interval{30000};

    /// The lease of a renewed lock; it is renewed after each third of it (protocol section 2.1). Java peers show the same
    /// value. Longer: fewer renewals, and a longer orphan after a crash. At least 30 ms.
    duration lock_watchdog_timeout{30000};
    /// For how long a waiter of a fair lock keeps its place in the queue without being heard of: so long a waiter that has died
    /// can keep all behind it waiting. Java peers show the same value. At least 1 s.
    duration fair_lock_wait_timeout{300000};
    /// For how long the counter of a lock's fencing tokens stays on the server after it has given a token. None: for ever. When
    /// it has expired tokens begin again at 1, and whatever compares them refuses all new holders until it has forgotten the
    /// old ones (docs/fencing.md). So choose it far above the longest time for which a lock is held, a late writer may live and
    /// the resource remembers, and the same in all clients: a token that is taken without it, by Java too, leaves the expiry as
    /// it is. It is never shortened. At least lock_watchdog_timeout.
    std::optional<duration> fencing_counter_ttl{};
    /// How many locks one renewal script names.
    int renewal_batch = 100;
    /// What is taken off each lease when validity is counted, for clock drift and scheduling; zero: the larger of 20 ms and a
    /// hundredth of the lease. Holders are told of a loss this long before the key can expire.
    duration validity_margin{0};

    /// Holds that have lasted for a second are listened for, so many at the most: their holders learn within milliseconds that
    /// somebody has ended them by force (`unlock --force`, Redisson's forceUnlock), not with the next renewal. Costs a
    /// subscription each, and the first one a connection. Zero: none, and a loss is noticed within a third of the lease.
    int watched_holds = 1000;

    /// See command_set. Everything but a first acquisition and a last release is a script in any case: renewal too, so that a
    /// user who may not run scripts cannot keep a renewed lock.
    command_set commands = command_set::automatic;
    /// See local_handoff. Only renewed locks without max_hold are handed off.
    redlatch::local_handoff local_handoff{};
    /// unlock() and the destructor of hold return as soon as the release is written, without its answer: half of the round
    /// trips. What went wrong goes to the listener and the counters; hold::release() waits nevertheless.
    bool detached_unlock = false;

    /// How many replicas have to confirm a lock or permits, where the handle does not say it (lock_options::replicas,
    /// counter_options::replicas); see replica_policy.
    replica_policy replicas{};

    /// A wait without a deadline ends with errc::disconnected when the server was away for this long, or with
    /// errc::server_refused when it answered and executed no writes for this long; zero: never.
    duration outage_limit{60000};
    /// How long close() may take to release what is still held.
    duration close_timeout{1000};

    /// Start the background thread (renewal, reconnection) at client::start() instead of with the first renewed hold. For
    /// programs that fork right after they acquired. Where Sentinels or several servers are asked for the master, the thread
    /// starts with the client otherwise: without it no failover is heard of.
    bool lazy_threads = false;

    /// The private server: address `local:`.
    static config local();
    /// Throws error(bad_config) with the URI (its password masked) and what is wrong with it.
    static config from_uri(std::string_view uri);
    /// Reads Redisson's YAML: `singleServerConfig`, `sentinelServersConfig`, `clusterServersConfig`, `replicatedServersConfig`
    /// or `masterSlaveServersConfig`, and the top-level keys; bare, or nested under `spring.redis.redisson.config` or
    /// `spring.data.redis.redisson.config`. Without these Spring Boot's own keys under `spring.redis` or `spring.data.redis`.
    /// What Redisson has no key for stands under `redlatch` (docs/operating.md). Keys without a meaning here (codec, threads,
    /// pool sizes) are accepted with one debug line; an unknown key is an error with its line and the nearest known name.
    /// Throws error(bad_config).
    static config from_yaml(std::string_view text);
    /// The same; also the file that `spring.redis.redisson.file` names, which lies beside this one unless it begins with
    /// `file:`. Warns in the log when a file holds a password and every user may read it.
    static config from_file(std::filesystem::path const& file);

    /// Throws error(bad_config) for values that cannot work. client's constructor calls it.
    void validate() const;
};

} // namespace redlatch
