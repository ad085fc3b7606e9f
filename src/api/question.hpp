// A question to the server in both forms: asked on the calling thread, or told to a completion.
#pragma once

#include "api/both_forms.hpp"
#include "io/query.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace redlatch::detail {

template <class Answer> struct question {
    locking::wire_call call;
    std::string about; ///< "asking for ...", for messages
    /// Throws error(bad_reply).
    std::function<Answer(io::query const&)> read;
    std::string_view kind = "lock"; ///< what the key is to be
};

/// Blocks for at most config::timeout; throws error.
template <class Answer> Answer ask_now(std::shared_ptr<io::client_core> const& core, question<Answer> question) {
    return run_now<io::query>(core, question.about, question.read, std::move(question.call), question.about,
                              question.kind);
}

template <class Answer>
std::optional<outcome> ask_later(std::shared_ptr<io::client_core> const& core, question<Answer> question,
                                 completion_ptr<Answer>& done) {
    return run_later<io::query>(core, question.about, std::move(question.read), done, std::move(question.call),
                                question.about, question.kind);
}

} // namespace redlatch::detail
