#include "connection/multiplexer.hpp"

#include "base/assert.hpp"
#include "connection/redirect.hpp"
#include "resp/command.hpp"

#include <new>
#include <utility>

namespace redlatch::connection {

namespace {

class nobody final : public base::wakeable {
public:
    void wake() noexcept override {}
};

/// A handler of a late reply that does not come: what it owns ends when the mutex is free, for it may do what must not be
/// done under it.
void keep_handler(call_ptr const& call, base::wake_list& woken) {
    static constinit nobody none;
    if (call->late) woken.add(base::waker(call, &none));
}

} // namespace

void multiplexer::finish(call& call, call::state state, base::wake_list& woken) {
    call.status.store(state, std::memory_order_release);
    woken.add(call.waker);
    call.waker.reset();
}

void multiplexer::refuse(call& call) {
    call.waker.reset(); // whoever submits sees it at once; a task that owns the call would never be freed
    call.status.store(call::state::closed, std::memory_order_release);
}

void multiplexer::stage(call_ptr const& call, base::instant now) {
    out.make_room(
        call->bytes.size()); // what throws comes first: bytes without their place in line would shift all answers
    due_.push_back(call);
    call->begin = out.position();
    out.stage(call->bytes);
    call->end = out.position();
    call->sent_at = now;
    call->status.store(call::state::staged, std::memory_order_relaxed);
    commands_ += static_cast<std::uint64_t>(call->replies);
}

void multiplexer::submit(call_ptr const& call, base::instant now) {
    if (closed_ || (away_ && call->impatient)) {
        refuse(*call);
        return;
    }
    if (retired_ && call->slot >= 0) {
        base::wake_list nobody; // whoever submits sees it at once
        call->waker.reset();
        send_away(*call, nobody);
        return;
    }
    if (up_)
        stage(call, now);
    else
        keep(call);
}

void multiplexer::retire(bool retired, base::wake_list& woken) {
    bool const was_retired = std::exchange(retired_, retired);
    if (retired) return send_away([](std::uint16_t) { return true; }, woken);
    if (was_retired) away_ = interrupted_ = false; // whether it can be reached is not known any more
}

void multiplexer::send_away(base::function_ref<bool(std::uint16_t)> gone, base::wake_list& woken) {
    call_list others;
    while (!waiting_.empty()) {
        auto const call = waiting_.pop_front();
        if (call->slot < 0 || !gone(static_cast<std::uint16_t>(call->slot)))
            others.push_back(call);
        else if (call->once) // as where it has waited for a connection
            finish(*call, call::state::closed, woken);
        else
            send_away(*call, woken);
    }
    while (!others.empty()) waiting_.push_back(others.pop_front());
}

void multiplexer::send_away(call& call, base::wake_list& woken) {
    call.reply = moved_away(static_cast<std::uint16_t>(call.slot));
    call.sent_away = true;
    // Its connection is killed by the next one to this node, which may never be made.
    if (call.handed > 0) call.late_copy_possible = true;
    finish(call, call::state::answered, woken);
}

bool multiplexer::abandon(call_ptr const& call) {
    call->abandoned = true;
    call->cut_short = call->heard > 0;
    call->waker.reset();
    if (late_copies_possible_) call->late_copy_possible = true; // nobody will see its answer, which would say so
    if (call->status.load(std::memory_order_relaxed) == call::state::waiting) {
        waiting_.remove(*call);
        return call->handed > 0;
    }
    return true; // what is staged will be sent: order on this connection is all that its sequel needs
}

void multiplexer::stage_predecessor_kills(base::instant now) {
    late_copies_possible_ = forgot_predecessors_;
    forgot_predecessors_ = false;
    std::erase_if(predecessors_, [this](identity const& former) {
        bool const other_run = !self_.run_id.empty() && !former.run_id.empty() && former.run_id != self_.run_id;
        // Another run of the same server has nothing of its predecessor's connections. But where another server has become the
        // master, the former one may be it again when it reads what is on its way there.
        if (other_run && former.server != self_.server && !former.server.empty() && !self_.server.empty())
            late_copies_possible_ = true;
        return other_run;
    });
    auto const cannot = [this](identity const& former) { return !former.known() || !self_.known(); };
    if (std::erase_if(predecessors_, cannot) > 0) late_copies_possible_ = true;
    kills_due_ = predecessors_.size();
    for (auto const& former : predecessors_) {
        auto kill = make_call();
        kill->bytes = resp::command("CLIENT", "KILL", "ID", std::to_string(former.client_id), "ADDR", former.address);
        kill->internal = true;
        stage(kill, now);
    }
}

void multiplexer::on_kill_answer(resp::value const& answer) {
    --kills_due_;
    REDLATCH_ASSERT(!predecessors_.empty());
    predecessors_.erase(predecessors_.begin()); // they were staged in this order
    if (!answer.is_integer()) late_copies_possible_ = true;
    note_missing_right(missing_rights, "client|kill", answer);
}

void multiplexer::on_up(identity const& self, base::instant now, base::wake_list& woken) {
    REDLATCH_ASSERT(!up_ && due_.empty());
    up_ = true;
    away_ = false;
    ++connection_;
    self_ = self;
    out.reset();
    stage_predecessor_kills(now);
    for (; !waiting_.empty(); waiting_.pop_front()) {
        auto const& call = waiting_.front();
        bool const first = !interrupted_ && call->slot >= 0; // a node of a cluster is connected to when it is needed
        if (call->once && !first)                            // what it says may be true no more: its sender asks anew
            finish(*call, call::state::closed, woken);
        else
            stage(call, now);
    }
    interrupted_ = false;
}

void multiplexer::on_down(base::instant, base::wake_list& woken) noexcept {
    REDLATCH_ASSERT(up_ && waiting_.empty());
    up_ = false;
    interrupted_ = !retired_;
    kills_due_ = 0;
    bool may_still_run = false;
    for (auto const& call : due_) {
        bool const sent = call->begin < out.handed();
        if (late_copies_possible_) call->late_copy_possible = true;
        if (sent) {
            ++call->handed;
            may_still_run = may_still_run || !call->internal;
        }
        keep_handler(call, woken);
        if (call->internal || call->abandoned) continue;
        if (call->once) {
            finish(*call, call::state::closed, woken);
            continue;
        }
        if (call->heard > 0) { // its first command is done, and is not to be done again
            call->cut_short = true;
            finish(*call, call::state::answered, woken);
            continue;
        }
        call->status.store(call::state::waiting, std::memory_order_relaxed);
        keep(call); // in their order, and before all that is submitted from now on
    }
    due_.clear();
    out.reset();
    if (retired_) retire(true, woken);
    if (!may_still_run) return;
    if (predecessors_.size() >= most_predecessors) {
        predecessors_.erase(predecessors_.begin());
        forgot_predecessors_ = true;
    }
    try {
        predecessors_.push_back(self_);
    } catch (std::bad_alloc const&) { // nobody will kill it: what it may still run is swept up
        forgot_predecessors_ = true;
    }
}

bool multiplexer::on_value(resp::value&& incoming, base::instant, base::wake_list& woken) {
    if (due_.empty()) return false;
    if (due_.front()->heard + 1 < due_.front()->replies) {
        auto& first = *due_.front();
        ++first.heard;
        if (!first.abandoned) first.reply = std::move(incoming);
        return true;
    }
    auto const call = std::move(due_.front());
    due_.pop_front();
    if (kills_due_ > 0) {
        on_kill_answer(incoming);
        return true;
    }
    ++call->handed;
    if (late_copies_possible_)
        call->late_copy_possible = true; // for good: a later connection does not know that predecessor any more
    if (call->internal && !call->late) note_missing_right(missing_rights, "ping", incoming);
    if (call->abandoned) {
        if (call->late) late_.push_back({std::move(call->late), std::move(incoming)});
        return true;
    }
    call->connection = connection_;
    (call->heard == 0 ? call->reply : call->second) = std::move(incoming);
    finish(*call, call::state::answered, woken);
    return true;
}

void multiplexer::keep(call_ptr const& call) {
    some_are_impatient_ = some_are_impatient_ || call->impatient;
    waiting_.push_back(call);
}

void multiplexer::on_unreachable(base::wake_list& woken) {
    away_ = interrupted_ = true;
    if (!std::exchange(some_are_impatient_, false)) return;
    call_list others;
    while (!waiting_.empty()) {
        auto const call = waiting_.pop_front();
        if (call->impatient)
            finish(*call, call::state::closed, woken);
        else
            others.push_back(call);
    }
    while (!others.empty()) waiting_.push_back(others.pop_front());
}

void multiplexer::on_closed(base::wake_list& woken) {
    closed_ = true;
    up_ = false;
    for (auto const& call : due_) {
        if (call->begin < out.handed()) ++call->handed;
        keep_handler(call, woken);
        finish(*call, call::state::closed, woken);
    }
    for (; !waiting_.empty(); waiting_.pop_front()) finish(*waiting_.front(), call::state::closed, woken);
    due_.clear();
    out.reset();
}

void multiplexer::stage_ping(base::instant now) {
    if (!up_) return;
    auto ping = make_call();
    ping->bytes = resp::command("PING");
    ping->internal = true;
    ping->abandoned = true;
    stage(ping, now);
}

} // namespace redlatch::connection
