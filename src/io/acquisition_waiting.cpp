// An acquisition that waits: for a message, for its turn among processes, or for a pause to end.
#include "io/acquisition.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::io {

using locking::acquire_op;
using locking::lock_table;

/// How long a waiter relies on a hold of its own process before it listens to the channel as well: hand-offs are quicker.
constexpr base::milliseconds trusts_own_hold{50};

/// Before a wait ends without an answer from the server, the head of the queue asks: time enough for that.
constexpr base::milliseconds before_deadline{8};

/// Others of this process are before this one, and the first of them asks the server.
bool acquisition::wait_behind_head() {
    if (hurried_head_ || request_.deadline == base::never) return suspend(nullptr, request_.deadline);
    auto const left = std::min<base::nanoseconds>(before_deadline, (request_.deadline - began_) / 2);
    auto const hurries_at = request_.deadline - left;
    if (now_ < hurries_at) return suspend(nullptr, hurries_at);
    hurried_head_ = true;
    core_->locked([&](lock_table&, base::wake_list& woken) {
        if (request_.record->answered_at <= began_) request_.record->queue.hurry_head(woken);
    });
    return suspend(nullptr, request_.deadline);
}

/// Another one of this process has the lock. Its end is told here; that somebody else has ended it by force is heard from the
/// channel, and that an administrator has deleted the key is not heard at all.
bool acquisition::wait_behind_own_hold() {
    if (behind_own_hold_since_ == base::never) behind_own_hold_since_ = now_;
    auto const until = std::min(request_.deadline, found_.until);
    auto const asks_again = base::later(now_, core_->settings().lock_watchdog_timeout / 3);
    if (!request_.record->has_channel()) {
        doubts_own_hold_ = true;
        return suspend(nullptr, std::min(until, asks_again));
    }
    auto const listens_from = base::later(behind_own_hold_since_, trusts_own_hold);
    if (now_ < listens_from) return suspend(nullptr, std::min(until, listens_from));
    if (!channel_) channel_ = node_->messages().attach(request_.record->channel);
    doubts_own_hold_ = true;
    node_->messages().listen(channel_, waker(), true, blocking());
    return suspend(&node_->messages().line(), std::min(until, asks_again));
}

/// The same after it has asked the server: another one here was faster, and what was published before is not for us.
bool acquisition::wait_again_behind_own_hold(bool heard) {
    if (behind_own_hold_since_ == base::never) behind_own_hold_since_ = now_;
    bool const over = now_ >= at().until;
    if ((heard || over) && now_ - behind_own_hold_since_ >= trusts_own_hold) core_->verify_hold(request_.record);
    auto const asks_again = base::later(now_, core_->settings().lock_watchdog_timeout / 3);
    auto const until = std::min({request_.deadline, found_.until, asks_again});
    if (!request_.record->has_channel()) return pause(until);
    if (!channel_) channel_ = node_->messages().attach(request_.record->channel);
    stage_ = stage::waiting;
    expected_ = news::any;
    sample_ = node_->messages().sample(*channel_);
    node_->messages().listen(channel_, waker(), true, blocking());
    return suspend(&node_->messages().line(), until);
}

/// After a wait behind a hold of this process: whether it is still there is asked where something was published, a subscription
/// has just been confirmed, or nothing was heard for long.
void acquisition::doubt_own_hold() {
    if (!std::exchange(doubts_own_hold_, false)) return;
    bool const over = now_ >= at().until;
    if (!channel_) {
        if (over) core_->verify_hold(request_.record);
        return;
    }
    auto const seen = node_->messages().sample(*channel_);
    if (seen.count > sample_.count || over) core_->verify_hold(request_.record);
    sample_ = seen;
}

/// It is the turn of other processes: of what has been published, only what comes from now on may be news of them.
void acquisition::yield_to_others() {
    if (channel_) sample_ = node_->messages().sample(*channel_);
    if (auto const& own = found_.own_release; own.session == sample_.session) {
        sample_.count = std::max(sample_.count, own.count);
        sample_.messages = std::max(sample_.messages, own.messages);
    }
    held_back_ = true;
}

/// Those that have waited for longer ask first; nothing is known of them while this process does not listen.
locking::precedence acquisition::others_first(bool has_waited) {
    if (!sample_.subscribed) return {};
    return core_->locked(
        [&](lock_table&, base::wake_list&) { return request_.record->turn.others_first(sample_, has_waited, now_); });
}

bool acquisition::has_news(locking::channel_sample const& now) const noexcept {
    switch (expected_) {
    case news::messages: return now.messages > sample_.messages;
    case news::turns: return now.turns > sample_.turns || now.count - now.messages > sample_.count - sample_.messages;
    case news::any: break;
    }
    return now.count > sample_.count;
}

bool acquisition::wait(action const& next) {
    stage_ = stage::waiting;
    expected_ = held_back_ ? news::messages : news::any;
    yields_ = false;
    wait_again();
    if (!channel_) channel_ = node_->messages().attach(request_.record->channel);
    node_->messages().listen(channel_, waker(), next.subscribe, blocking());
    bool refused = false;
    node_->messages().line().with([&] { refused = channel_->now_in == locking::channel::state::refused; });
    auto until = next.until;
    if (refused) until = std::min(until, base::later(lease_clock::now(), acquire_op::poll_pause));
    return suspend(&node_->messages().line(), until);
}

bool acquisition::yield(action const& next) {
    yields_ = true;
    wait_again();
    if (waiter_) core_->locked([&](lock_table&, base::wake_list&) { waiter_->yields = true; });
    if (!next.listen) {
        stage_ = stage::yielding;
        node_->messages().rest(*channel_, waker(),
                               !blocking()); // others have their turns: those need not wake this one
        return suspend(nullptr, next.until);
    }
    stage_ = stage::waiting;
    expected_ = news::turns;
    node_->messages().listen(channel_, waker(), false, blocking());
    return suspend(&node_->messages().line(), next.until);
}

bool acquisition::pause(base::instant until) {
    stage_ = stage::pausing;
    wait_again();
    return suspend(nullptr, std::min(until, outage_at()));
}

/// No call is under way: what ends in this process may be for it, unless a copy of an earlier call may come to hold the lock.
void acquisition::wait_again() {
    held_back_ = false;
    if (waiter_)
        core_->locked([&](lock_table&, base::wake_list&) {
            waiter_->accepts_handoff = !request_.lease && !may_hold_ && !tenure_->late_copy_possible;
            lock_table::wait_again(*waiter_);
        });
}

bool acquisition::on_waited() {
    if (cancelled()) return carry_out(op_->on_cancelled());
    if (core_->closed()) return carry_out(op_->on_closed());
    if (waiter_ && waiter_->granted.load(std::memory_order_acquire)) return on_granted();
    if (now_ >= request_.deadline) return carry_out(op_->on_deadline(of_others()));
    if (stage_ == stage::pausing && now_ >= outage_at()) return carry_out(op_->on_outage(true));
    bool const told = waiter_ && waiter_->released.load(std::memory_order_acquire);
    bool by_message = false;
    bool const yielded = std::exchange(yields_, false);
    if (!told) {
        bool const over = now_ >= at().until;
        if (stage_ == stage::yielding && over) node_->messages().catch_up();
        if (stage_ == stage::waiting || (stage_ == stage::yielding && over)) {
            auto const seen = node_->messages().sample(*channel_);
            by_message = over ? seen.count > sample_.count : has_news(seen);
            if (by_message) sample_ = seen;
        }
        caught_up_ = by_message;
        if (!by_message && !over) {
            yields_ = yielded;
            return suspend(at().where, at().until);
        }
    }
    if (!waiter_) return carry_out(op_->on_woken(now_, false, sample_));
    core_->locked([&](lock_table& table, base::wake_list& woken) { look(table, woken); });
    switch (found_.what) {
    case lock_table::finding::kind::granted: return on_granted();
    case lock_table::finding::kind::held_here: return wait_again_behind_own_hold(by_message);
    case lock_table::finding::kind::free: break;
    }
    behind_own_hold_since_ = base::never;
    if (found_.must_yield) yield_to_others();
    // After a release of this process its next waiter asks at once: the turn goes on.
    after_silence_ = yielded && !by_message && !told;
    auto const others = (by_message || yielded) && !told ? others_first(true) : locking::precedence();
    return carry_out(op_->on_woken(now_, held_back_, sample_, others));
}

} // namespace redlatch::io
