#include "waiting.hpp"

#include "durations.hpp"

#include <algorithm>
#include <string>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

/// How long signals may have to wait when a server that was quick a moment ago does not answer.
constexpr duration first_attempt = 20ms;

acquire_options base_options(lock_options const& options) {
    acquire_options result;
    result.lease = options.lease;
    result.max_hold = options.max_hold;
    return result;
}

std::string busy_sentence(lock_options const& options) {
    if (options.no_wait) return "the lock '" + options.name + "' is busy";
    return "the lock '" + options.name + "' was busy for " + to_text(*options.wait) + ", as long as --wait allows";
}

} // namespace

taken take_lock(client& owner, lock_options const& options, inherited_signals const& inherited, bool near) {
    reentrant_lock lock = owner.get_lock(options.name);
    auto const reporter = options.common.reporter();
    auto const begin = lease_clock::now();
    taken result;
    std::error_code first; // what the first attempt said; if it is serious it comes again, and then as a sentence

    // The usual case needs no thread: the lock is free and the server near. An attempt with a short deadline is not held up by
    // anything for longer than that, so the signals, which are blocked, are not either.
    bool const patient = !options.no_wait && (!options.wait || *options.wait > first_attempt);
    if (near && patient) {
        auto attempt = base_options(options);
        attempt.wait = first_attempt;
        result.hold = lock.try_acquire(attempt, first);
    }
    result.at_once = result.hold.has_value();
    if (!result.hold) {
        wait_interrupter interrupter(inherited);
        auto attempt = base_options(options);
        attempt.stop = interrupter.token();
        if (patient && !near)
            result.hold = lock.try_acquire(attempt, first); // once, to know whether there is to be a wait
        if (patient && !result.hold) // for its holder, or for a server that does not answer at once
            reporter.note("waiting", "waiting for the lock '" + options.name + "'", {{"name", options.name}});
        if (options.wait && !options.no_wait) {
            auto const passed = std::chrono::duration_cast<duration>(lease_clock::now() - begin);
            attempt.wait = std::max<duration>(*options.wait - passed, 0ms);
        }
        try {
            if (!result.hold && (options.wait || options.no_wait)) result.hold = lock.try_acquire(attempt);
            if (!result.hold && !options.wait && !options.no_wait) result.hold = lock.acquire(attempt);
        } catch (error const& problem) {
            if (problem.reason() != errc::cancelled) throw;
        }
        result.signal = interrupter.signal();
    }
    if (result.signal == 0) result.signal = take_pending_ending_signal(inherited).value_or(0);
    if (result.signal != 0 && result.hold) {
        std::error_code ignored; // the wait has ended without the lock, as far as anybody can see
        result.hold->release(ignored);
        result.hold.reset();
    }
    if (result.hold)
        reporter.note("acquired", "holding the lock '" + options.name + "' as " + result.hold->owner_id(),
                      {{"name", options.name}, {"owner", result.hold->owner_id()}});
    else if (result.signal != 0)
        reporter.note("signal", "a signal ended the wait for the lock '" + options.name + "'",
                      {{"name", options.name}, {"signal", std::int64_t{result.signal}}});
    else
        reporter.problem("busy", busy_sentence(options), {{"name", options.name}});
    return result;
}

void show_events(client& owner, report const& reporter) {
    if (!reporter.wants_notes()) return;
    owner.on_event([reporter](event const& happened) {
        auto const name_of = [](event::kind kind) -> std::string_view {
            switch (kind) {
            case event::kind::hold_suspect: return "suspect";
            case event::kind::hold_recovered: return "recovered";
            case event::kind::hold_lost: return "hold_lost";
            case event::kind::release_failed: return "release_failed";
            case event::kind::disconnected: return "disconnected";
            case event::kind::reconnected: return "reconnected";
            case event::kind::thread_exited_holding: return "thread_exited_holding";
            }
            return "unknown";
        };
        reporter.note(name_of(happened.what), happened.sentence,
                      {{"name", happened.lock_name}, {"owner", happened.owner_id}});
    });
}

} // namespace redlatch::cli
