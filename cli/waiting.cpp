#include "waiting.hpp"

#include "durations.hpp"
#include "holder_watch.hpp"
#include "holders.hpp"
#include "permit_wait.hpp"
#include "replicas_flag.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

/// How long it may take to find out who holds the lock, where the answer is for people only.
constexpr duration patience_for_a_name = 100ms;

acquire_options base_options(lock_options const& options) {
    acquire_options result;
    result.lease = options.lease;
    result.max_hold = options.max_hold;
    result.hold_at_least = options.min_hold;
    result.lock_delay = options.lock_delay;
    result.fencing = options.fenced;
    return result;
}

/// What was seen last of the lock. Where this process is the first of the queue, it is kept for nobody else.
lock_info seen_by(client const& owner, holder_watch const& holder) {
    auto seen = holder.seen();
    if (!seen.waiters.empty() && seen.waiters.front().client == owner.id()) seen.waiters.clear();
    return seen;
}

/// By whom, or that nobody does any more.
std::string held_by(std::string const& before, std::string const& before_a_rest, lock_info const& info) {
    if (is_kept_for_a_waiter(info)) return before_a_rest + text_of_queue(info);
    if (info.owners.empty()) return {};
    if (is_in_minimum_hold(info)) return before_a_rest + text_of_minimum_hold(info);
    return before + text_of_holders(info);
}

std::string busy_message(lock_options const& options, lock_info const& info, bool around_us) {
    auto const text =
        options.no_wait ? " is busy" : " was busy for " + to_text(*options.wait) + ", as long as --wait allows";
    return "the lock '" + options.name + "'" + text
           + (around_us ? ": the redlatch run around this command holds it" : held_by("; it is held by ", "; ", info));
}

std::vector<field> fields_of(lock_options const& options, lock_info const& info) {
    std::vector<field> fields{{"name", options.name}};
    auto const holder =
        std::find_if(info.owners.begin(), info.owners.end(), [](auto const& one) { return !one.released; });
    if (holder != info.owners.end()) {
        fields.push_back({"holder", holder->owner});
        if (holder->label) fields.push_back({"label", *holder->label});
    } else if (is_kept_for_a_waiter(info)) {
        auto const& first = info.waiters.front();
        fields.push_back({"waiter", first.owner});
        if (first.label) fields.push_back({"label", *first.label});
        if (first.passed_over_in) fields.push_back({"passed_over_in_ms", std::int64_t{first.passed_over_in->count()}});
    }
    return fields;
}

void say_who_is_waited_for(lock_info const& seen, lock_options const& options) {
    options.common.reporter().note("waiting",
                                   "waiting for the lock '" + options.name + "'" + held_by(", held by ", ": ", seen),
                                   fields_of(options, seen));
}

basic_lock lock_of(client& owner, lock_options const& options) {
    if (options.election)
        return owner
            .get_leader_election(options.name,
                                 {.candidate = options.candidate, .replicas = saying_why(options.replicas)})
            .lock();
    redlatch::lock_options const how{.replicas = saying_why(options.replicas)};
    if (options.fair) return owner.get_fair_lock(options.name, how);
    if (options.shared) return owner.get_read_write_lock(options.name, how).read_lock();
    if (options.write) return owner.get_read_write_lock(options.name, how).write_lock();
    if (options.fenced) return owner.get_fenced_lock(options.name, how);
    return owner.get_lock(options.name, how);
}

void say_acquired(command_hold const& lock, report const& reporter) {
    auto fields = lock.fields();
    auto const& owner = std::get<std::string>(fields.back().value);
    auto const replicas = lock.confirmed_by();
    auto const message = "holding " + lock.shown() + " as " + owner + held_by_replicas(replicas);
    if (auto const token = lock.token()) fields.push_back({"token", static_cast<std::int64_t>(*token)});
    if (replicas) fields.push_back({"replicas", std::int64_t{*replicas}});
    reporter.note("acquired", message, fields);
}

} // namespace

duration first_look(wait_flags const& flags) {
    constexpr duration usual = 100ms;
    return flags.wait ? std::min(usual, *flags.wait / 2) : usual;
}

taken take_lock(client& owner, private_server& server, lock_options const& options, inherited_signals const& inherited,
                bool near) {
    if (options.permits) return take_permits(owner, server, options, inherited, near);
    basic_lock lock = lock_of(owner, options);
    auto const reporter = options.common.reporter();
    taken result;
    bool around_us = false;
    lock_info seen;
    std::string given_back; // why
    std::error_code first;  // what the first attempt said; if it is serious it comes again, and then as a message

    // The usual case needs no thread: the lock is free and the server near. An attempt with a short deadline is not held up by
    // anything for longer than that, so the signals, which are blocked, are not either. It would cost a place in a queue; and
    // replicas may hold it up.
    bool const patient = !options.no_wait && (!options.wait || *options.wait > first_attempt);
    bool const tries_first = near && patient && !options.fair && !options.waits_for_replicas();
    if (tries_first) {
        auto attempt = base_options(options);
        attempt.wait = first_attempt;
        result.hold = lock.try_acquire(attempt, first);
    }
    result.at_once = result.hold.has_value();
    if (!result.hold) {
        std::stop_source stop;
        server.begin_wait(owner, stop);
        bool const endless = !options.wait && !options.no_wait;
        holder_watch holder(lock, stop, endless);
        std::atomic<bool> said{false};
        auto const say_waiting = [&] {
            if (!said.exchange(true)) say_who_is_waited_for(seen_by(owner, holder), options);
        };
        std::function<void()> const look = [&] {
            say_waiting();
            holder.ask();
        };
        wait_interrupter interrupter(inherited, stop, patient ? look : nullptr, first_look(options));
        auto attempt = base_options(options);
        attempt.stop = stop.get_token();
        // Once, to know whether there is to be a wait: for its holder, or for a server that does not answer at once. Not where
        // there is a deadline, which this question does not know.
        if (endless && !tries_first && !options.waits_for_replicas()) result.hold = lock.try_acquire(attempt, first);
        if (patient && !result.hold && (endless || tries_first)) {
            if (reporter.wants_notes()) { // the question costs a round trip
                holder.ask();
                holder.wait_for_answer(options.wait ? std::min(patience_for_a_name, *options.wait / 2)
                                                    : patience_for_a_name);
            }
            // Where replicas confirm nothing was tried yet; what lasts is said all the same, when it is looked at.
            if (!options.waits_for_replicas() || !holder.seen().owners.empty()) say_waiting();
        }
        attempt.wait = options.wait_left();
        try {
            if (!result.hold && !endless) result.hold = lock.try_acquire(attempt);
            if (!result.hold && endless) result.hold = lock.acquire(attempt);
            if (!result.hold) {
                holder.ask();
                holder.wait_for_answer(patient ? patience_for_a_name : 1s);
            }
        } catch (error const& problem) {
            if (counts_as_busy(problem, options.replicas))
                given_back = problem.what();
            else if (problem.reason() != errc::cancelled)
                throw as_not_acquired(problem);
        }
        server.end_wait();
        result.signal = interrupter.finish();
        if (auto const failure = server.failure(); failure && !result.hold && result.signal == 0) throw error(*failure);
        if (auto const refusal = holder.refusal(); refusal && !result.hold && result.signal == 0) throw error(*refusal);
        around_us = holder.is_around_us();
        seen = seen_by(owner, holder);
    }
    if (result.signal == 0) result.signal = take_pending_ending_signal(inherited).value_or(0);
    if (result.signal != 0) result.hold.reset(); // gives it back: the wait ended without it, as far as anybody can see
    if (result.hold)
        say_acquired(*result.hold, reporter);
    else if (result.signal != 0)
        reporter.note("signal", "a signal ended the wait for the lock '" + options.name + "'",
                      {{"name", options.name}, {"signal", std::int64_t{result.signal}}});
    else
        reporter.problem("busy", given_back.empty() ? busy_message(options, seen, around_us) : given_back,
                         fields_of(options, seen));
    return result;
}

void watch_events(client& owner, private_server& server, report const& reporter) {
    if (!server.is_used() && !reporter.json()) return; // the library's log, which --verbose shows, says the same
    owner.on_event([&server, reporter](event const& happened) {
        auto const kind = happened.what;
        server.on_event(happened);
        if (!reporter.json()) return;
        auto const name = kind == event::kind::hold_suspect     ? "suspect" // as the tool names them from the beginning
                          : kind == event::kind::hold_recovered ? "recovered"
                                                                : to_string(kind);
        reporter.note(name, happened.message, {{"name", happened.lock_name}, {"owner", happened.owner_id}});
    });
}

} // namespace redlatch::cli
