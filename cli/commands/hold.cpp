// redlatch hold NAME: the lock is held until a signal comes or the script that reads stdout is gone.
#include "commands/commands.hpp"
#include "die_of_signal.hpp"
#include "exit_code.hpp"
#include "options.hpp"
#include "permit_wait.hpp"
#include "text.hpp"
#include "waiting.hpp"

#include <poll.h>
#include <stop_token>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

char const* const help_footer = "Exit status:\n"
                                "  0    a signal (INT, TERM, HUP, QUIT, USR1, USR2) came while the lock was held,\n"
                                "       or nobody reads the pipe on stdout any more; it was given back\n"
                                "  64   the command line, the address or the configuration cannot be used\n"
                                "  69   no server, or it refused, or the key is not a lock;\n"
                                "       or too few replicas had the lock in time;\n"
                                "       or the lock could not be given back, and may be held until its lease ends\n"
                                "  70   internal error\n"
                                "  74   stdout cannot be written to; the lock was given back\n"
                                "  75   the lock is busy, or the wait timed out (see --conflict-exit-code)\n"
                                "  79   the lock was lost while it was held\n"
                                "  128 + n  signal n ended the tool while it waited for the lock\n";

/// stdout, if it is a pipe, else -1: a terminal that hangs up sends a signal, and a service manager's socket may be made anew.
int pipe_on_stdout() noexcept {
    struct stat status {};
    return ::fstat(STDOUT_FILENO, &status) == 0 && S_ISFIFO(status.st_mode) ? STDOUT_FILENO : -1;
}

/// True: a signal came, or whoever read that the lock is held has gone. False: the lock was lost.
bool wait_for_end(command_hold const& lock, inherited_signals const& inherited) {
    signal_queue const signals(signal_queue::scope::ending, inherited);
    timer_descriptor const timer; // after a stop, or without a thread that notices: validity ends by the clock alone
    wake_descriptor const lost;
    std::stop_callback const wake(lock.lost(), [&lost] { lost.raise(); });
    int const reader = pipe_on_stdout();
    while (lock.status() != hold_status::lost) {
        timer.fire_at(lock.valid_until());
        pollfd entries[] = {
            {signals.get(), POLLIN, 0}, {timer.get(), POLLIN, 0}, {lost.get(), POLLIN, 0}, {reader, 0, 0}};
        if (::poll(entries, 4, -1) < 0) continue;
        if (entries[1].revents != 0) timer.clear();
        if (entries[2].revents != 0) lost.clear();
        if (lock.status() != hold_status::lost && ((entries[3].revents & POLLERR) != 0 || signals.next())) return true;
    }
    return false;
}

} // namespace

int hold_lock(arguments const& words) {
    lock_options options;
    command_line line("hold NAME [FLAGS]",
                      "Take the lock, write `held` to stdout, hold the lock until a signal comes, or\n"
                      "until nobody reads the pipe on stdout any more.");
    line.word("NAME", "The name of the lock: any bytes, at most 64 KiB.", options.name);
    declare(line, options);
    line.example("redlatch hold maintenance");
    line.example("redlatch hold maintenance --wait 30s --max-hold 2h");
    line.example("redlatch hold reports --permits 1/3");
    line.footer(help_footer);
    line.parse(words);
    check(options);

    auto const inherited = inherited_signals::look();
    auto const reporter = options.common.reporter();
    config const settings = choose_server(options);
    if (!options.replicas) options.replicas = settings.replicas;
    exit_on_signals(inherited);
    private_server server(settings);
    client owner(settings);
    watch_events(owner, server, reporter);
    prepare_permits(owner, options);
    block_ending_signals(inherited);
    taken outcome = take_lock(owner, server, options, inherited, false);
    if (outcome.signal != 0) throw ended_by_signal{outcome.signal};
    if (!outcome.hold) return options.conflict_exit_code;

    owner.start();
    try {
        auto const token = outcome.hold->token();
        print(token ? "held " + std::to_string(*token) + "\n" : "held\n");
    } catch (output_error const& problem) {
        throw output_error(std::string(problem.what()) + "; " + outcome.hold->subject() + " is given back");
    }
    std::string const name = outcome.hold->name();
    std::string const subject = outcome.hold->subject();
    std::string const shown = outcome.hold->shown();
    auto const fields = outcome.hold->fields();
    auto const end = wait_for_end(*outcome.hold, inherited) ? outcome.hold->release() : release_end{.lost = true};
    if (end.lost) {
        reporter.problem("lost", subject + " was lost while it was held", fields);
        return exit_code::lost;
    }
    if (!end.problem.empty()) {
        say_not_given_back(reporter, subject, end.problem, fields);
        return exit_code::unavailable;
    }
    reporter.note("released", "gave back " + shown, {{"name", name}});
    return 0;
}

} // namespace redlatch::cli
