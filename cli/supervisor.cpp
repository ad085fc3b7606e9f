#include "supervisor.hpp"

#include "durations.hpp"
#include "process_group.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <poll.h>
#include <stop_token>
#include <string>
#include <sys/wait.h>

namespace redlatch::cli {

supervisor::supervisor(supervised parts, loss_policy const& policy, holding const& holding,
                       inherited_signals const& inherited)
    : parts_(parts), policy_(policy), latest_end_(holding.latest_end), valid_until_(parts.held.valid_until()),
      renewed_(holding.renewed), start_at_(lease_clock::now() + holding.start_after),
      signals_(signal_queue::scope::all, inherited) {}

bool supervisor::run() {
    std::stop_callback const wake(parts_.held.lost(), [this] { lost_.raise(); });
    child_changed(); // it may have ended before
    while (!finished()) {
        look();
        if (finished()) break; // it has killed what was waited for, or could not: of neither there would be news
        pollfd entries[] = {{signals_.get(), POLLIN, 0}, {timer_.get(), POLLIN, 0}, {lost_.get(), POLLIN, 0}};
        if (::poll(entries, 3, -1) < 0) continue;
        if (entries[1].revents != 0) timer_.clear();
        if (entries[2].revents != 0) lost_.clear();
        if (entries[0].revents != 0) receive_signals();
    }
    if (state_ != state::running) return true;
    if (!is_lost()) return false;
    // It ended, by itself or by its guard, before we could look: we were stopped.
    tell_of_loss(std::string(why_it_ends(lease_clock::now())) + "; the command had ended when the tool could look");
    return true;
}

void supervisor::receive_signals() {
    while (auto const number = signals_.next()) {
        if (*number == SIGCHLD)
            child_changed();
        else if (*number == SIGCONT)
            continue_command();
        else
            pass_on(*number);
    }
}

void supervisor::child_changed() {
    if (parts_.guard.has_died()) replace_guard();
    reap_adopted();
    if (auto const stop = parts_.command.take_stop()) stop_with_command(*stop);
    ended_ = ended_ || parts_.command.has_ended();
}

void supervisor::replace_guard() {
    constexpr int most = 5;
    auto const now = lease_clock::now();
    short_guards_ = now - guard_since_ < std::chrono::seconds(1) ? short_guards_ + 1 : 1;
    guard_since_ = now;
    std::string why = "is killed again and again";
    if (short_guards_ <= most) {
        try {
            parts_.guard.replace(parts_.command.pid());
            return parts_.reporter.problem("warning", "the guard process was killed; another one has taken its place");
        } catch (std::exception const& problem) {
            why = std::string("was killed, and there can be no other: ") + problem.what();
        }
    }
    parts_.reporter.problem("warning", "the guard process " + why
                                           + "; if the tool is killed or stopped now, nobody ends the command in time");
}

void supervisor::pass_on(int signal) {
    if (parts_.command.signal(signal) != EPERM) return;
    parts_.reporter.problem(
        "warning", std::string("the signal ") + ::strsignal(signal)
                       + " could not be passed on to the command, which runs as another user; run redlatch itself "
                         "as that user, as in: sudo redlatch run");
}

/// Orphans come to us when we are process 1 of a container, or have adopted them. Nobody else would reap them.
void supervisor::reap_adopted() const noexcept {
    for (;;) {
        siginfo_t info{};
        if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
        if (info.si_pid == parts_.command.pid() || info.si_pid == parts_.guard.pid()) return;
        ::waitpid(info.si_pid, nullptr, 0);
    }
}

namespace {

/// What the terminal would have done to our group if the command had been of it: a script that runs us stops too, or the shell
/// that it was started from would wait for it for ever. Whoever continues the group before our turn has come continues us.
void stop_with_own_group() noexcept {
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    ::sigaction(SIGTSTP, &usual, nullptr);
    ::kill(0, SIGTSTP); // for us it is blocked: it becomes pending
    sigset_t stop;
    ::sigemptyset(&stop);
    ::sigaddset(&stop, SIGTSTP);
    ::sigprocmask(SIG_UNBLOCK, &stop, nullptr);
    ::sigprocmask(SIG_BLOCK, &stop, nullptr);
}

} // namespace

/// Job control: a shell that waits for us must see that its job has stopped. Whoever stops the command alone, with SIGSTOP and
/// away from a terminal, does not mean us: then the lock stays renewed.
void supervisor::stop_with_command(int signal) {
    if (state_ == state::ending || state_ == state::killed) return;
    bool const wants_terminal = signal == SIGTTIN || signal == SIGTTOU;
    if (wants_terminal && parts_.terminal.give_to(parts_.command.pid())) {
        parts_.command.signal(SIGCONT);
        return;
    }
    bool const had_terminal = parts_.terminal.given();
    if (signal == SIGSTOP && !had_terminal) return;
    if (!wants_terminal && own_group_is_orphaned()) { // nobody would continue us, and the terminal would be dead
        parts_.command.signal(SIGCONT);
        return;
    }
    say_what_a_stop_means();
    parts_.terminal.take_back();
    // Until somebody continues us; that arrives as SIGCONT.
    if (had_terminal)
        stop_with_own_group();
    else
        ::raise(SIGSTOP);
}

/// Not only to those who want to know much: who types Ctrl-Z seldom thinks of the lock.
void supervisor::say_what_a_stop_means() {
    auto const end = policy_.action == on_lost::warn ? end_of_validity() : std::min(due_.term, due_.kill);
    auto const left = std::max(std::chrono::duration_cast<duration>(end - lease_clock::now()), duration::zero());
    auto const time = to_rounded_text(left);
    auto const held = parts_.held.subject();
    std::string const loss = policy_.action == on_lost::warn ? held + " is lost" : "the command is ended";
    parts_.reporter.problem("stopped",
                            "the command is stopped, and nobody renews " + held + " meanwhile: "
                                + (renewed_ ? "continue it within " + time + ", or " + loss
                                            : loss + " at the end of its lease, in " + time),
                            {{"name", parts_.held.name()}});
}

void supervisor::continue_command() {
    look(); // the lock may have been lost meanwhile: then the command has been ended, not continued
    if (state_ == state::ending || state_ == state::killed) return;
    parts_.terminal.give_back_to(parts_.command.pid());
    parts_.command.signal(SIGCONT);
}

bool supervisor::finished() {
    if (!ended_) return false;
    return state_ != state::ending || !parts_.command.group_has_others();
}

} // namespace redlatch::cli
