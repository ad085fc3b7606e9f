// redlatch elect NAME -- COMMAND: the command runs while this candidate leads. redlatch elect NAME --who: who leads.
#include "commands/commands.hpp"
#include "durations.hpp"
#include "exit_code.hpp"
#include "json_line.hpp"
#include "lock_check.hpp"
#include "locked_command.hpp"
#include "text.hpp"

#include <redlatch/client.hpp>

#include <optional>
#include <string>

namespace redlatch::cli {
namespace {

constexpr std::size_t longest_candidate_shown = 256;

std::string text_of_leader(std::string const& name, std::optional<leader_info> const& leads) {
    std::string const election = "'" + shortened(name, longest_candidate_shown) + "'";
    if (!leads) return "nobody leads " + election + "\n";
    auto const id = shortened(leads->owner_id, longest_candidate_shown);
    auto text = leads->candidate.empty() ? id : shortened(leads->candidate, longest_candidate_shown) + " (" + id + ")";
    if (leads->resigned) {
        text = "nobody leads " + election + ": " + text + " has resigned, and the rest is its minimum hold";
        return leads->remaining_lease ? text + ", " + to_rounded_text(*leads->remaining_lease) + " still\n"
                                      : text + "\n";
    }
    text += " leads " + election;
    if (leads->token) text += ", token " + std::to_string(*leads->token);
    if (!leads->remaining_lease) return text + ", without expiry\n";
    return text + ", for " + to_rounded_text(*leads->remaining_lease) + " still, unless renewed\n";
}

int show_leader(locked_command const& options) {
    auto const& lock = options.lock;
    bool const takes = lock.wait || lock.no_wait || lock.lease || lock.watchdog || lock.max_hold || lock.min_hold
                       || lock.lock_delay || lock.replicas_text || lock.replicas_timeout || lock.candidate
                       || options.grace || lock.conflict_exit_code != lock_options().conflict_exit_code
                       || options.on_loss_action != locked_command().on_loss_action;
    if (!options.command.empty() || takes)
        throw usage_error(
            "--who only asks: give it without a command, and with no other flags than those of all commands that speak "
            "to a server (redlatch --help)");
    client asker(choose_server(lock.common));
    inspect_lock(asker, lock.name); // any hash may have the name
    auto const leads = asker.get_leader_election(lock.name).leader();
    print(lock.common.json ? json_of_leader(lock.name, leads) : text_of_leader(lock.name, leads));
    return leads && !leads->resigned ? 0 : 1;
}

} // namespace

int elect(arguments const& words) {
    locked_command options;
    bool asks = false;
    command_line line("elect NAME [FLAGS] -- COMMAND [ARGUMENTS]",
                      "Wait until this candidate leads, run the command, renew the leadership while it runs, resign.");
    options.lock.election = true;
    declare_times(line, options.lock);
    line.text("--candidate", "TEXT",
              "The name that others see while this candidate leads: 1 to 256 bytes, no control characters. Default: "
              "host, process and program.",
              options.lock.candidate);
    line.flag("--who", "Run nothing: say who leads. Exit status 0: somebody, 1: nobody.", asks);
    declare(line, options.lock.common, "Events as JSON lines on stderr; with --who one JSON object on stdout.");
    locked_command_line whole(line, "elect", options);
    line.example("redlatch elect reports --candidate $(hostname) -- ./report-daemon");
    line.example("redlatch elect nightly --no-wait --conflict-exit-code 0 -- ./nightly.sh");
    line.example("redlatch elect nightly --no-wait --min-hold 10m -- ./nightly.sh  # cron, on all machines");
    line.example("redlatch elect reports --who --json");
    line.footer(std::string(locked_command_exit_status)
                + "One campaign: after a loss the status is 79; whoever is to stand again starts it again,\n"
                  "as systemd does with Restart=always. Durations: 500ms, 30s, 5m, 1h, 1m30s. The command\n"
                  "finds REDLATCH_TOKEN, which grows with each term, REDLATCH_LOCK, REDLATCH_OWNER and\n"
                  "REDLATCH_VALID_UNTIL (ms since the epoch) in its environment.\n");
    whole.parse(words);
    if (asks) return show_leader(options);
    whole.require_command();
    return run_locked(options);
}

} // namespace redlatch::cli
