#include "doctor_view.hpp"

#include "durations.hpp"
#include "labelled_lines.hpp"
#include "text.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace redlatch::cli {
namespace {

using ordered = nlohmann::ordered_json; // members in the documented order

std::string_view name_of(standing state) {
    switch (state) {
    case standing::holds: return "holds";
    case standing::fails: return "fails";
    case standing::unknown: break;
    }
    return "unknown";
}

std::string_view name_of(server_facts::role_kind role) {
    switch (role) {
    case server_facts::role_kind::master: return "master";
    case server_facts::role_kind::replica: return "replica";
    case server_facts::role_kind::unknown: break;
    }
    return "";
}

std::string_view name_of(server_mode mode) {
    switch (mode) {
    case server_mode::sentinel: return "sentinel";
    case server_mode::cluster: return "cluster";
    case server_mode::master_slave: return "master_slave";
    case server_mode::replicated: return "replicated";
    case server_mode::single: break;
    }
    return "single";
}

// --- as text

std::string in_megabytes(std::uint64_t bytes) {
    char text[64];
    std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
    return text;
}

std::string const not_known = "not known";

template <class Value> std::string number_or_not_known(std::optional<Value> const& value) {
    return value ? std::to_string(*value) : not_known;
}

std::string memory_of(server_facts const& server) {
    auto const used = server.memory_used ? in_megabytes(*server.memory_used) + " used" : "used: " + not_known;
    auto const limit = !server.memory_limit        ? "limit: " + not_known
                       : *server.memory_limit == 0 ? "no limit"
                                                   : "of " + in_megabytes(*server.memory_limit);
    return used + ", " + limit + ", maxmemory-policy " + server.eviction_policy.value_or(not_known);
}

std::string persistence_of(server_facts const& server) {
    auto const file = !server.append_only   ? "append-only file: " + not_known
                      : *server.append_only ? "append-only file, appendfsync " + server.append_fsync.value_or(not_known)
                                            : "no append-only file";
    auto const snapshots = !server.snapshots           ? "snapshots: " + not_known
                           : server.snapshots->empty() ? "no snapshots"
                                                       : "snapshots (save " + *server.snapshots + ")";
    return file + ", " + snapshots;
}

std::string round_trips_of(server_facts const& server) {
    auto const& all = server.round_trips;
    if (all.empty()) return not_known;
    auto sorted = all;
    std::sort(sorted.begin(), sorted.end());
    return to_precise_text(sorted.front()) + " to " + to_precise_text(sorted.back()) + ", half of them at most "
           + to_precise_text(sorted[sorted.size() / 2]) + " (" + std::to_string(sorted.size()) + " in all)";
}

std::string clock_of(server_facts const& server) {
    if (!server.clock_ahead) return not_known;
    auto const ahead = *server.clock_ahead;
    return to_precise_text(std::chrono::abs(ahead)) + (ahead.count() < 0 ? " behind" : " ahead of")
           + " this machine's, which no guarantee depends on";
}

std::string commands_of(server_facts const& server, command_set configured) {
    if (configured == command_set::scripts) return "scripts only, as configured";
    auto const contains = [](std::vector<std::string> const& all, std::string const& word) {
        return std::find(all.begin(), all.end(), word) != all.end();
    };
    for (std::string const command : {"restore", "hdel"}) {
        std::string const before = "scripts, which cost the server more than plain commands: ";
        if (contains(server.unknown_commands, command)) return before + "the server does not know " + command;
        if (contains(server.missing_rights, "+" + command)) return before + "this user lacks +" + command;
    }
    return server.rights_known ? "plain ones for free locks"
                               : "plain ones for free locks, where this user may run them";
}

std::string messages_of(server_facts const& server) {
    if (!server.messages) return not_known;
    if (!*server.messages) return "do not arrive";
    return "arrive" + (server.message_time ? " after " + to_precise_text(*server.message_time) : std::string());
}

/// Commands that were refused for one reason stand together.
void add_refused(labelled_lines& lines, std::vector<refused_question> all) {
    for (auto one = all.begin(); one != all.end(); ++one) {
        auto const others = std::stable_partition(
            one + 1, all.end(), [&](refused_question const& another) { return another.reason == one->reason; });
        for (auto same = one + 1; same != others; ++same) one->command += ", " + same->command;
        all.erase(one + 1, others);
        lines.add("not answered", one->command + ": " + one->reason);
    }
}

std::string facts_of(server_facts const& server, command_set configured) {
    labelled_lines lines(2);
    auto const software = server.version.empty() ? not_known : server.software + " " + server.version;
    auto const role = name_of(server.role);
    lines.add("server", software + (role.empty() ? "" : ", " + std::string(role)));
    lines.add("memory", memory_of(server));
    lines.add("persistence", persistence_of(server));
    lines.add("replicas", number_or_not_known(server.replicas) + ", min-replicas-to-write "
                              + number_or_not_known(server.min_replicas));
    lines.add("WAIT", !server.wait_command ? not_known : *server.wait_command ? "can be used" : "cannot be used");
    lines.add("commands", commands_of(server, configured));
    lines.add("messages", messages_of(server));
    lines.add("round trip", round_trips_of(server));
    lines.add("clock", clock_of(server));
    add_refused(lines, server.refused);
    return lines.text();
}

std::string guarantees_text(std::vector<guarantee> const& all, diagnosis const& found) {
    std::string text;
    for (auto const& one : all) {
        bool const accepted = one.state != standing::holds && found.is_accepted(one);
        std::string const state = one.state == standing::holds   ? "holds"
                                  : one.state == standing::fails ? "does not hold"
                                                                 : "not known";
        labelled_lines lines(2);
        lines.add(one.name, state + (accepted ? " (accepted): " : ": ") + one.reason);
        text += lines.text();
        if (!one.advice.empty()) text += std::string(21, ' ') + printable_message(one.advice) + '\n';
    }
    return text;
}

std::string sentinels_text(sentinel_facts const& said) {
    labelled_lines lines(2);
    auto const in_reach = said.reachable && said.reachable != said.sentinels
                              ? ", of which " + std::to_string(*said.reachable) + " can be reached"
                              : std::string();
    lines.add("Sentinels",
              number_or_not_known(said.sentinels) + in_reach + ", quorum " + number_or_not_known(said.quorum));
    add_refused(lines, said.refused);
    return lines.text();
}

std::string last_line(diagnosis const& found) {
    switch (found.verdict()) {
    case standing::holds:
        return "All guarantees hold" + std::string(found.accepted.empty() ? "" : ", or are accepted") + ".\n";
    case standing::fails: return "A guarantee does not hold.\n";
    case standing::unknown: break;
    }
    return "Whether one of the guarantees holds is not known.\n";
}

// --- as JSON

template <class Value> ordered or_null(std::optional<Value> const& value) {
    return value ? ordered(*value) : ordered(nullptr);
}

ordered or_null(std::string_view text) {
    return text.empty() ? ordered(nullptr) : ordered(text);
}

ordered json_of(std::vector<refused_question> const& all) {
    auto list = ordered::array();
    for (auto const& one : all) list.push_back(ordered{{"command", one.command}, {"reason", one.reason}});
    return list;
}

ordered json_of(server_facts const& server) {
    ordered object;
    object["server"] = server.address;
    object["problem"] = or_null(server.problem);
    object["software"] = or_null(server.software);
    object["version"] = or_null(server.version);
    object["role"] = or_null(name_of(server.role));
    object["eviction_policy"] = or_null(server.eviction_policy);
    object["memory_limit"] = or_null(server.memory_limit);
    object["memory_used"] = or_null(server.memory_used);
    object["evicted_keys"] = or_null(server.evicted_keys);
    object["append_only"] = or_null(server.append_only);
    object["append_fsync"] = or_null(server.append_fsync);
    object["snapshots"] = or_null(server.snapshots);
    object["last_save_worked"] = or_null(server.last_save_worked);
    object["replicas"] = or_null(server.replicas);
    object["min_replicas"] = or_null(server.min_replicas);
    object["wait_command"] = or_null(server.wait_command);
    object["role_command"] = or_null(server.role_command);
    object["messages"] = or_null(server.messages);
    object["message_us"] = server.message_time ? ordered(server.message_time->count()) : ordered(nullptr);
    object["missing_rights"] = server.missing_rights;
    object["unknown_commands"] = server.unknown_commands;
    object["rights_known"] = server.rights_known;
    object["round_trips_us"] = ordered::array();
    for (auto const& one : server.round_trips) object["round_trips_us"].push_back(one.count());
    object["clock_ahead_us"] = server.clock_ahead ? ordered(server.clock_ahead->count()) : ordered(nullptr);
    object["refused"] = json_of(server.refused);
    return object;
}

ordered json_of(guarantee const& one, bool accepted) {
    ordered object;
    object["name"] = one.name;
    object["promise"] = one.promise;
    object["state"] = name_of(one.state);
    object["accepted"] = accepted;
    object["reason"] = one.reason;
    object["advice"] = or_null(one.advice);
    return object;
}

ordered json_of(sentinel_facts const& said) {
    ordered object;
    object["sentinels"] = or_null(said.sentinels);
    object["reachable"] = or_null(said.reachable);
    object["quorum"] = or_null(said.quorum);
    object["promotable"] = or_null(said.promotable);
    object["refused"] = json_of(said.refused);
    return object;
}

} // namespace

bool diagnosis::is_accepted(guarantee const& one) const noexcept {
    return std::find(accepted.begin(), accepted.end(), one.name) != accepted.end();
}

standing diagnosis::verdict() const noexcept {
    auto worst = standing::holds;
    for (auto const& one : setup.servers)
        if (!one.problem.empty()) return standing::fails;
    for (auto const& of_server : guarantees)
        for (auto const& one : of_server) {
            if (one.state == standing::holds || is_accepted(one)) continue;
            if (one.state == standing::fails) return standing::fails;
            worst = standing::unknown;
        }
    return worst;
}

std::string text_of(diagnosis const& found) {
    std::string text;
    for (std::size_t at = 0; at < found.setup.servers.size(); ++at) {
        auto const& server = found.setup.servers[at];
        text += printable(server.address) + '\n';
        if (!server.problem.empty()) {
            text += "  " + printable_message(server.problem) + "\n\n";
            continue;
        }
        text += facts_of(server, found.commands);
        if (found.setup.sentinels) text += sentinels_text(*found.setup.sentinels);
        text += '\n' + guarantees_text(found.guarantees[at], found) + '\n';
    }
    return text + last_line(found);
}

std::string json_of(diagnosis const& found) {
    ordered object;
    object["mode"] = name_of(found.setup.mode);
    object["verdict"] = name_of(found.verdict());
    object["sentinels"] = found.setup.sentinels ? json_of(*found.setup.sentinels) : ordered(nullptr);
    object["servers"] = ordered::array();
    for (std::size_t at = 0; at < found.setup.servers.size(); ++at) {
        auto server = json_of(found.setup.servers[at]);
        server["guarantees"] = ordered::array();
        for (auto const& one : found.guarantees[at])
            server["guarantees"].push_back(json_of(one, found.is_accepted(one)));
        object["servers"].push_back(std::move(server));
    }
    return printable_json(object.dump(-1, ' ', false, ordered::error_handler_t::replace)) + '\n';
}

} // namespace redlatch::cli
