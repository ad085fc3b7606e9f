#include "locked_command.hpp"

#include "child.hpp"
#include "die_of_signal.hpp"
#include "durations.hpp"
#include "exit_code.hpp"
#include "guard.hpp"
#include "holders.hpp"
#include "permit_wait.hpp"
#include "supervisor.hpp"
#include "terminal.hpp"
#include "text.hpp"
#include "waiting.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

void set_environment(command_hold const& held) {
    auto const left = held.valid_until() - lease_clock::now();
    auto const until = std::chrono::system_clock::now().time_since_epoch() + left;
    auto const until_ms = std::chrono::duration_cast<std::chrono::milliseconds>(until).count();
    held.set_environment();
    ::setenv("REDLATCH_VALID_UNTIL", std::to_string(until_ms).c_str(), 1);
}

void give_back(command_hold& lock, report const& reporter, bool& lost) {
    std::string const name = lock.name();
    std::string const shown = lock.shown();
    std::string const subject = lock.subject();
    auto const fields = lock.fields();
    auto const end = lock.release();
    if (!end.lost && end.problem.empty()) return reporter.note("released", "gave back " + shown, {{"name", name}});
    if (lost) return;
    lost = end.lost;
    if (lost)
        reporter.problem("lost", subject + " was lost while the command ran, and nobody knew until it was given back",
                         fields);
    else
        say_not_given_back(reporter, subject, end.problem, fields);
}

/// Ctrl-C reached the command's group only, because it had the terminal. Without us the shell that started the command, and
/// what else stands in a pipeline with it, would have heard of it as well: they are our own group.
void share_terminal_signal(int number) {
    if (number == SIGINT || number == SIGQUIT) ::kill(0, number);
}

int run_under(client& owner, taken& outcome, locked_command const& options, duration lease,
              inherited_signals const& inherited) {
    command_hold& lock = *outcome.hold;
    auto const shown = lock.shown();
    auto const fields = lock.fields();
    auto const reporter = options.lock.common.reporter();
    auto const latest = options.lock.max_hold ? lease_clock::now() + *options.lock.max_hold : never;
    auto const& policy = options.on_loss;
    set_environment(lock);
    block_all_signals(inherited);
    terminal screen(inherited.interrupt_ignored);
    auto const first = guard_schedule(schedule_for(std::min(lock.valid_until(), latest), policy), policy);
    guard watcher(policy, first, outcome.at_once ? guard::memory::shared : guard::memory::own);
    child command({&options.command, watcher.pipe(), screen.for_command(), inherited.hangup_ignored,
                   policy.action == on_lost::terminate ? SIGTERM : SIGKILL});

    bool lost = false;
    if (command.failure() == 0) {
        try {
            reporter.note("started", "started '" + options.command.front() + "'",
                          {{"pid", std::int64_t{command.pid()}}});
            supervisor supervisor({owner, lock, command, watcher, screen, reporter}, policy,
                                  {latest, !options.lock.lease, std::min<duration>(lease / 10, 20ms)}, inherited);
            lost = supervisor.run();
        } catch (...) { // no descriptors, no memory: nobody can look after the command, so it may not go on
            command.signal(SIGKILL);
            watcher.done();
            watcher.finish();
            command.reap();
            throw;
        }
    }
    // First the guard is told, then the command is reaped: see guard.hpp.
    watcher.done();
    bool const had_terminal = screen.given();
    screen.take_back();
    auto const end = command.wait();
    if (lost || end.signal != 0) screen.restore_modes();
    if (command.failure() == 0)
        reporter.note("ended", "the command ended with status " + std::to_string(end.status),
                      {{"status", std::int64_t{end.status}}});
    give_back(lock, reporter, lost);
    if (watcher.finish() && !lost) {
        lost = true;
        reporter.problem("lost",
                         "the guard ended the command under " + shown
                             + ", because the tool was stopped until it was almost too late",
                         fields);
    }
    command.reap();
    if (command.failure() != 0) {
        int const status = command.failure() == ENOENT ? exit_code::not_found : exit_code::not_executable;
        reporter.problem("error", "cannot run '" + options.command.front() + "': " + std::strerror(command.failure()),
                         {{"status", std::int64_t{status}}});
        return status;
    }
    if (lost) return exit_code::lost;
    if (end.signal == 0) return end.status;
    if (had_terminal && !command.was_sent(end.signal)) share_terminal_signal(end.signal);
    throw ended_by_signal{end.signal};
}

} // namespace

char const* const locked_command_exit_status =
    "Exit status:\n"
    "  the command's own; the signal that ended it ends the tool too,\n"
    "       which a shell shows as 128 + n\n"
    "  64   the command line, the address or the configuration cannot be used\n"
    "  69   no server, or it refused, or the key is not a lock;\n"
    "       or too few replicas had the lock in time\n"
    "  70   internal error\n"
    "  75   the lock is busy, or the wait timed out (see --conflict-exit-code)\n"
    "  79   the lock was lost while the command ran\n"
    "  126  the command cannot be executed    127  it is not there\n"
    "  128 + n  signal n ended the tool while it waited for the lock\n"
    "\n";

locked_command_line::locked_command_line(command_line& line, std::string verb, locked_command& into)
    : line_(line), verb_(std::move(verb)), into_(into) {
    line_.optional_word("NAME", "The name of the lock: any bytes, at most 64 KiB.", name_);
    line_.choice("--on-lost", {"term", "kill", "warn"},
                 "What happens to the command when the lock is lost: TERM a grace before the key can expire and KILL "
                 "then; only KILL; or nothing but a warning. Default: term.",
                 into_.on_loss_action);
    line_.time("--grace",
               "The time between TERM and KILL; below half the lease. Default: 2s, or a quarter of a lease "
               "that is too short for that.",
               into_.grace);
    line_.surplus("the command stands behind --, as in: redlatch " + verb_ + " NAME -- ");
}

void locked_command_line::parse(arguments words) {
    auto& command = into_.command;
    auto const dashes = std::find(words.begin(), words.end(), "--");
    command.assign(dashes == words.end() ? dashes : dashes + 1, words.end());
    words.erase(dashes, words.end());
    line_.parse(words);

    // Only a name that cannot stand before it: with any other, an empty variable would make the command's first word a name.
    if (!name_ && !command.empty() && command.front().starts_with('-')) {
        name_ = command.front();
        command.erase(command.begin());
        if (!command.empty() && command.front() == "--") command.erase(command.begin());
    }
    if (!name_ && !command.empty())
        throw usage_error("the name of the lock is missing before --, as in: redlatch " + verb_ + " NAME -- "
                          + printable(command.front()) + "; a name that begins with a dash stands behind it");
    if (!name_) throw usage_error("the name of the lock is missing, as in: redlatch " + verb_ + " NAME -- COMMAND");
    into_.lock.name = *name_;
    check(into_.lock);
    if (into_.on_loss_action == "kill")
        into_.on_loss.action = on_lost::kill;
    else if (into_.on_loss_action == "warn")
        into_.on_loss.action = on_lost::warn;
}

void locked_command_line::require_command() const {
    if (into_.command.empty())
        throw usage_error("there is no command to run; write it behind --, as in: redlatch " + verb_
                          + " NAME -- COMMAND");
}

int run_locked(locked_command& options) {
    auto const inherited = inherited_signals::look();
    config settings = choose_server(options.lock);
    if (!options.lock.replicas) options.lock.replicas = settings.replicas;
    label_holds(settings, options.command.front());
    auto const lease = options.lock.lease_or(settings);
    options.on_loss.grace = choose_grace(options.grace, std::min(lease, options.lock.max_hold.value_or(lease)));
    options.on_loss.reserve = choose_reserve(lease);

    exit_on_signals(inherited);
    auto const begin = lease_clock::now();
    private_server server(settings);
    client owner(settings);
    bool const near = lease_clock::now() - begin < 10ms;
    watch_events(owner, server, options.lock.common.reporter());
    prepare_permits(owner, options.lock);
    block_ending_signals(inherited);
    taken outcome = take_lock(owner, server, options.lock, inherited, near);
    if (outcome.signal != 0) throw ended_by_signal{outcome.signal};
    if (!outcome.hold) return options.lock.conflict_exit_code;
    return run_under(owner, outcome, options, lease, inherited);
}

} // namespace redlatch::cli
