#include "io/scripted_call.hpp"

#include <utility>

namespace redlatch::io {

void scripted_call::submit(std::string bytes) {
    call_ = std::make_shared<connection::call>();
    call_->bytes = std::move(bytes);
    call_->waker = who_;
    where_->submit(call_, will_wait_, unless_);
}

void scripted_call::begin(call_lane& where, locking::script_call what, base::waker const& who, bool will_wait,
                          std::atomic<bool> const* unless) {
    where_ = &where;
    unless_ = unless;
    what_.emplace(std::move(what));
    who_ = who;
    will_wait_ = will_wait;
    by_text_ = unfenced_ = false;
    submit(what_->take_by_sha());
}

connection::call_ptr scripted_call::take() {
    auto answered = std::exchange(call_, nullptr);
    if (answered->repeated() && !answered->fenced) unfenced_ = true;
    bool const unknown_script =
        answered->reply.is_error() && connection::judge(answered->reply) == connection::verdict::no_script;
    if (!unknown_script || by_text_) return answered;
    by_text_ = true;
    submit(what_->by_text(answered->bytes));
    return nullptr;
}

bool scripted_call::abandon(std::function<void(resp::value const&)> late) {
    auto const which = std::exchange(call_, nullptr);
    if (!which) return false;
    bool const may_run = where_->abandon(which, std::move(late));
    if (!which->fenced) unfenced_ = true;
    return may_run;
}

} // namespace redlatch::io
