#include "io/lock_call.hpp"

#include "base/hash_slot.hpp"
#include "connection/redirect.hpp"
#include "connection/server_error.hpp"
#include "resp/command.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace redlatch::io {

void lock_call::submit(std::string bytes, base::waker waker) {
    call_ = connection::make_call();
    call_->bytes = std::move(bytes);
    call_->replies = replies_;
    call_->impatient = impatient_ && !(at_first_only_ && redirected());
    call_->once = once_;
    call_->slot = slot_;
    call_->waker = std::move(waker);
    permission_ = nullptr;
    call_->behind_asking = std::exchange(asking_, false);
    if (!call_->behind_asking) return where_->submit(call_, will_wait_, unless_);
    permission_ = connection::make_call();
    permission_->bytes = resp::command("ASKING");
    permission_->impatient = call_->impatient; // it does not stay behind where the call does not wait
    permission_->once = call_->once;
    permission_->slot = call_->slot;
    where_->submit_all(std::array{permission_, call_}, will_wait_, unless_);
}

void lock_call::prepare(call_lane& lane, locking::wire_call const& call, bool will_wait) {
    where_ = &lane;
    script_ = call.text_of;
    replies_ = call.replies;
    will_wait_ = will_wait;
    unless_ = nullptr;
    slot_ = lane.is_of_cluster() && call.key_size > 0 ? base::hash_slot(call.key()) : -1;
    redirected_at_ = base::never;
    redirects_in_a_row_ = 0;
    asking_ = false;
    by_text_ = repeated_ = late_copy_possible_ = false;
}

void lock_call::begin(call_lane& lane, locking::wire_call call, base::waker const& waker, bool will_wait,
                      std::atomic<bool> const* unless) {
    prepare(lane, call, will_wait);
    unless_ = unless;
    submit(std::move(call.bytes), waker);
}

void lock_call::begin_by_text(call_lane& lane, locking::wire_call const& call, base::waker const& waker,
                              bool will_wait) {
    prepare(lane, call, will_wait);
    by_text_ = true;
    submit(locking::by_text(*script_, call.bytes), waker);
}

connection::call_ptr lock_call::take(base::function_ref<base::waker()> make_waker) {
    auto answered = std::exchange(call_, nullptr);
    repeated_ = repeated_ || answered->repeated();
    if (answered->repeated() && answered->late_copy_possible) late_copy_possible_ = true;
    if (slot_ >= 0 && answered->reply.is_error() && follow(*answered, make_waker)) return nullptr;
    bool const unknown_script = script_ != nullptr && answered->reply.is_error()
                                && connection::judge(answered->reply) == connection::verdict::no_script;
    if (!unknown_script || by_text_) return answered;
    by_text_ = true;
    asking_ = answered->behind_asking;
    submit(locking::by_text(*script_, answered->bytes), make_waker());
    return nullptr;
}

/// False: it is no redirect.
bool lock_call::follow(connection::call& answered, base::function_ref<base::waker()> make_waker) {
    constexpr int most_redirects = 8;
    auto const elsewhere = connection::read_redirect(answered.reply);
    if (!elsewhere) return false;
    if (permission_ && permission_->finished() && !permission_->sent_away && permission_->reply.is_error()) {
        // Without the right to ask, or while the node loads its data: it would be sent to and fro.
        answered.reply = permission_->reply;
        return false;
    }
    // A node that could not be reached has not said anything.
    redirects_in_a_row_ = answered.sent_away ? 0 : redirects_in_a_row_ + 1;
    if (redirects_in_a_row_ > most_redirects) { // nodes that do not agree will, in a moment
        answered.reply.text =
            std::string(connection::redirected_too_often) + ", the last time by " + answered.reply.text;
        return false;
    }
    if (!redirected()) redirected_at_ = lease_clock::now();
    where_ = &where_->other(*elsewhere);
    asking_ = elsewhere->what == connection::redirect::kind::ask;
    submit(std::move(answered.bytes), make_waker());
    return true;
}

base::instant lock_call::unheard_since() const {
    return redirected() ? std::max(redirected_at_, line().unheard_since()) : base::never;
}

bool lock_call::abandon(std::function<void(resp::value const&)> late, std::optional<half_answer>* half) {
    auto const call = std::exchange(call_, nullptr);
    if (!call) return false;
    if (auto const permission = std::exchange(permission_, nullptr)) where_->abandon(permission);
    bool const may_run = where_->abandon(call, std::move(late));
    if (call->late_copy_possible) late_copy_possible_ = true;
    if (half != nullptr && call->cut_short) *half = half_answer{std::move(call->reply), call->handed > 0};
    return may_run;
}

} // namespace redlatch::io
