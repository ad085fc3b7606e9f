#include "io/lock_call.hpp"

#include <utility>

namespace redlatch::io {

void lock_call::submit(std::string bytes, int replies) {
    call_ = connection::make_call();
    call_->bytes = std::move(bytes);
    call_->replies = replies;
    call_->waker = who_;
    where_->submit(call_, will_wait_, unless_);
}

void lock_call::prepare(call_lane& where, base::waker const& who, bool will_wait, std::atomic<bool> const* unless) {
    where_ = &where;
    unless_ = unless;
    who_ = who;
    will_wait_ = will_wait;
    by_text_ = unfenced_ = false;
}

void lock_call::begin(call_lane& where, locking::script_call what, base::waker const& who, bool will_wait,
                      std::atomic<bool> const* unless) {
    prepare(where, who, will_wait, unless);
    what_.emplace(std::move(what));
    submit(what_->take_by_sha());
}

void lock_call::begin_by_text(call_lane& where, locking::script_call what, base::waker const& who, bool will_wait) {
    prepare(where, who, will_wait, nullptr);
    what_.emplace(std::move(what));
    by_text_ = true;
    submit(what_->by_text());
}

void lock_call::begin(call_lane& where, locking::plain_call what, base::waker const& who, bool will_wait,
                      std::atomic<bool> const* unless) {
    prepare(where, who, will_wait, unless);
    what_.reset();
    submit(std::move(what.bytes), what.replies);
}

connection::call_ptr lock_call::take() {
    auto answered = std::exchange(call_, nullptr);
    if (answered->repeated() && !answered->fenced) unfenced_ = true;
    bool const unknown_script =
        what_ && answered->reply.is_error() && connection::judge(answered->reply) == connection::verdict::no_script;
    if (!unknown_script || by_text_) return answered;
    by_text_ = true;
    submit(what_->by_text(answered->bytes));
    return nullptr;
}

bool lock_call::abandon(std::function<void(resp::value const&)> late, std::optional<half_answer>* half) {
    auto const which = std::exchange(call_, nullptr);
    if (!which) return false;
    bool const may_run = where_->abandon(which, std::move(late));
    if (!which->fenced) unfenced_ = true;
    if (half != nullptr && which->cut_short) *half = half_answer{std::move(which->reply), which->handed > 0};
    return may_run;
}

} // namespace redlatch::io
