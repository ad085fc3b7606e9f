#include "supervisor.hpp"

#include "process_group.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <poll.h>
#include <stop_token>
#include <string>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

bool is_lost(hold_view const& lock) noexcept {
    switch (lock.status()) {
    case hold_status::held:
    case hold_status::suspect: return false;
    case hold_status::none:
    case hold_status::lost:
    case hold_status::released: return true;
    }
    return true;
}

} // namespace

supervisor::supervisor(supervised parts, loss_policy const& policy, holding const& how,
                       inherited_signals const& inherited)
    : parts_(parts), policy_(policy), latest_end_(how.latest_end), renewed_(how.renewed),
      start_at_(lease_clock::now() + how.start_after), signals_(signal_queue::which::all, inherited) {}

bool supervisor::run() {
    std::stop_callback const wake(parts_.lock.lost(), [this] { lost_.raise(); });
    child_changed(); // it may have ended before
    while (!finished()) {
        look();
        pollfd entries[] = {{signals_.get(), POLLIN, 0}, {timer_.get(), POLLIN, 0}, {lost_.get(), POLLIN, 0}};
        if (::poll(entries, 3, -1) < 0) continue;
        if (entries[1].revents != 0) timer_.clear();
        if (entries[2].revents != 0) lost_.clear();
        if (entries[0].revents != 0) receive_signals();
    }
    return state_ != state::running || is_lost(parts_.lock);
}

instant supervisor::end_of_validity() const noexcept {
    return std::min(parts_.lock.valid_until(), latest_end_);
}

char const* supervisor::why_it_ends() const noexcept {
    // The client ends validity there too, but counts from a moment ago: when the request was sent.
    bool const by_limit = latest_end_ != never && latest_end_ - parts_.lock.valid_until() < 250ms;
    if (by_limit) return "was held for as long as --max-hold allows";
    return renewed_ ? "could not be renewed in time" : "is at the end of its lease";
}

/// All that depends on time. It may be called at any moment and decides afresh.
void supervisor::look() {
    auto const now = lease_clock::now();
    if (!started_ && now >= start_at_) start_threads();
    if (state_ == state::running) {
        due_ = schedule_for(end_of_validity(), policy_);
        if (is_lost(parts_.lock))
            lose(now, now < end_of_validity() ? "was lost while the command ran" : why_it_ends());
        else if (now >= due_.term || now >= due_.kill)
            lose(now, why_it_ends());
        else
            parts_.guard.tell(guard_schedule(due_, policy_));
    }
    if (state_ == state::ending && now >= due_.kill) kill_group();
    arm(now);
}

void supervisor::lose(instant now, char const* why) {
    std::string sentence = "the lock '" + parts_.lock.lock_name() + "' " + why;
    due_ = schedule_after_loss(now, end_of_validity(), policy_);
    adopt_orphans();
    switch (policy_.action) {
    case on_lost::terminate:
        if (due_.kill <= now) { // no time is left; a command that is stopped must not run again, not even to clean up
            sentence += "; the command is killed";
            kill_group();
            break;
        }
        sentence += "; the command is told to end";
        state_ = state::ending;
        parts_.guard.tell({never, due_.kill});
        parts_.command.signal(SIGTERM);
        parts_.command.signal(SIGCONT); // a command that is stopped could not obey
        break;
    case on_lost::kill:
        sentence += "; the command is killed";
        kill_group();
        break;
    case on_lost::warn:
        sentence += "; the command runs on without it";
        state_ = state::warned;
        break;
    }
    parts_.reporter.problem("lost", sentence, {{"name", parts_.lock.lock_name()}, {"owner", parts_.lock.owner_id()}});
}

void supervisor::kill_group() {
    state_ = state::killed;
    parts_.command.signal(SIGKILL);
}

void supervisor::arm(instant now) {
    auto next = started_ ? never : start_at_;
    switch (state_) {
    case state::running: {
        bool const only_watching = policy_.action == on_lost::warn;
        next = std::min(next, next_look(now, only_watching ? schedule{never, end_of_validity()} : due_));
        break;
    }
    case state::ending: next = std::min(next, due_.kill); break;
    case state::killed:
    case state::warned: break;
    }
    if (next != never) timer_.fire_at(next);
}

void supervisor::start_threads() {
    started_ = true;
    try {
        parts_.guard.harden(parts_.command.pid()); // before there are threads
    } catch (std::exception const& problem) {
        parts_.reporter.problem("warning", std::string("the guard stays a quick one: ") + problem.what());
    }
    try {
        parts_.owner.start();
    } catch (std::exception const& problem) {
        parts_.reporter.problem("warning",
                                "the lock '" + parts_.lock.lock_name() + "' cannot be renewed: " + problem.what());
    }
}

void supervisor::receive_signals() {
    while (auto const number = signals_.next()) {
        if (*number == SIGCHLD)
            child_changed();
        else if (*number == SIGCONT)
            continue_command();
        else
            parts_.command.signal(*number);
    }
}

void supervisor::child_changed() {
    if (parts_.guard.has_died())
        parts_.reporter.problem("warning",
                                "the guard process was killed; if the tool is killed too, nobody ends the command");
    if (auto const stop = parts_.command.take_stop()) stop_with_command(*stop);
    ended_ = ended_ || parts_.command.has_ended();
}

/// Job control: a shell that waits for us must see that its job has stopped. Whoever stops the command alone, with SIGSTOP and
/// away from a terminal, does not mean us: then the lock stays renewed.
void supervisor::stop_with_command(int signal) {
    if (state_ == state::ending || state_ == state::killed) return;
    bool const wants_terminal = signal == SIGTTIN || signal == SIGTTOU;
    if (wants_terminal && parts_.terminal.give_to(parts_.command.pid())) {
        parts_.command.signal(SIGCONT);
        return;
    }
    if (signal == SIGSTOP && !parts_.terminal.given()) return;
    parts_.reporter.note("stopped", "the command was stopped; nobody renews the lock until it is continued");
    parts_.terminal.take_back();
    ::raise(SIGSTOP); // until somebody continues us; that arrives as SIGCONT
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
