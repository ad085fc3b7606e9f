#include "permit_wait.hpp"

#include "durations.hpp"
#include "replicas_flag.hpp"

#include <redlatch/permit_semaphore.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

leased_permit_options leased_options(lock_options const& options) {
    leased_permit_options result;
    result.permits = options.permits->permits;
    result.lease = options.lease;
    result.renewed = !options.lease;
    result.max_hold = options.max_hold;
    return result;
}

std::string wanted(lock_options const& options) {
    return permits_in_words(options.permits->permits, options.name);
}

std::vector<field> fields_of_request(lock_options const& options) {
    return {{"name", options.name}, {"permits", std::int64_t{options.permits->permits}}};
}

/// Nobody but us may know how many there are to be: a server that was started again has forgotten it.
void set_again(permit_semaphore& semaphore, permit_request const& request) {
    if (!request.of) return;
    try {
        semaphore.async_try_set_permits(*request.of, {}, {}, [](std::error_code, bool) {});
    } catch (std::exception const&) { // closed, or no memory: the next look does it
    }
}

/// What the library asks for as long as config::timeout, within --wait. `start`: asynchronously; `ask`: blocking.
template <class Value>
Value in_time(lock_options const& options,
              std::function<void(std::function<void(std::error_code, Value)>)> const& start,
              std::function<Value()> const& ask) {
    if (!options.wait || options.no_wait) return ask();
    auto const promised = std::make_shared<std::promise<std::pair<std::error_code, Value>>>();
    start([promised](std::error_code failure, Value value) { promised->set_value({failure, std::move(value)}); });
    auto answer = promised->get_future();
    if (answer.wait_for(*options.wait_left()) != std::future_status::ready)
        throw error(errc::disconnected, "the server has not answered for the permit semaphore '" + options.name
                                            + "' in " + to_text(*options.wait) + ", as long as --wait allows");
    auto [failure, value] = answer.get();
    if (failure) return ask(); // it fails again, and then with a message
    return value;
}

permit_info inspect(permit_semaphore& semaphore, lock_options const& options) {
    return in_time<permit_info>(
        options, [&](auto handler) { semaphore.async_inspect({}, std::move(handler)); },
        [&] { return semaphore.inspect(); });
}

void set_once(permit_semaphore& semaphore, lock_options const& options) {
    auto const permits = *options.permits->of;
    in_time<bool>(
        options, [&](auto handler) { semaphore.async_try_set_permits(permits, {}, {}, std::move(handler)); },
        [&] { return semaphore.try_set_permits(permits); });
}

/// It may have been changed while we waited.
void require_total_still(permit_semaphore& semaphore, lock_options const& options, taken& outcome) {
    try {
        require_total(semaphore.inspect(), *options.permits);
    } catch (...) {
        outcome.hold.reset(); // gives them back
        throw;
    }
}

std::string busy_message(lock_options const& options) {
    auto const semaphore = " of the permit semaphore '" + options.name + "' ";
    auto const wanted = options.permits->permits;
    std::string const few = wanted == 1 ? "no permit" : "fewer than " + std::to_string(wanted) + " permits";
    if (options.no_wait) return few + semaphore + (wanted == 1 ? "is" : "are") + " free";
    return few + semaphore + (wanted == 1 ? "was" : "were") + " free for " + to_text(*options.wait)
           + ", as long as --wait allows";
}

void say_outcome(taken const& outcome, lock_options const& options, std::string const& given_back) {
    auto const reporter = options.common.reporter();
    if (outcome.hold) {
        auto fields = outcome.hold->fields();
        auto const replicas = outcome.hold->confirmed_by();
        if (replicas) fields.push_back({"replicas", std::int64_t{*replicas}});
        reporter.note("acquired", "holding " + outcome.hold->shown() + held_by_replicas(replicas), fields);
    } else if (outcome.signal != 0)
        reporter.note("signal", "a signal ended the wait for " + wanted(options),
                      {{"name", options.name}, {"signal", std::int64_t{outcome.signal}}});
    else
        reporter.problem("busy", given_back.empty() ? busy_message(options) : given_back, fields_of_request(options));
}

} // namespace

void prepare_permits(client& owner, lock_options const& options) {
    if (!options.permits) return;
    auto of = owner.get_permit_semaphore(options.name);
    auto seen = inspect(of, options);
    if (!seen.is_set && options.permits->of) {
        set_once(of, options); // or somebody else has in this moment
        seen = inspect(of, options);
    }
    require_total(seen, *options.permits);
    char const* const around = std::getenv(permits_variable);
    bool const endless = !options.wait && !options.no_wait;
    if (endless && around != nullptr) refuse_to_wait_for_permits_around(around, seen, *options.permits);
}

taken take_permits(client& owner, private_server& server, lock_options const& options,
                   inherited_signals const& inherited, bool near) {
    auto of = owner.get_permit_semaphore(options.name, {.replicas = saying_why(options.replicas)});
    auto attempt = leased_options(options);
    taken result;
    std::string given_back; // why
    // As for a lock: the usual case needs no thread, so that the command starts sooner.
    bool const patient = !options.no_wait && (!options.wait || *options.wait > first_attempt);
    if (near && patient && !options.waits_for_replicas()) {
        std::error_code first; // if it is serious it comes again, and then as a message
        attempt.wait = first_attempt;
        result.hold = of.try_acquire(attempt, first);
    }
    result.at_once = result.hold.has_value();
    if (!result.hold) {
        std::stop_source stop;
        server.begin_wait(owner, stop);
        std::atomic<bool> said{false};
        std::function<void()> const look = [&] {
            set_again(of, *options.permits);
            if (said.exchange(true)) return;
            auto const replicas = options.waits_for_replicas() ? ", or for replicas to have them" : "";
            options.common.reporter().note("waiting", "waiting for " + wanted(options) + replicas,
                                           fields_of_request(options));
        };
        wait_interrupter interrupter(inherited, stop, patient ? look : nullptr, first_look(options));
        attempt.stop = stop.get_token();
        attempt.wait = options.wait_left();
        try {
            if (attempt.wait)
                result.hold = of.try_acquire(attempt);
            else
                result.hold = of.acquire(attempt);
        } catch (error const& problem) {
            if (counts_as_busy(problem, options.replicas))
                given_back = problem.what();
            else if (problem.reason() != errc::cancelled)
                throw as_not_acquired(problem);
        }
        server.end_wait();
        result.signal = interrupter.finish();
        if (auto const failure = server.failure(); failure && !result.hold && result.signal == 0) throw error(*failure);
        if (result.hold && result.signal == 0) require_total_still(of, options, result);
    }
    if (result.signal == 0) result.signal = take_pending_ending_signal(inherited).value_or(0);
    if (result.signal != 0) result.hold.reset(); // gives them back: the wait ended without, as far as anybody can see
    say_outcome(result, options, given_back);
    return result;
}

} // namespace redlatch::cli
