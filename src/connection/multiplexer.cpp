#include "connection/multiplexer.hpp"

#include "base/assert.hpp"
#include "resp/command.hpp"

#include <utility>

namespace redlatch::connection {

void multiplexer::finish(call& which, call::state how, base::wake_list& woken) {
    which.status.store(how, std::memory_order_release);
    woken.add(which.waker);
    which.waker.reset();
}

void multiplexer::refuse(call& which) {
    which.waker.reset(); // whoever submits sees it at once; a task that owns the call would never be freed
    which.status.store(call::state::closed, std::memory_order_release);
}

void multiplexer::stage(call_ptr const& which, base::instant now) {
    out.make_room(
        which->bytes.size()); // what throws comes first: bytes without their place in line would shift all answers
    due_.push_back(which);
    which->begin = out.position();
    out.stage(which->bytes);
    which->end = out.position();
    which->sent_at = now;
    which->status.store(call::state::staged, std::memory_order_relaxed);
    commands_ += static_cast<std::uint64_t>(which->replies);
}

void multiplexer::submit(call_ptr const& which, base::instant now) {
    if (closed_ || (away_ && which->impatient)) {
        refuse(*which);
        return;
    }
    if (up_)
        stage(which, now);
    else
        keep(which);
}

bool multiplexer::abandon(call_ptr const& which) {
    which->abandoned = true;
    which->cut_short = which->heard > 0;
    which->waker.reset();
    if (fence_refused_) which->fenced = false; // nobody will see its answer, which would say so
    if (which->status.load(std::memory_order_relaxed) == call::state::waiting) {
        waiting_.remove(*which);
        return which->handed > 0;
    }
    return true; // what is staged will be sent: order on this connection is all that its sequel needs
}

void multiplexer::stage_fences(base::instant now) {
    fence_refused_ = forgot_predecessors_;
    forgot_predecessors_ = false;
    std::erase_if(unfenced_, [this](identity const& former) {
        // Another run of the server has nothing of its predecessor's connections.
        return !self_.run_id.empty() && !former.run_id.empty() && former.run_id != self_.run_id;
    });
    auto const cannot = [this](identity const& former) { return !former.known() || !self_.known(); };
    if (std::erase_if(unfenced_, cannot) > 0) fence_refused_ = true;
    fences_due_ = unfenced_.size();
    for (auto const& former : unfenced_) {
        auto fence = make_call();
        fence->bytes = resp::command("CLIENT", "KILL", "ID", std::to_string(former.client_id), "ADDR", former.address);
        fence->internal = true;
        stage(fence, now);
    }
}

void multiplexer::on_fence_answer(resp::value const& answer) {
    --fences_due_;
    REDLATCH_ASSERT(!unfenced_.empty());
    unfenced_.erase(unfenced_.begin()); // fences were staged in this order
    if (!answer.is_integer()) fence_refused_ = true;
}

void multiplexer::on_up(identity const& self, base::instant now, base::wake_list& woken) {
    REDLATCH_ASSERT(!up_ && due_.empty());
    up_ = true;
    away_ = false;
    ++connection_;
    self_ = self;
    out.reset();
    stage_fences(now);
    for (; !waiting_.empty(); waiting_.pop_front()) {
        auto const& which = waiting_.front();
        if (which->once) // what it says may be true no more: its sender asks anew
            finish(*which, call::state::closed, woken);
        else
            stage(which, now);
    }
}

void multiplexer::on_down(base::instant, base::wake_list& woken) {
    REDLATCH_ASSERT(up_ && waiting_.empty());
    up_ = false;
    fences_due_ = 0;
    bool may_still_run = false;
    for (auto const& which : due_) {
        bool const sent = which->begin < out.handed();
        if (fence_refused_) which->fenced = false;
        if (sent) {
            ++which->handed;
            may_still_run = may_still_run || !which->internal;
        }
        if (which->internal || which->abandoned) continue;
        if (which->once) {
            finish(*which, call::state::closed, woken);
            continue;
        }
        if (which->heard > 0) { // its first command is done, and is not to be done again
            which->cut_short = true;
            finish(*which, call::state::answered, woken);
            continue;
        }
        which->status.store(call::state::waiting, std::memory_order_relaxed);
        keep(which); // in their order, and before all that is submitted from now on
    }
    due_.clear();
    out.reset();
    if (!may_still_run) return;
    if (unfenced_.size() >= most_predecessors) {
        unfenced_.erase(unfenced_.begin());
        forgot_predecessors_ = true;
    }
    unfenced_.push_back(self_);
}

bool multiplexer::on_value(resp::value&& incoming, base::instant, base::wake_list& woken) {
    if (due_.empty()) return false;
    if (due_.front()->heard + 1 < due_.front()->replies) {
        auto& first = *due_.front();
        ++first.heard;
        if (!first.abandoned) first.reply = std::move(incoming);
        return true;
    }
    auto const which = std::move(due_.front());
    due_.pop_front();
    if (fences_due_ > 0) {
        on_fence_answer(incoming);
        return true;
    }
    ++which->handed;
    if (fence_refused_) which->fenced = false; // for good: a later connection does not know that predecessor any more
    if (which->abandoned) {
        if (which->late) late_.push_back({std::move(which->late), std::move(incoming)});
        return true;
    }
    which->connection = connection_;
    (which->heard == 0 ? which->reply : which->second) = std::move(incoming);
    finish(*which, call::state::answered, woken);
    return true;
}

void multiplexer::keep(call_ptr const& which) {
    some_are_impatient_ = some_are_impatient_ || which->impatient;
    waiting_.push_back(which);
}

void multiplexer::on_unreachable(base::wake_list& woken) {
    away_ = true;
    if (!std::exchange(some_are_impatient_, false)) return;
    call_list others;
    while (!waiting_.empty()) {
        auto const which = waiting_.pop_front();
        if (which->impatient)
            finish(*which, call::state::closed, woken);
        else
            others.push_back(which);
    }
    while (!others.empty()) waiting_.push_back(others.pop_front());
}

void multiplexer::on_closed(base::wake_list& woken) {
    closed_ = true;
    up_ = false;
    for (auto const& which : due_) finish(*which, call::state::closed, woken);
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
