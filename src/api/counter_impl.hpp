// What stands behind a semaphore and a latch, and how a request about one is made in all forms.
#pragma once

#include "api/both_forms.hpp"
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
/// What `count` says in plain words, where it is less than `least`.
void must_be_at_least(counter_impl const& impl, char const* what, std::int64_t least, std::int64_t number);

/// A request that is answered at once.
template <class Answer> struct counter_question {
    std::string about; ///< "releasing 2 permits of ..."
    bool changes = true;
    std::int64_t amount = 1;
    std::function<locking::wire_call(locking::counter_request const&)> compose;
    /// None: the reply is not understood.
    std::function<std::optional<Answer>(resp::value const&)> read;
};

inline io::counter_change::request
to_request(counter_impl const& impl, std::string about, bool changes, std::int64_t amount,
           std::function<locking::wire_call(locking::counter_request const&)> const& compose) {
    auto const record = changes ? impl.next_record() : std::string();
    return {.call =
                compose({.name = impl.what->name, .channel = impl.what->channel, .record = record, .amount = amount}),
            .repeatable = !changes || !record.empty(),
            .changes = changes,
            .subject = std::move(about),
            .kind = impl.what->how->kind,
            .deadline = base::later(lease_clock::now(), impl.core->settings().timeout)};
}

template <class Answer> auto answer_of(counter_question<Answer> const& asked) {
    return [about = asked.about, read = asked.read, is_question = !asked.changes](io::counter_change const& ended) {
        auto const found = read(ended.reply());
        if (!found && is_question && ended.reply().is_text()) // GET has said what there is
            throw error(errc::wrong_type, ended.message_of(errc::wrong_type));
        if (!found) throw error(errc::bad_reply, "the server sent an unexpected reply to " + about);
        return *found;
    };
}

template <class Answer> Answer ask_now(counter_impl const& impl, counter_question<Answer> const& asked) {
    return run_now<io::counter_change>(impl.core, asked.about, answer_of(asked),
                                       to_request(impl, asked.about, asked.changes, asked.amount, asked.compose));
}

template <class Answer>
std::optional<outcome> ask_later(counter_impl const& impl, counter_question<Answer> const& asked,
                                 completion_ptr<Answer>& done) {
    return run_later<io::counter_change>(impl.core, asked.about, answer_of(asked), done,
                                         to_request(impl, asked.about, asked.changes, asked.amount, asked.compose));
}

/// What is longer is for ever: clocks that count nanoseconds have room for it.
inline constexpr duration longest_time = std::chrono::floor<duration>(std::chrono::nanoseconds::max() / 4);

/// The same where there is nothing to be told but that it was done.
template <class Answer>
std::optional<outcome> ask_later(counter_impl const& impl, counter_question<Answer> const& asked,
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
                                  to_request(impl, asked.about, asked.changes, asked.amount, asked.compose)))
        return std::nullopt;
    return outcome(errc::closed, asked.about + ": " + make_error_code(errc::closed).message());
}

/// What a script answers that changes and tells: none: no; true: done. Warns of a user who may not publish.
std::function<std::optional<bool>(resp::value const&)> reads_done(counter_impl const& impl);
void warn_that_nobody_was_told(std::string const& which, std::string const& channel);

/// Of a question that is yet to be put into words: `make` may throw error(invalid_argument).
template <class Make, class... Values>
std::optional<outcome> put_later(counter_impl const& impl, Make make, completion_ptr<Values...>& done) {
    decltype(make()) asked;
    try {
        asked = make();
    } catch (error const& problem) {
        return outcome(problem.code(), problem.what());
    }
    return ask_later(impl, asked, done);
}

/// A wait as users ask for it. `for_ever`: what it means that there is no limit.
struct counter_wait_options {
    std::int64_t amount = 1;
    std::optional<time_span> wait{};
    bool for_ever = true;
    std::stop_token stop{};
};

/// Blocks. Zero: it has succeeded; otherwise `message`, if it is not null, says why not.
std::error_code wait_now(counter_impl const& impl, counter_wait_options const& options, std::string* message);
/// `no_is_an_answer`: the completion is told whether it succeeded, and busy and timed_out are no failures.
std::optional<outcome> wait_later(counter_impl const& impl, counter_wait_options const& options,
                                  completion_ptr<>& done);
std::optional<outcome> try_wait_later(counter_impl const& impl, counter_wait_options const& options,
                                      completion_ptr<bool>& done);

[[noreturn]] void fail(std::error_code code, std::string message);
inline bool means_no(std::error_code code) noexcept {
    return code == errc::busy || code == errc::timed_out;
}

} // namespace redlatch::detail
