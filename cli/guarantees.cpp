#include "guarantees.hpp"

#include "durations.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace redlatch::cli {
namespace {

struct question {
    server_setup const& setup;
    server_facts const& server;
    lock_plans const& plans;
};

struct verdict {
    standing state = standing::unknown;
    std::string reason{};
    std::string advice{};
};

verdict holds(std::string reason, std::string advice = {}) {
    return {standing::holds, std::move(reason), std::move(advice)};
}
verdict fails(std::string reason, std::string advice) {
    return {standing::fails, std::move(reason), std::move(advice)};
}

/// For want of what a command would have said.
verdict unknown(question const& about, std::string_view command, std::string advice) {
    std::string reason = "The server does not say it";
    for (auto const& one : about.server.refused)
        if (one.command.starts_with(command)) reason = one.command + " was not answered (" + one.reason + ")";
    return {standing::unknown, reason + '.', std::move(advice)};
}

std::string counted(long long number, std::string const& one, std::string const& many) {
    return std::to_string(number) + " " + (number == 1 ? one : many);
}

std::string allow(std::string const& commands, question const& about) {
    return "Let the user " + about.plans.user + " run it (ACL SETUSER " + about.plans.user + " " + commands
           + "), or look it up where the server is set up.";
}

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

bool has_or_should_have_replicas(question const& about) {
    auto const mode = about.setup.mode;
    return about.server.replicas.value_or(0) > 0 || mode == server_mode::sentinel || mode == server_mode::cluster
           || mode == server_mode::replicated;
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

std::optional<verdict> judge_takes_locks(question const& about) {
    auto const& server = about.server;
    if (server.role == server_facts::role_kind::replica)
        return fails("It is a replica, which takes no locks.", "Give the address of its master.");
    if (server.last_save_worked == false)
        return fails("Its last write to its disk has failed, and it refuses writes until one works.",
                     "See its log and its disk.");
    if (server.memory_limit.value_or(0) > 0 && server.memory_used.value_or(0) >= *server.memory_limit
        && server.eviction_policy == "noeviction")
        return fails("Its memory is full, and it refuses new locks.", "Raise maxmemory, or remove keys.");
    if (server.replicas && server.min_replicas.value_or(0) > *server.replicas)
        return fails("It has " + counted(*server.replicas, "replica", "replicas") + " and min-replicas-to-write is "
                         + std::to_string(*server.min_replicas) + ": it refuses new locks.",
                     "Bring the replicas back, or lower min-replicas-to-write.");
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
        return fails("It has no append-only file.",
                     "Set appendonly yes, and appendfsync always where two at once are expensive.");
    if (!server.append_only) return unknown(about, "INFO", allow("+info", about));
    if (!server.append_fsync) return unknown(about, "CONFIG GET appendfsync", allow("+config|get", about));
    if (*server.append_fsync == "always")
        return holds("Each write is on its disk before it is answered (appendfsync always).");
    return fails(*server.append_fsync == "everysec"
                     ? "What it wrote within the last second may not be on its disk (appendfsync everysec)."
                     : "What it wrote may not be on its disk for long (appendfsync " + *server.append_fsync + ").",
                 "Set appendfsync always where two at once are expensive; it costs a write to the disk for each lock.");
}

std::optional<verdict> judge_failover(question const& about) {
    auto const& server = about.server;
    if (!server.replicas) {
        if (server.role == server_facts::role_kind::replica) return std::nullopt;
        return unknown(about, "INFO", allow("+info", about));
    }
    if (*server.replicas == 0)
        return holds("It has no replica that could take its place: while it is away nobody gets a lock.");
    return fails("Of its " + counted(*server.replicas, "replica", "replicas")
                     + " one may take its place that has not heard of the latest locks: replication is asynchronous.",
                 "Have what a lock protects compare fencing tokens, let replicas confirm locks (run --replicas all, "
                 "config::replicas), or see that no replica takes the place of the master.");
}

std::optional<verdict> judge_lone_master(question const& about) {
    auto const& server = about.server;
    if (!has_or_should_have_replicas(about) || server.role == server_facts::role_kind::replica) return std::nullopt;
    if (!server.min_replicas) return unknown(about, "CONFIG GET min-replicas-to-write", allow("+config|get", about));
    if (*server.min_replicas > 0)
        return holds("min-replicas-to-write is " + std::to_string(*server.min_replicas) + ".");
    return fails("min-replicas-to-write is 0: cut off from its replicas it gives out locks that a failover forgets.",
                 "Set min-replicas-to-write 1 and min-replicas-max-lag 2.");
}

std::optional<verdict> judge_sentinels(question const& about) {
    auto const& said = about.setup.sentinels;
    if (!said || !said->sentinels || !said->quorum) {
        std::string reason = "The Sentinels do not say how many they are.";
        if (said)
            for (auto const& one : said->refused) reason = one.command + " was not answered (" + one.reason + ").";
        return verdict{standing::unknown, reason, "See redlatch acl --sentinels."};
    }
    auto const shown =
        counted(*said->sentinels, "Sentinel", "Sentinels") + " with a quorum of " + std::to_string(*said->quorum);
    if (*said->sentinels < 3)
        return fails("There are " + shown + ": where one is lost with the master, no majority is left.",
                     "Run three Sentinels or more, on machines of their own.");
    if (*said->quorum > *said->sentinels)
        return fails("There are " + shown + ", which they cannot reach.",
                     "Lower the quorum to a majority of the Sentinels.");
    if (about.server.replicas == 0)
        return fails("There are " + shown + ", and no replica.", "Add a replica, on a machine of its own.");
    if (!about.server.replicas) return unknown(about, "INFO", allow("+info", about));
    return holds("There are " + shown + ", and " + counted(*about.server.replicas, "replica", "replicas") + ".");
}

std::optional<verdict> judge_automatic_failover(question const& about) {
    if (about.setup.mode == server_mode::sentinel) return judge_sentinels(about);
    if (about.setup.mode != server_mode::cluster) return std::nullopt;
    if (!about.server.replicas) return unknown(about, "INFO", allow("+info", about));
    if (*about.server.replicas > 0)
        return holds("It has " + counted(*about.server.replicas, "replica", "replicas") + ".");
    return fails("It has no replica: while it is away nobody gets the locks of its slots.",
                 "Add a replica of this master, on a machine of its own.");
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
    if (!server.messages)
        return verdict{standing::unknown, "No message could be published" + why + ".",
                       "Let the user " + about.plans.user + " publish; see redlatch acl."};
    return fails("Messages do not arrive" + why + ": waiters ask again and again, or wait until a lease ends.",
                 "Let the user " + about.plans.user
                     + " subscribe (see redlatch acl), and use no proxy that takes no SUBSCRIBE.");
}

std::optional<verdict> judge_renewal_in_time(question const& about) {
    auto const& all = about.server.round_trips;
    if (all.empty()) return unknown(about, "TIME", "See that the server answers.");
    auto const slowest = *std::max_element(all.begin(), all.end());
    // A connection that is silent for a sixth of the lease is given up, and the renewal repeated on a new one.
    auto const limit = about.plans.watchdog / 6;
    auto const shown = "The slowest of " + counted(static_cast<long long>(all.size()), "round trip", "round trips")
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
    rule{"automatic_failover", "A master that is lost is replaced", judge_automatic_failover},
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
