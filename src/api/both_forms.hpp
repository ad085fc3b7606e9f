// An operation in both forms: run on the calling thread, or told to a completion. `answer(Operation&)` says what it found, or
// throws error where it failed; `subject` is what was asked for, for messages.
#pragma once

#include "api/async_call.hpp"

#include <redlatch/error.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace redlatch::detail {

/// Of an operation that has ended; throws error.
template <class Operation> void must_have_succeeded(Operation const& operation) {
    if (operation.result()) throw error(static_cast<errc>(operation.result().value()), operation.message());
}

/// Blocks until it has ended; throws error.
template <class Operation, class Answer, class... Arguments>
auto run_now(std::shared_ptr<io::client_core> const& core, std::string const& subject, Answer const& answer,
             Arguments&&... arguments) {
    if (auto const refused = core->refusal(true))
        throw error(static_cast<errc>(refused.value()), subject + ": " + refused.message());
    Operation one(core, std::forward<Arguments>(arguments)...);
    io::run_blocking(one);
    must_have_succeeded(one);
    return answer(one);
}

/// An outcome: it was not started, and `done` is untouched.
template <class Operation, class Value, class Answer, class... Arguments>
std::optional<outcome> run_later(std::shared_ptr<io::client_core> const& core, std::string const& subject,
                                 Answer answer, completion_ptr<Value>& done, Arguments&&... arguments) {
    if (auto const refused = core->refusal(false)) return outcome(refused, subject + ": " + refused.message());
    if (auto const no_thread = core->need_thread()) return outcome(no_thread, subject + ": " + io::no_io_thread);
    auto finish = [core, answer = std::move(answer)](Operation& ended, completion_ptr<Value> completion) {
        if (ended.result()) return tell(*core, std::move(completion), failure_of(ended), Value());
        Value found{};
        outcome how;
        try {
            found = answer(ended);
        } catch (error const& problem) {
            how = outcome(problem.code(), problem.what());
        }
        tell(*core, std::move(completion), how, std::move(found));
    };
    if (start<Operation>(core, {}, done, std::move(finish), std::forward<Arguments>(arguments)...)) return std::nullopt;
    return outcome(errc::closed, subject + ": " + make_error_code(errc::closed).message());
}

} // namespace redlatch::detail
