// What stands behind a semaphore and a latch, and how a request about one is made in all forms.
#pragma once

#include "api/question.hpp"
#include "api/waits.hpp"
#include "io/client_core.hpp"
#include "io/counter_change.hpp"
#include "io/counter_wait.hpp"
#include "locking/counter.hpp"
#include "locking/names.hpp"

#include <redlatch/completion.hpp>
#include <redlatch/counter_options.hpp>
#include <redlatch/lease_clock.hpp>

#include <atomic>
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

    /// "semaphore 'x'", for messages.
    std::string shown() const { return std::string(what->how->kind) + " " + locking::shown(what->name); }
    /// The key of the record of the next request; empty: it leaves none.
    std::string next_record() const;
};

/// Throws error(invalid_argument): "semaphore 'x': <problem>".
[[noreturn]] void complain(counter_impl const& impl, std::string const& problem);
/// Throws error(invalid_argument) unless `number` is that much; `what`: what it counts.
void must_be_at_least(counter_impl const& impl, char const* what, std::int64_t least, std::int64_t number);

/// What the server has, which is to be a number. `about`: "asking for ...".
question<std::int64_t> number_of(counter_impl const& impl, std::string const& about);

/// A request that changes the number.
template <class Answer> struct requested_change {
    std::string about; ///< "releasing 2 permits of ..."
    std::int64_t amount = 1;
    std::function<locking::wire_call(locking::counter_request const&)> compose;
    /// None: the reply is not understood.
    std::function<std::optional<Answer>(resp::value const&)> read;
};

io::counter_change::request
to_request(counter_impl const& impl, std::string about, std::int64_t amount,
           std::function<locking::wire_call(locking::counter_request const&)> const& compose);

template <class Answer> auto answer_of(requested_change<Answer> const& asked) {
    return [about = asked.about, read = asked.read](io::counter_change const& ended) {
        auto const found = read(ended.reply());
        if (!found) throw error(errc::bad_reply, "the server sent an unexpected reply to " + about);
        return *found;
    };
}

/// Blocks for at most config::timeout; throws error.
template <class Answer> Answer change_now(counter_impl const& impl, requested_change<Answer> const& asked) {
    return run_now<io::counter_change>(impl.core, asked.about, answer_of(asked),
                                       to_request(impl, asked.about, asked.amount, asked.compose));
}

template <class Answer>
std::optional<outcome> change_later(counter_impl const& impl, requested_change<Answer> const& asked,
                                    completion_ptr<Answer>& done) {
    return run_later<io::counter_change>(impl.core, asked.about, answer_of(asked), done,
                                         to_request(impl, asked.about, asked.amount, asked.compose));
}

/// The same where there is nothing to be told but that it was done.
template <class Answer>
std::optional<outcome> change_later(counter_impl const& impl, requested_change<Answer> const& asked,
                                    completion_ptr<>& done) {
    auto const& core = impl.core;
    if (auto const refused = core->refusal(false)) return outcome(refused, asked.about + ": " + refused.message());
    auto finish = [core, answer = answer_of(asked)](io::counter_change& ended, completion_ptr<> whom) {
        if (ended.result()) return tell(*core, std::move(whom), failure_of(ended));
        outcome how;
        try {
            static_cast<void>(answer(ended));
        } catch (error const& problem) {
            how = outcome(problem.code(), problem.what());
        }
        tell(*core, std::move(whom), how);
    };
    if (start<io::counter_change>(core, {}, done, std::move(finish),
                                  to_request(impl, asked.about, asked.amount, asked.compose)))
        return std::nullopt;
    return outcome(errc::closed, asked.about + ": " + make_error_code(errc::closed).message());
}

/// What a script answers that changes and tells: none: no; true: done. Warns of a user who may not publish.
std::function<std::optional<bool>(resp::value const&)> reads_done(counter_impl const& impl);
void warn_that_nobody_was_told(std::string const& which, std::string const& channel);

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

/// A wait as users ask for it.
struct counter_wait_options {
    std::int64_t amount = 1;
    std::optional<time_span> wait{};
    bool for_ever = true; ///< what no `wait` means; if not, to ask once
    std::stop_token stop{};
};

/// Blocks. Zero: it has succeeded; otherwise `message`, if it is not null, says why not.
std::error_code wait_now(counter_impl const& impl, counter_wait_options const& options, std::string* message);
std::optional<outcome> wait_later(counter_impl const& impl, counter_wait_options const& options,
                                  completion_ptr<>& done);
/// The completion is told whether it succeeded: busy and timed_out are no failures.
std::optional<outcome> try_wait_later(counter_impl const& impl, counter_wait_options const& options,
                                      completion_ptr<bool>& done);

} // namespace redlatch::detail
