#include "guarantees.hpp"

#include "durations.hpp"
#include "guarantee_rules.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace redlatch::cli {
namespace {

/// Of "7.0.15": 7 and 0. None: not understood.
std::optional<std::pair<int, int>> major_and_minor(std::string_view version) {
    std::pair<int, int> read;
    auto const* const end = version.data() + version.size();
    auto const [dot, no_number] = std::from_chars(version.data(), end, read.first);
    if (no_number != std::errc{} || dot == end || *dot != '.') return std::nullopt;
    auto const [rest, nor_this] = std::from_chars(dot + 1, end, read.second);
    if (nor_this != std::errc{}) return std::nullopt;
    return read;
}

// --- the rules

std::optional<verdict> judge_version(question const& about) {
    auto const& [software, version] = std::pair(about.server.software, about.server.version);
    if (version.empty()) return unknown(about, "INFO", "See that it is Redis 6.2 or later, or Valkey.");
    auto const read = major_and_minor(version);
    auto const shown = software + " " + version;
    if (software == "valkey") return holds("It is " + shown + ".");
    if (software != "redis" || !read)
        return verdict{standing::unknown, "It is " + shown + ", with which redlatch was never tried.",
                       "Try it, or use Redis 6.2 or later, or Valkey."};
    if (*read < std::pair(6, 2))
        return fails("It is " + shown + ": commands that locks are made of are missing, or work otherwise.",
                     "Use Redis 6.2 or later, or Valkey.");
    return holds("It is " + shown + ".");
}

/// What a server says that does not write now.
struct write_refusal {
    std::string_view word;
    std::string_view reason;
    std::string_view advice;
};
constexpr std::array write_refusals{
    write_refusal{"MISCONF", "Its last write to its disk has failed, and it refuses writes until one works.",
                  "See its log and its disk."},
    write_refusal{"NOREPLICAS",
                  "It refuses new locks: fewer replicas are connected and within min-replicas-max-lag than "
                  "min-replicas-to-write asks for.",
                  "Bring the replicas back, or lower min-replicas-to-write."},
    write_refusal{"CLUSTERDOWN",
                  "Its cluster refuses new locks: a slot has no master, or this one does not reach most of the others.",
                  "See CLUSTER INFO, and bring the master that is missing back, or a replica of it."},
    write_refusal{"LOADING", "It is loading its data, and takes locks when it has.", "Ask again later."},
    write_refusal{"BUSY", "A script has been running on it for long.", "Wait, or end it with SCRIPT KILL."},
};

/// None: it has written when it was asked to. Of no reason: it was not asked, or this user may not write.
std::optional<verdict> refusal_to_write(server_facts const& server) {
    auto const tried = std::find_if(server.refused.begin(), server.refused.end(),
                                    [](refused_question const& one) { return one.command == "HDEL"; });
    if (tried == server.refused.end()) return std::nullopt;
    for (auto const& one : write_refusals)
        if (tried->reason.starts_with(one.word)) return fails(std::string(one.reason), std::string(one.advice));
    return verdict{};
}

std::optional<verdict> judge_takes_locks(question const& about) {
    auto const& server = about.server;
    if (server.role == server_facts::role_kind::replica)
        return fails("It is a replica, which takes no locks.", "Give the address of its master.");
    if (server.memory_limit.value_or(0) > 0 && server.memory_used.value_or(0) >= *server.memory_limit
        && server.eviction_policy == "noeviction")
        return fails("Its memory is full, and it refuses new locks.", "Raise maxmemory, or remove keys.");
    if (server.replicas && server.min_replicas.value_or(0) > *server.replicas)
        return fails("It has " + number_of(*server.replicas, "replica", "replicas") + " and min-replicas-to-write is "
                         + std::to_string(*server.min_replicas) + ": it refuses new locks.",
                     "Bring the replicas back, or lower min-replicas-to-write.");
    auto refused = refusal_to_write(server);
    if (refused && !refused->reason.empty()) return refused;
    if (refused && server.last_save_worked == false)
        return verdict{standing::unknown,
                       "Its last write to its disk has failed; whether it refuses writes for that is not known.",
                       "See its log and its disk."};
    if (server.role == server_facts::role_kind::unknown) return unknown(about, "INFO", allow("+info", about));
    return holds("It is a master, and nothing keeps it from writing.");
}

std::optional<verdict> judge_kept_when_full(question const& about) {
    auto const& server = about.server;
    std::string const advice = "Set maxmemory-policy noeviction, or use a server of its own for locks.";
    if (!server.eviction_policy) return unknown(about, "INFO", allow("+info", about));
    if (*server.eviction_policy == "noeviction")
        return holds("maxmemory-policy is noeviction: a full server refuses new locks.");
    if (server.memory_limit == std::uint64_t{0})
        return holds("There is no maxmemory, so maxmemory-policy " + *server.eviction_policy + " removes nothing.",
                     advice);
    auto const evicted = server.evicted_keys.value_or(0);
    return fails("maxmemory-policy " + *server.eviction_policy
                     + " removes keys when the memory is full, and locks are keys: two would hold one lock"
                     + (evicted == 0 ? "." : "; " + std::to_string(evicted) + " keys were removed since it started."),
                 advice);
}

std::optional<verdict> judge_server_restart(question const& about) {
    auto const& server = about.server;
    std::string const advice = "Set appendonly yes.";
    if (!server.append_only) return unknown(about, "INFO", allow("+info", about));
    if (*server.append_only) return holds("It writes what it does to a file (appendonly yes).");
    if (server.snapshots == "")
        return fails("It keeps nothing on disk: after a restart all locks are free, while their holders work.", advice);
    return fails("It has no append-only file: a restart frees all locks that are younger than its last snapshot"
                     + (server.snapshots ? " (save " + *server.snapshots + ")." : std::string(", if it makes any.")),
                 advice);
}

std::optional<verdict> judge_machine_crash(question const& about) {
    auto const& server = about.server;
    if (server.append_only == false)
        return fails(
            "It has no append-only file.",
            "Set appendonly yes, and also appendfsync always where it would be expensive if two held a lock at once.");
    if (!server.append_only) return unknown(about, "INFO", allow("+info", about));
    if (!server.append_fsync) return unknown(about, "CONFIG GET appendfsync", allow("+config|get", about));
    if (*server.append_fsync == "always")
        return holds("Each write is on its disk before it is answered (appendfsync always).");
    return fails(*server.append_fsync == "everysec"
                     ? "What it wrote within the last second may not be on its disk (appendfsync everysec)."
                     : "What it wrote may not be on its disk for long (appendfsync " + *server.append_fsync + ").",
                 "Set appendfsync always where it would be expensive if two held a lock at once; each lock then costs "
                 "a write to the "
                 "disk.");
}

/// What a server may lack, and what comes of it.
struct spare_command {
    std::string_view name;
    std::string_view instead;
};
constexpr std::array spare_commands{
    spare_command{"restore", "a script takes free locks"},
    spare_command{"client|kill", "after a broken connection a release is repeated until it is certain"},
    spare_command{"client|info", "after a broken connection a release is repeated until it is certain"},
    spare_command{"client|setname", "connections and holders have no names"},
    spare_command{"client|list", "status and list show no labels"},
    spare_command{"pubsub|numsub", "waiters of several processes do not take turns"},
    spare_command{"pubsub|shardnumsub", "waiters of several processes do not take turns"},
    spare_command{"dbsize", "list notices later that a scan does not end"},
    spare_command{"getrange", "list shows no semaphores and latches"},
    spare_command{"info", "HELLO says what it is"},
    spare_command{"ping", "a dead connection is found by the next call"},
    spare_command{"publish", "waiters are not woken, see messages"},
    spare_command{"spublish", "waiters are not woken, see messages"},
    spare_command{"subscribe", "waiters ask again and again, see messages"},
    spare_command{"ssubscribe", "waiters ask again and again, see messages"},
    spare_command{"unsubscribe", "subscriptions stay until the connection ends"},
    spare_command{"sunsubscribe", "subscriptions stay until the connection ends"},
    spare_command{"lrange", "who gives up waiting for a fair lock keeps its place for a while"},
    spare_command{"lrem", "who gives up waiting for a fair lock keeps its place for a while"},
    spare_command{"role", "INFO says which server is the master"},
};

std::optional<verdict> judge_commands(question const& about) {
    std::string needed;
    std::string spare;
    bool const counts_replicas = about.plans.replicas.replicas == replica_policy::all_connected;
    for (auto const& one : about.server.unknown_commands) {
        auto const at = std::find_if(spare_commands.begin(), spare_commands.end(),
                                     [&](spare_command const& known) { return known.name == one; });
        if (at == spare_commands.end() || (one == "role" && counts_replicas))
            needed += (needed.empty() ? "" : ", ") + one;
        else
            spare += (spare.empty() ? "" : "; ") + one + " (" + std::string(at->instead) + ")";
    }
    if (!needed.empty())
        return fails("It does not know " + needed + ".",
                     "See rename-command in its configuration, or whether the service allows these commands.");
    if (!spare.empty()) return holds("It does not know what redlatch can do without: " + spare + ".");
    auto const& lacking = about.server.missing_rights;
    bool const was_asked = about.server.rights_known
                           || (!lacking.empty() && std::find(lacking.begin(), lacking.end(), "+eval") == lacking.end());
    if (!was_asked) return std::nullopt;
    return holds("It knows all of them.");
}

std::optional<verdict> judge_rights(question const& about) {
    auto const& server = about.server;
    if (server.missing_rights.empty() && server.rights_known)
        return holds("The user " + about.plans.user + " has all rights that are needed.");
    std::string words;
    for (auto const& one : server.missing_rights) words += " " + one;
    auto const rest = server.rights_known ? std::string()
                                          : std::string(" There may be others: compare with what redlatch acl prints.");
    bool const other_names = words.find('~') != std::string::npos || words.find('&') != std::string::npos;
    if (!words.empty())
        return fails("The user " + about.plans.user + " lacks" + words + "." + rest,
                     "Run ACL SETUSER " + about.plans.user + words
                         + (other_names ? ", or say with --name-prefix for which names it may do what." : "."));
    auto answer = unknown(about, "EVAL", "Compare with what redlatch acl prints.");
    if (answer.reason.find("EVAL") == std::string::npos)
        answer.reason = "The server cannot say which commands this user may run; Redis can from 7.0 on.";
    return answer;
}

std::optional<verdict> judge_messages(question const& about) {
    auto const& server = about.server;
    std::string why;
    for (auto const& one : server.refused)
        if (one.command.find("SUBSCRIBE ") != std::string::npos || one.command.find("PUBLISH ") != std::string::npos)
            why = " (" + one.command.substr(0, one.command.find(' ')) + ": " + one.reason + ")";
    if (server.messages == true) return holds("A message that was published has arrived.");
    bool const renamed = why.find("unknown command") != std::string::npos;
    std::string const look_there =
        "See rename-command in its configuration, or whether the service allows this command.";
    if (!server.messages && !renamed)
        return verdict{standing::unknown, "No message could be published" + why + ".",
                       "Let the user " + about.plans.user + " publish; see redlatch acl."};
    return fails((server.messages ? "Messages do not arrive" : "No message can be published") + why
                     + ": waiters ask again and again, or wait until a lease ends.",
                 renamed ? look_there
                         : "Let the user " + about.plans.user
                               + " subscribe (see redlatch acl), and use no proxy that takes no SUBSCRIBE.");
}

std::optional<verdict> judge_renewal_in_time(question const& about) {
    auto const& all = about.server.round_trips;
    if (all.empty()) return unknown(about, "TIME", "See that the server answers.");
    auto const slowest = *std::max_element(all.begin(), all.end());
    // A connection that is silent for a sixth of the lease is given up, and the renewal repeated on a new one.
    auto const limit = about.plans.watchdog / 6;
    auto const shown = "The slowest of " + number_of(static_cast<long long>(all.size()), "round trip", "round trips")
                       + " took " + to_precise_text(slowest) + ", and a renewal may take " + to_text(limit)
                       + " with a lease of " + to_text(about.plans.watchdog);
    if (slowest * 10 <= limit) return holds(shown + ".");
    return fails(shown + ": a tenth of that leaves room for slower ones.",
                 "Raise lockWatchdogTimeout, in all programs, or use a server that is nearer.");
}

struct rule {
    std::string_view name;
    std::string_view promise;
    std::optional<verdict> (*judge)(question const&);
};
constexpr std::array rules{
    rule{"version", "The server has what locks are made of", judge_version},
    rule{"takes_locks", "The server takes locks now", judge_takes_locks},
    rule{"kept_when_full", "A full server keeps the locks that are held", judge_kept_when_full},
    rule{"server_restart", "Locks survive a restart of the server", judge_server_restart},
    rule{"machine_crash", "Locks survive a crash of the server's machine", judge_machine_crash},
    rule{"failover", "Locks survive a failover", judge_failover},
    rule{"lone_master", "A master without its replicas gives out no locks", judge_lone_master},
    rule{"replicas_confirm", "Replicas confirm locks, as config::replicas says", judge_replicas_confirm},
    rule{"automatic_failover", "A master that is lost is replaced", judge_automatic_failover},
    rule{"commands", "The server knows the commands that are needed", judge_commands},
    rule{"rights", "The user may do all that is needed", judge_rights},
    rule{"messages", "Those who wait are woken by messages", judge_messages},
    rule{"renewal_in_time", "Locks are renewed in time", judge_renewal_in_time},
};

} // namespace

std::vector<std::string_view> guarantee_names() {
    std::vector<std::string_view> names;
    for (auto const& one : rules) names.push_back(one.name);
    return names;
}

std::vector<guarantee> guarantees_of(server_setup const& setup, server_facts const& server, lock_plans const& plans) {
    std::vector<guarantee> all;
    question const about{setup, server, plans};
    for (auto const& one : rules)
        if (auto said = one.judge(about))
            all.push_back({one.name, one.promise, said->state, std::move(said->reason), std::move(said->advice)});
    return all;
}

} // namespace redlatch::cli
