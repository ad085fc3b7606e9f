// What stands behind a semaphore and a latch, and how a request about one is made in all forms.
#pragma once

#include "api/question.hpp"
#include "api/waits.hpp"
#include "io/client_core.hpp"
#include "io/confirmed_wait.hpp"
#include "io/counter_change.hpp"
#include "io/counter_wait.hpp"
#include "locking/counter.hpp"
#include "locking/names.hpp"

#include <redlatch/completion.hpp>
#include <redlatch/counter_options.hpp>
#include <redlatch/lease_clock.hpp>
#include <redlatch/replica_policy.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace redlatch::detail {

struct counter_impl {
    std::shared_ptr<io::client_core> core;
    locking::counter_ptr what;
    counter_options options{};
    replica_policy replicas{}; ///< of what is acquired

    /// "semaphore 'x'", for messages.
    std::string shown() const { return what->shown(); }
    /// The key of the record of the next request; empty: it leaves none.
    std::string next_record() const;
    /// The same of one that has to leave one.
    std::string new_record() const;
};

/// Throws error(invalid_argument): "semaphore 'x': <problem>".
[[noreturn]] void complain(counter_impl const& impl, std::string const& problem);
/// Throws error(invalid_argument) unless `number` is that much; `quantity`: what it counts.
void must_be_at_least(counter_impl const& impl, char const* quantity, std::int64_t least, std::int64_t number);

/// "2 permits of semaphore 'x'"
std::string permits_in_words(locking::counter const& semaphore, std::int64_t permits);

/// What the server has, which is to be a number. `about`: "asking for ...".
question<std::int64_t> number_of(counter_impl const& impl, std::string const& about);

/// A request that changes the number.
template <class Answer> struct requested_change {
    std::string about; ///< "releasing 2 permits of ..."
    std::int64_t amount = 1;
    std::function<locking::wire_call(locking::counter_request const&)> compose;
    /// None: the reply is not understood.
    std::function<std::optional<Answer>(resp::value const&)> read;
    /// It adds `amount`: waiters of this process ask right behind it.
    bool adds = false;
    /// It gives permits back, and the reply says how many heard of it: heard_by().
    bool releases = false;
    /// What it publishes, where `tells` says so of the reply. Null: nothing, or what a release does.
    std::string message{};
    bool (*tells)(resp::value const& reply) = nullptr;
    /// As io::counter_change::request::when_full.
    locking::wire_call (*when_full)(locking::counter_request const&) = nullptr;
    /// A repeat changes nothing more, even without a record.
    bool idempotent = false;
    /// In place of `read`, of a change that has ended; throws error.
    std::function<Answer(io::counter_change const&)> answer{};
};

io::counter_change::request
to_request(counter_impl const& impl, std::string about, std::int64_t amount,
           std::function<locking::wire_call(locking::counter_request const&)> const& compose, bool idempotent = false);

/// Of so many permits.
void make_release(io::counter_change::request& change, std::int64_t amount);

template <class Answer>
io::counter_change::request request_of(counter_impl const& impl, requested_change<Answer> const& asked) {
    auto out = to_request(impl, asked.about, asked.amount, asked.compose, asked.idempotent);
    if (asked.releases) make_release(out, asked.amount);
    if (asked.tells != nullptr) out.tells = asked.tells, out.message = asked.message;
    out.adds = asked.adds;
    if (!out.repeatable) out.when_full = asked.when_full;
    return out;
}

template <class Answer>
std::function<Answer(io::counter_change const&)> answer_of(requested_change<Answer> const& asked) {
    if (asked.answer) return asked.answer;
    return [about = asked.about, read = asked.read](io::counter_change const& ended) {
        auto const found = read(ended.reply());
        if (!found) throw error(errc::bad_reply, "the server sent an unexpected reply to " + about);
        return *found;
    };
}

/// Blocks for at most config::timeout; throws error.
template <class Answer> Answer change_now(counter_impl const& impl, requested_change<Answer> const& asked) {
    return run_now<io::counter_change>(impl.core, asked.about, answer_of(asked), request_of(impl, asked));
}

template <class Answer>
std::optional<outcome> change_later(counter_impl const& impl, requested_change<Answer> const& asked,
                                    completion_ptr<Answer>& done) {
    return run_later<io::counter_change>(impl.core, asked.about, answer_of(asked), done, request_of(impl, asked));
}

/// The same where there is nothing to be told but that it was done.
template <class Answer>
std::optional<outcome> change_later(counter_impl const& impl, requested_change<Answer> const& asked,
                                    completion_ptr<>& done) {
    auto const& core = impl.core;
    if (auto const refused = core->refusal(false)) return outcome(refused, asked.about + ": " + refused.message());
    if (auto const no_thread = core->need_thread()) return outcome(no_thread, asked.about + ": " + io::no_io_thread);
    auto finish = [core, answer = answer_of(asked)](io::counter_change& ended, completion_ptr<> completion) {
        if (ended.result()) return tell(*core, std::move(completion), failure_of(ended));
        outcome how;
        try {
            static_cast<void>(answer(ended));
        } catch (error const& problem) {
            how = outcome(problem.code(), problem.what());
        }
        tell(*core, std::move(completion), how);
    };
    if (start<io::counter_change>(core, {}, done, std::move(finish), request_of(impl, asked))) return std::nullopt;
    return outcome(errc::closed, asked.about + ": " + make_error_code(errc::closed).message());
}

/// What a script answers that changes and tells: none: no; true: done. Warns of a user who may not publish.
std::function<std::optional<bool>(resp::value const&)> reads_done(counter_impl const& impl);
/// The same of a script that also says how many heard of it: heard_by().
std::function<std::optional<bool>(resp::value const&)> reads_release(counter_impl const& impl);
void warn_that_nobody_was_told(std::string const& subject, std::string const& channel);

/// Of a change that is yet to be checked: `make` may throw error(invalid_argument), which is the outcome then.
template <class Make, class... Values>
std::optional<outcome> checked_change_later(counter_impl const& impl, Make make, completion_ptr<Values...>& done) {
    decltype(make()) asked;
    try {
        asked = make();
    } catch (error const& problem) {
        return outcome(problem.code(), problem.what());
    }
    return change_later(impl, asked, done);
}

/// Of a kind that names what it takes.
inline constexpr std::int64_t most_permits_at_once = 1'000;

/// A wait as users ask for it.
struct counter_wait_options {
    std::int64_t amount = 1;
    std::optional<time_span> lease{}; ///< of a kind that names what it takes; none: for ever
    std::string known{};              ///< locking::counter_request::known
    std::optional<time_span> wait{};
    bool for_ever = true; ///< what no `wait` means; if not, to ask once
    std::stop_token stop{};
};

/// The request that the options stand for.
io::counter_wait::request to_request(counter_impl const& impl, counter_wait_options const& options);
/// Zero, or invalid_argument and what is wrong.
std::error_code check(counter_impl const& impl, counter_wait_options const& options, std::string& message);
/// "waiting for semaphore 'x': "
std::string waiting_for(counter_impl const& impl);

/// Blocks. Zero: it has succeeded, and `taken` was called; otherwise `message`, if it is not null, says why not.
std::error_code wait_now(counter_impl const& impl, counter_wait_options const& options, std::string* message,
                         std::function<void(io::counter_wait const&)> const& taken = {});

/// `finish(wait, completion_ptr<Values...>)` tells; the wait is an io::counter_wait or an io::confirmed_wait.
template <class Finish, class... Values>
std::optional<outcome> start_wait(counter_impl const& impl, counter_wait_options const& options,
                                  completion_ptr<Values...>& done, Finish finish) {
    auto const& core = impl.core;
    if (auto const refused = core->refusal(false)) return outcome(refused, waiting_for(impl) + refused.message());
    std::string problem;
    if (auto const wrong = check(impl, options, problem)) return outcome(wrong, std::move(problem));
    if (auto const no_thread = core->need_thread()) return outcome(no_thread, waiting_for(impl) + io::no_io_thread);
    bool const running =
        impl.replicas.replicas != 0
            ? start<io::confirmed_wait>(core, options.stop, done, std::move(finish), to_request(impl, options),
                                        impl.replicas)
            : start<io::counter_wait>(core, options.stop, done, std::move(finish), to_request(impl, options));
    if (running) return std::nullopt;
    return outcome(errc::closed, waiting_for(impl) + make_error_code(errc::closed).message());
}

std::optional<outcome> wait_later(counter_impl const& impl, counter_wait_options const& options,
                                  completion_ptr<>& done);
/// The completion is told whether it succeeded: busy and timed_out are no failures.
std::optional<outcome> try_wait_later(counter_impl const& impl, counter_wait_options const& options,
                                      completion_ptr<bool>& done);

} // namespace redlatch::detail
