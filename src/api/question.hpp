// A question to the server in both forms: asked on the calling thread, or told to a completion.
#pragma once

#include "api/async_call.hpp"
#include "io/query.hpp"

#include <redlatch/error.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace redlatch::detail {

template <class Answer> struct question {
    io::query::question what;
    std::string about; ///< "asking for ...", for sentences
    /// Throws error(bad_reply).
    std::function<Answer(io::query const&)> read;
};

/// Blocks for at most config::timeout; throws error.
template <class Answer> Answer ask_now(std::shared_ptr<io::client_core> const& core, question<Answer> which) {
    if (auto const refused = core->refusal(true))
        throw error(static_cast<errc>(refused.value()), which.about + ": " + refused.message());
    io::query one(core, std::move(which.what), std::move(which.about));
    io::run_blocking(one);
    if (one.result()) throw error(static_cast<errc>(one.result().value()), one.sentence());
    return which.read(one);
}

template <class Answer>
std::optional<outcome> ask_later(std::shared_ptr<io::client_core> const& core, question<Answer> which,
                                 completion_ptr<Answer>& done) {
    if (auto const refused = core->refusal(false)) return outcome(refused, which.about + ": " + refused.message());
    bool const running = start<io::query>(
        core, {}, done,
        [core, read = std::move(which.read)](io::query const& ended, completion_ptr<Answer> whom) {
            if (ended.result()) return tell(*core, std::move(whom), failure_of(ended), Answer());
            Answer answer{};
            outcome how;
            try {
                answer = read(ended);
            } catch (error const& problem) {
                how = outcome(problem.code(), problem.what());
            }
            tell(*core, std::move(whom), how, std::move(answer));
        },
        std::move(which.what), which.about);
    if (running) return std::nullopt;
    return outcome(errc::closed, which.about + ": " + make_error_code(errc::closed).message());
}

} // namespace redlatch::detail
