#include "api/batch_series.hpp"

#include "api/both_forms.hpp"

namespace redlatch::detail {

bool batch_series::step() {
    for (;;) {
        if (!call_ && !ask()) return true;
        if (cancelled()) call_->cancel();
        if (!call_->step()) return suspend(call_->at().where, call_->at().until);
        read();
        if (result_) return true;
    }
}

bool batch_series::ready() const {
    return cancelled() || (call_ && call_->ready());
}

void batch_series::send(io::node& server, std::vector<std::string> commands, char const* subject) {
    call_.emplace(core_, &server, std::move(commands), subject);
    drive(*call_);
}

void batch_series::read() {
    try {
        must_have_succeeded(*call_);
        on_answers(call_->replies());
    } catch (error const& problem) {
        fail(problem);
    }
    call_.reset();
}

void batch_series::fail(error const& problem) {
    result_ = problem.code();
    message_ = problem.what();
}

} // namespace redlatch::detail
