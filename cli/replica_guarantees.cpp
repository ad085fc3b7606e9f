// The rules about replicas: what a failover costs, who decides on it, and whether replicas confirm locks as config::replicas
// says.
#include "guarantee_rules.hpp"

#include <algorithm>

namespace redlatch::cli {
namespace {

constexpr int fewest_electing_masters = 3;

bool has_or_should_have_replicas(question const& about) {
    auto const mode = about.setup.mode;
    return about.server.replicas.value_or(0) > 0 || mode == server_mode::sentinel || mode == server_mode::cluster
           || mode == server_mode::replicated;
}

/// So many replicas have a lock before it is given; of `connected` ones. None: no number is sure.
std::optional<int> confirming(question const& about, int connected) {
    auto const& policy = about.plans.replicas;
    if (policy.replicas == 0 || about.server.wait_command != true || policy.shortage == replica_shortage::accept
        || (policy.replicas == replica_policy::all_connected && about.server.role_command != true))
        return std::nullopt;
    if (policy.required > 0) return policy.required;
    return policy.replicas == replica_policy::all_connected ? connected : policy.replicas;
}

/// What too few replicas do to whoever wants a lock.
std::string_view consequence(replica_shortage shortage) {
    switch (shortage) {
    case replica_shortage::fail: return "every acquisition fails";
    case replica_shortage::give_back: return "no lock can be acquired";
    case replica_shortage::accept: break;
    }
    return "locks are given all the same";
}

/// The command without which replicas cannot be asked; empty: none is missing.
std::string_view missing_command(question const& about) {
    bool const counts_connected_ones = about.plans.replicas.replicas == replica_policy::all_connected;
    if (about.server.wait_command == false) return "WAIT";
    return counts_connected_ones && about.server.role_command == false ? "ROLE" : "";
}

/// For want of what a Sentinel would have said.
verdict of_sentinels_unknown(std::optional<sentinel_facts> const& said, std::string_view command,
                             std::string_view number) {
    std::string reason = "The Sentinels do not say how many " + std::string(number) + ".";
    if (said)
        for (auto const& one : said->refused)
            if (one.command.starts_with(command)) reason = one.command + " was not answered (" + one.reason + ").";
    return {standing::unknown, reason, "See redlatch acl --sentinels."};
}

std::optional<verdict> judge_sentinels(question const& about) {
    auto const& said = about.setup.sentinels;
    if (!said || !said->sentinels || !said->quorum) return of_sentinels_unknown(said, "SENTINEL MASTER", "they are");
    auto const there = std::string(*said->sentinels == 1 ? "There is " : "There are ")
                       + number_of(*said->sentinels, "Sentinel", "Sentinels") + " with a quorum of "
                       + std::to_string(*said->quorum);
    if (*said->sentinels < 3)
        return fails(there + ": where one is lost with the master, no majority is left.",
                     "Run three Sentinels or more, on machines of their own.");
    if (*said->quorum > *said->sentinels)
        return fails(there + ", which they cannot reach.", "Lower the quorum to a majority of the Sentinels.");
    // Those that are away count in the majority, and have no vote.
    auto const needed = std::max(*said->quorum, *said->sentinels / 2 + 1);
    bool const some_away = said->reachable && *said->reachable < *said->sentinels;
    auto const in_reach = some_away ? ", of which " + std::to_string(*said->reachable) + " can be reached" : "";
    std::string const bring_back =
        "Start the Sentinels that are away (SENTINEL SENTINELS names them), or have those that "
        "are left forget them (SENTINEL RESET).";
    if (said->reachable && *said->reachable < needed)
        return fails(there + in_reach + ": a failover takes " + std::to_string(needed) + ".", bring_back);
    if (about.server.replicas == 0)
        return fails(there + ", and no replica.", "Add a replica, on a machine of its own.");
    if (!about.server.replicas) return unknown(about, "INFO", allow("+info", about));
    if (!said->reachable) return of_sentinels_unknown(said, "SENTINEL SENTINELS", "of them can be reached");
    if (!said->promotable) return of_sentinels_unknown(said, "SENTINEL REPLICAS", "replicas they may promote");
    if (*said->promotable == 0)
        return fails(
            there + in_reach + ", and no replica that they may promote.",
            "Set replica-priority of a replica to 100, where it is 0, and see that the Sentinels reach it (SENTINEL "
            "REPLICAS).");
    return holds(there + in_reach + ", and " + number_of(*about.server.replicas, "replica", "replicas") + ".",
                 some_away ? bring_back : "");
}

} // namespace

std::optional<verdict> judge_failover(question const& about) {
    auto const& server = about.server;
    if (!server.replicas) {
        if (server.role == server_facts::role_kind::replica) return std::nullopt;
        return unknown(about, "INFO", allow("+info", about));
    }
    if (*server.replicas == 0)
        return holds("It has no replica that could take its place: while it is away nobody gets a lock.");
    auto const replicas = number_of(*server.replicas, "replica", "replicas");
    auto const confirm = confirming(about, *server.replicas);
    if (!confirm || *confirm == 0)
        return fails(
            "Of its " + replicas
                + " one may take its place that has not heard of the latest locks: replication is asynchronous.",
            "Have what a lock protects compare fencing tokens, let replicas confirm locks (run --replicas all, "
            "config::replicas), or see that no replica takes the place of the master.");
    auto const all = std::to_string(*server.replicas);
    if (*confirm < *server.replicas)
        return fails("Only " + std::to_string(*confirm) + " of its " + replicas
                         + " must have a lock before it is given; one that has not may take its place.",
                     "Let " + all + " confirm locks (config::replicas).");
    // Those that are connected confirm; one that was away then is not waited for.
    bool const counts_connected_ones = about.plans.replicas.replicas == replica_policy::all_connected;
    if (counts_connected_ones && server.min_replicas.value_or(0) < *server.replicas)
        return fails(
            "Its " + replicas + (*server.replicas == 1 ? " has" : " have")
                + " a lock before it is given, but one that was not connected at that time may take its place.",
            "Set min-replicas-to-write " + all + ", or wait for " + replicas + " (config::replicas).");
    return holds("A lock is given when its " + replicas + (*server.replicas == 1 ? " has it." : " have it."));
}

std::optional<verdict> judge_lone_master(question const& about) {
    auto const& server = about.server;
    if (!has_or_should_have_replicas(about) || server.role == server_facts::role_kind::replica) return std::nullopt;
    if (!server.min_replicas) return unknown(about, "CONFIG GET min-replicas-to-write", allow("+config|get", about));
    if (*server.min_replicas > 0)
        return holds("min-replicas-to-write is " + std::to_string(*server.min_replicas) + ".");
    if (server.replicas == 0)
        return fails(
            "min-replicas-to-write is 0, and it has no replica now.",
            "When it has one, set min-replicas-to-write 1 and min-replicas-max-lag 2; before, no lock could be "
            "acquired with that.");
    return fails("min-replicas-to-write is 0: cut off from its replicas it gives out locks that a failover forgets.",
                 "Set min-replicas-to-write 1 and min-replicas-max-lag 2.");
}

std::optional<verdict> judge_automatic_failover(question const& about) {
    if (about.setup.mode == server_mode::sentinel) return judge_sentinels(about);
    if (about.setup.mode != server_mode::cluster) return std::nullopt;
    // A replica is elected by a majority of all masters with slots, those that are lost included.
    auto const masters = static_cast<int>(about.setup.servers.size());
    if (masters < fewest_electing_masters)
        return fails(
            "The cluster has " + number_of(masters, "master", "masters")
                + " with slots: of fewer than three, those that are left when one is lost are no majority, and "
                  "elect no replica in its place.",
            "Spread the slots over three masters or more, on machines of their own, each with a replica.");
    if (!about.server.replicas) return unknown(about, "INFO", allow("+info", about));
    if (*about.server.replicas > 0)
        return holds("It has " + number_of(*about.server.replicas, "replica", "replicas") + ".");
    return fails("It has no replica: while it is away nobody gets the locks of its slots.",
                 "Add a replica of this master, on a machine of its own.");
}

std::optional<verdict> judge_replicas_confirm(question const& about) {
    auto const& server = about.server;
    auto const& policy = about.plans.replicas;
    if (policy.replicas == 0 || server.role == server_facts::role_kind::replica) return std::nullopt;
    std::string const then(consequence(policy.shortage));
    if (auto const command = missing_command(about); !command.empty()) {
        bool const is_given = !policy.needs_wait || policy.shortage == replica_shortage::accept;
        return fails(std::string(command) + " cannot be used, so "
                         + (is_given ? "locks are given all the same" : "every acquisition is refused") + ".",
                     allow(command == "WAIT" ? "+wait" : "+role", about));
    }
    if (!server.wait_command) return unknown(about, "WAIT", allow("+wait", about));
    if (!server.role_command && policy.replicas == replica_policy::all_connected)
        return unknown(about, "ROLE", allow("+role", about));
    if (!server.replicas) return unknown(about, "INFO", allow("+info", about));
    auto const has = "It has " + number_of(*server.replicas, "replica", "replicas");
    bool const all = policy.replicas == replica_policy::all_connected;
    if (all && *server.replicas == 0)
        return fails(has + ", and all that are connected are waited for: nothing confirms its locks.",
                     "Add a replica, on a machine of its own.");
    auto const wanted = policy.required > 0 ? policy.required : all ? *server.replicas : policy.replicas;
    if (wanted > *server.replicas)
        return fails(has + " where " + std::to_string(wanted) + (wanted == 1 ? " has" : " have")
                         + " to confirm a lock: " + then + ".",
                     "Bring the replicas back, add some, or ask for fewer (config::replicas).");
    return holds(has + ", of which " + std::to_string(wanted) + (wanted == 1 ? " confirms" : " confirm")
                 + " each lock (WAIT).");
}

} // namespace redlatch::cli
