// An acquisition that waits: in the queue of this process, for a message, for its turn among processes, or for a pause to end.
#include "base/recycling.hpp"
#include "io/acquisition.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace redlatch::io {

using locking::acquire_op;
using locking::lock_table;

void acquisition::prepare_waiter() {
    waiter_ = std::allocate_shared<locking::waiter>(base::recycling<locking::waiter>(), waker());
    waiter_->asked = asked_level(base::never);
    waiter_->asked.max_hold_until = base::never; // counts from the hand-off
    waiter_->max_hold = max_hold();
    waiter_->accepts_handoff = waiter_->asked.can_pass(); // nothing has been sent yet
}

/// With the table's mutex: in the same taking of it in which the tenure was opened.
void acquisition::enter_queue(lock_table& table, base::wake_list& woken) {
    waiter_->whose = tenure_;
    if (request_.record->queue.enter(waiter_)) {
        look(table, woken);
    } else {
        contended_ = true;
        lock_table::wait_again(*waiter_);
    }
}

/// With the table's mutex.
void acquisition::look(lock_table& table, base::wake_list& woken) {
    looked_ = true;
    contended_ = contended_ || request_.record->others_listen() || request_.record->had_to_wait();
    found_ = table.look(waiter_, now_, woken);
    left_to_pollers_ = request_.record->left_to_pollers(now_);
}

/// Another one of this process has the lock.
bool acquisition::watch(action const& next) {
    if (next.verify) core_->verify_hold(request_.record);
    bool const queued = op_.now_in() == acquire_op::state::queued;
    if (!next.listen) return queued ? suspend(nullptr, next.until) : pause(next.until);
    follow_key();
    listen_to_releases();
    if (!queued) sample_ = node_->messages().sample(*channel_); // what was published before is not for this one
    node_->messages().listen(channel_, waker(), true, blocking());
    return suspend(&node_->messages().line(), next.until);
}

/// After a wait behind a hold of this process: whether it is still there is asked where something was published, a subscription
/// has just been confirmed, or nothing was heard for long.
void acquisition::doubt_own_hold() {
    if (!op_.doubts()) return;
    op_.end_doubts();
    bool const over = now_ >= at().until;
    if (!channel_) {
        if (over) core_->verify_hold(request_.record);
        return;
    }
    auto const seen = node_->messages().sample(*channel_);
    if (seen.count > sample_.count || over) core_->verify_hold(request_.record);
    sample_ = seen;
}

/// It is the turn of other processes: of what has been published, only what comes from now on, or since the release that
/// told so, may be news of them.
void acquisition::leave_turn_to_others() {
    auto const& own = found_.own_release;
    if (found_.told_to_yield) {
        sample_ = own;
        return;
    }
    if (channel_) sample_ = node_->messages().sample(*channel_);
    if (own.session != sample_.session) return;
    sample_.count = std::max(sample_.count, own.count);
    sample_.messages = std::max(sample_.messages, own.messages);
}

/// Those that have waited for longer ask first.
locking::precedence acquisition::others_first(bool has_waited) {
    return core_->locked([&](lock_table&, base::wake_list&) {
        auto& record = *request_.record;
        auto* const contention = sample_.subscribed ? record.contend() : record.contended.get();
        return contention == nullptr ? locking::precedence() : contention->turn.others_first(sample_, has_waited, now_);
    });
}

bool acquisition::wait(action const& next) {
    wait_again();
    follow_key();
    bool const another = !channel_;
    listen_to_releases();
    node_->messages().listen(channel_, waker(), next.subscribe || another, blocking());
    auto until = next.until;
    if (node_->hears_nothing_of(*channel_))
        until = std::min(until, base::later(lease_clock::now(), acquire_op::poll_pause));
    return suspend(&node_->messages().line(), until);
}

bool acquisition::yield(action const& next) {
    wait_again();
    if (waiter_) core_->locked([&](lock_table&, base::wake_list&) { waiter_->yields = true; });
    if (!next.listen) {
        node_->messages().rest(*channel_, waker(),
                               !blocking()); // others have their turns: those need not wake this one
        return suspend(nullptr, next.until);
    }
    node_->messages().listen(channel_, waker(), false, blocking());
    return suspend(&node_->messages().line(), next.until);
}

bool acquisition::pause(base::instant until) {
    wait_again();
    if (waiter_) waiter_->refused.store(op_.was_refused(), std::memory_order_relaxed);
    return suspend(nullptr, std::min(until, outage_at()));
}

base::instant acquisition::outage_at() {
    auto const limit = core_->settings().outage_limit;
    if (!request_.waits_for_ever || limit.count() == 0) return base::never;
    auto const since = call_.under_way() ? std::min(node_->away_since(), call_.unheard_since()) : node_->away_since();
    return base::later(std::max(began_, since), limit);
}

/// No call is under way: what ends in this process may be for it, unless a copy of an earlier call may come to hold the lock.
void acquisition::wait_again() {
    if (waiter_)
        core_->locked([&](lock_table&, base::wake_list&) {
            waiter_->accepts_handoff = waiter_->asked.can_pass() && !may_hold_ && !tenure_->late_copy_possible;
            lock_table::wait_again(*waiter_);
        });
}

bool acquisition::on_waited() {
    if (cancelled()) return carry_out(op_.on_cancelled());
    if (core_->closed()) return carry_out(op_.on_closed());
    if (waiter_ && waiter_->granted.load(std::memory_order_acquire)) return on_granted();
    if (now_ >= request_.deadline) return carry_out(op_.on_deadline(of_others()));
    if (op_.now_in() == acquire_op::state::pausing && now_ >= outage_at()) return carry_out(op_.on_outage(true));
    bool const told = waiter_ && waiter_->released.load(std::memory_order_acquire);
    bool by_message = false;
    bool const over = now_ >= at().until || (op_.now_in() == acquire_op::state::pausing && refused_.told());
    bool const yielded = op_.now_in() == acquire_op::state::yielding;
    if (!told) {
        if (yielded && !op_.listens() && over) node_->messages().catch_up();
        if (op_.listens() || (yielded && over)) {
            auto const seen = node_->messages().sample(*channel_);
            by_message = over ? seen.count > sample_.count : op_.is_news(seen, sample_);
            if (by_message) sample_ = seen;
        }
        caught_up_ = by_message;
        if (!by_message && !over) return suspend(at().where, at().until);
    }
    refused_.leave();
    if (!waiter_) return carry_out(op_.on_woken(now_, false, sample_));
    core_->locked([&](lock_table& table, base::wake_list& woken) { look(table, woken); });
    switch (found_.what) {
    case lock_table::finding::kind::granted: return on_granted();
    case lock_table::finding::kind::held_here:
        return carry_out(op_.on_held_here(now_, found_.until, by_message || over));
    case lock_table::finding::kind::free: break;
    }
    if (found_.must_yield) leave_turn_to_others();
    // After a release of this process its next waiter asks at once: the turn goes on.
    after_silence_ = yielded && !by_message && !told;
    auto const others = found_.must_yield                  ? left_to_pollers_
                        : (by_message || yielded) && !told ? others_first(true)
                                                           : locking::precedence();
    return carry_out(op_.on_woken(now_, found_.must_yield, sample_, others));
}

/// At the deadline.
acquire_op::knowledge acquisition::of_others() {
    auto const now = lease_clock::now();
    bool unanswered = op_.trying() && now - asked_at_ >= node::longest_answer;
    bool head_is_refused = false;
    bool was_busy = false;
    bool const held = core_->locked([&](lock_table& table, base::wake_list&) {
        auto const& head = request_.record->queue.head();
        bool const is_behind = head && head != waiter_;
        bool const head_asks = is_behind && !head->waits;
        head_is_refused = is_behind && head->refused.load(std::memory_order_relaxed);
        unanswered = unanswered || (head_asks && now - std::max(began_, head->asks_since) >= node::longest_answer);
        // Beside another one that reads one may read, and who enters again waits for the server alone.
        if (request_.record->how->shared || op_.asked().reentry) return false;
        was_busy = request_.record->was_answered_after(began_); // what was answered before says nothing of this wait
        return table.holder(*request_.record, now) != nullptr || table.in_handoff(*request_.record) != nullptr;
    });
    if (!held && node_->is_away(now)) return acquire_op::knowledge::server_is_away;
    if (held || was_busy) return acquire_op::knowledge::lock_is_held;
    if (head_is_refused) {
        follow_key();
        if (auto said = node_->last_refusal(); !said.empty()) server_said_ = std::move(said);
        return acquire_op::knowledge::server_refuses;
    }
    bool const there = !unanswered && node_->is_there(now);
    return there ? acquire_op::knowledge::server_is_there : acquire_op::knowledge::nothing;
}

} // namespace redlatch::io
