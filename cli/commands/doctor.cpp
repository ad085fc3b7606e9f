// redlatch doctor: what the servers promise for locks.
#include "acl_flags.hpp"
#include "acl_rule.hpp"
#include "commands/commands.hpp"
#include "config_view.hpp"
#include "doctor_view.hpp"
#include "durations.hpp"
#include "exit_code.hpp"
#include "guarantees.hpp"
#include "nearest.hpp"
#include "options.hpp"
#include "replicas_flag.hpp"
#include "text.hpp"

#include <redlatch/client.hpp>
#include <redlatch/log.hpp>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

constexpr int exit_fails = 1;
constexpr int exit_unknown = 2;

std::string listed_guarantees() {
    std::string text;
    for (auto const& one : guarantee_names()) text.append(text.empty() ? "" : ", ").append(one);
    return text;
}

std::vector<std::string> accepted_in(std::optional<std::string> const& text) {
    std::vector<std::string> accepted;
    auto const known = guarantee_names();
    std::istringstream words(text.value_or(""));
    for (std::string word; std::getline(words, word, ',');) {
        if (std::find(known.begin(), known.end(), word) == known.end()) {
            auto const meant = nearest(word, {known.begin(), known.end()});
            throw usage_error("--accept: there is no guarantee '" + word + "'"
                              + (meant.empty() ? std::string() : "; did you mean " + meant + "?") + "; they are "
                              + listed_guarantees());
        }
        accepted.push_back(word);
    }
    if (text && accepted.empty()) throw usage_error("--accept is empty; the guarantees are " + listed_guarantees());
    return accepted;
}

/// Rights and commands that are for other types.
void leave_out_others(server_setup& setup, acl_flags const& flags, std::string const& name_prefix,
                      bool replicas_confirm) {
    std::vector<std::string> needed;
    for (bool const sharded : {false, true})
        for (auto& word : acl_rule(types_of(flags), name_prefix,
                                   {.mode = setup.mode, .sharded = sharded, .replicas_confirm = replicas_confirm}))
            needed.push_back(std::move(word));
    auto const is_for_others = [&](std::string const& word) {
        return std::find(needed.begin(), needed.end(), word) == needed.end();
    };
    for (auto& server : setup.servers) {
        std::erase_if(server.missing_rights, is_for_others);
        std::erase_if(server.unknown_commands,
                      [&](std::string const& command) { return is_for_others("+" + command); });
    }
}

diagnosis look_at(config const& settings, acl_flags const& flags, duration limit) {
    auto const prefix = flags.name_prefix.value_or("");
    diagnosis found{.commands = settings.commands};
    client asked(settings);
    found.setup = asked.inspect_servers({.name_prefix = prefix, .limit = limit});
    leave_out_others(found.setup, flags, settings.name_prefix + prefix, settings.replicas.replicas != 0);
    auto const user = servers_of(settings).username;
    lock_plans const plans{.watchdog = settings.lock_watchdog_timeout,
                           .user = user.empty() ? "default" : user,
                           .replicas = settings.replicas};
    for (auto const& one : found.setup.servers)
        found.guarantees.push_back(one.problem.empty() ? guarantees_of(found.setup, one, plans)
                                                       : std::vector<guarantee>());
    return found;
}

int status_of(standing verdict) {
    switch (verdict) {
    case standing::holds: return 0;
    case standing::fails: return exit_fails;
    case standing::unknown: break;
    }
    return exit_unknown;
}

} // namespace

int consult_doctor(arguments const& words) {
    common_options options;
    acl_flags flags;
    std::optional<std::string> accept;
    std::optional<duration> limit;
    std::optional<std::string> replicas;
    command_line line("doctor [FLAGS]",
                      "Ask the servers what they promise for locks, and say which guarantees hold, which do not, and "
                      "what to do. Changes nothing on them.");
    declare(line, flags);
    line.text("--accept", "NAMES", "Guarantees that need not hold, with commas between: " + listed_guarantees() + ".",
              accept);
    line.text("--replicas", "N|all|none",
              "Judge the servers as for run --replicas. Default: what the configuration says, else none.", replicas);
    line.time("--limit", "Ask nothing more after this time. Default: 10s.", limit);
    declare(line, options, "One JSON object on stdout.");
    line.example("redlatch doctor --server redis://db1:6379");
    line.example("redlatch doctor --types reentrant --name-prefix jobs: --accept machine_crash,failover");
    line.footer(exit_status_text("  0    all guarantees hold, or are accepted\n  1    one does not hold\n"
                                 "  2    of one it is not known whether it holds\n"));
    line.parse(words);
    check(flags);
    refuse_shorter(limit, 100ms, "--limit", "a server needs 100ms for its answers");
    auto const accepted = accepted_in(accept);
    auto const policy = parse_replicas(replicas, std::nullopt);
    auto settings = choose_server(options);
    if (!options.verbose) set_log_sink({}); // what the log warns of is among what is shown
    settings.replicas = policy.value_or(settings.replicas);
    auto const within = limit.value_or(10s);
    settings.retry_attempts = 0;
    settings.connect_timeout = std::min(settings.connect_timeout, within);
    settings.timeout = std::min(settings.timeout, within);
    settings.close_timeout = std::min<duration>(settings.close_timeout, 100ms);
    auto found = look_at(settings, flags, within);
    found.accepted = accepted;
    print(options.json ? json_of(found) : text_of(found));
    return status_of(found.verdict());
}

} // namespace redlatch::cli
