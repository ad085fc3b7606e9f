// The part of the supervisor that depends on time: is the lock still held, for how long, and what follows.
#include "process_group.hpp"
#include "supervisor.hpp"

#include <algorithm>
#include <csignal>
#include <exception>
#include <string>

namespace redlatch::cli {

using namespace std::chrono_literals;

bool supervisor::is_lost() const noexcept {
    switch (parts_.held.status()) {
    case hold_status::held:
    case hold_status::suspect: return false;
    case hold_status::none:
    case hold_status::lost:
    case hold_status::released: return true;
    }
    return true;
}

/// A hold that was lost before its time leaves the command until then to end.
instant supervisor::end_of_validity() noexcept {
    auto const until = parts_.held.valid_until();
    if (!is_lost()) valid_until_ = until;
    return std::min(valid_until_, latest_end_);
}

char const* supervisor::why_it_ends(instant now) noexcept {
    if (now < end_of_validity() && is_lost()) return "was lost while the command ran";
    // The client ends validity there too, but counts from a moment ago: when the request was sent.
    bool const by_limit = latest_end_ != never && latest_end_ - valid_until_ < 250ms;
    if (by_limit) return "was held for as long as --max-hold allows";
    return renewed_ ? "could not be renewed in time" : "is at the end of its lease";
}

/// All that depends on time. It may be called at any moment and decides afresh.
void supervisor::look() {
    auto const now = lease_clock::now();
    if (!started_ && now >= start_at_) start_threads();
    if (state_ == state::running) {
        due_ = schedule_for(end_of_validity(), policy_);
        if (is_lost() || now >= due_.term || now >= due_.kill)
            lose(now);
        else
            parts_.guard.tell(guard_schedule(due_, policy_));
    }
    if (state_ == state::ending && now >= due_.kill) kill_group();
    arm(now);
}

void supervisor::lose(instant now) {
    std::string message = std::string(why_it_ends(now)) + "; ";
    due_ = schedule_after_loss(now, end_of_validity(), policy_);
    adopt_orphans();
    switch (policy_.action) {
    case on_lost::terminate:
        if (due_.kill <= now) { // no time is left; a command that is stopped must not run again, not even to clean up
            kill_group();
            message += "the command is killed" + but_out_of_reach();
            break;
        }
        state_ = state::ending;
        parts_.guard.tell({never, due_.kill});
        parts_.command.signal(SIGTERM);
        parts_.command.signal(SIGCONT); // a command that is stopped could not obey
        message += "the command is told to end" + but_out_of_reach();
        break;
    case on_lost::kill:
        kill_group();
        message += "the command is killed" + but_out_of_reach();
        break;
    case on_lost::warn:
        message += "the command runs on without it";
        state_ = state::warned;
        break;
    }
    tell_of_loss(message);
}

void supervisor::tell_of_loss(std::string const& message) const {
    parts_.reporter.problem("lost", parts_.held.subject() + ' ' + message, parts_.held.fields());
}

/// Empty, or a clause: signals do not reach what runs as another user, a command behind sudo for instance.
std::string supervisor::but_out_of_reach() const {
    pid_t const process = out_of_reach_in_group(parts_.command.pid());
    if (process == 0) return {};
    return ", but its process " + std::to_string(process)
           + " runs as another user, so that this one may not end it: it runs on without the lock; run redlatch itself "
             "as "
             "that user, as in: sudo redlatch run";
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
    case state::ending:
        next = std::min(next, due_.kill);
        if (ended_)
            next = std::min<instant>(next, now + 50ms); // of the rest, what was orphaned before tells us nothing
        break;
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
        parts_.reporter.problem(
            "warning",
            std::string("the command's guard still shares the tool's memory, and ends with the tool if the kernel "
                        "ends that for want of memory: ")
                + problem.what());
    }
    try {
        parts_.owner.start();
    } catch (std::exception const& problem) {
        parts_.reporter.problem("warning", parts_.held.subject() + " cannot be renewed: " + problem.what());
    }
}

} // namespace redlatch::cli
