#include "locking/acquire_op.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::locking {

acquire_op::action acquire_op::attempt() {
    state_ = state::trying;
    action next{act::attempt, terms_.deadline};
    next.plain = std::exchange(terms_.plain, false) && !terms_.reentry;
    return next;
}

acquire_op::action acquire_op::finish(outcome how) {
    state_ = state::finished;
    outcome_ = how;
    return {act::finish};
}

acquire_op::action acquire_op::wait(base::instant until, channel_sample const& sample) {
    state_ = state::waiting;
    terms_.plain = false;
    return {act::wait, std::min(until, terms_.deadline), !sample.subscribed};
}

bool acquire_op::still_valid(base::instant sent_at, base::instant now) const noexcept {
    auto const by_lease = terms_.lease - terms_.margin;
    return now < base::later(sent_at, std::min(by_lease, terms_.max_hold.value_or(by_lease)));
}

acquire_op::action acquire_op::start() {
    REDLATCH_ASSERT(state_ == state::start);
    if (terms_.reentry || !terms_.may_wait) return attempt();
    state_ = state::queued;
    return {act::enqueue, terms_.deadline};
}

acquire_op::action acquire_op::on_head(base::instant now, bool held_back, channel_sample const& sample) {
    REDLATCH_ASSERT(state_ == state::queued);
    if (held_back) return wait(base::later(now, held_back_pause), sample);
    return attempt();
}

acquire_op::action acquire_op::on_answer(acquire_answer const& answer, base::instant sent_at, base::instant now,
                                         channel_sample const& before) {
    REDLATCH_ASSERT(state_ == state::trying);
    bool stale = false;
    switch (answer.what) {
    case acquire_answer::kind::not_understood: return finish(outcome::bad_reply);
    case acquire_answer::kind::acquired:
        if (still_valid(sent_at, now)) return finish(outcome::acquired);
        stale = true;
        break;
    case acquire_answer::kind::key_exists: return attempt();
    case acquire_answer::kind::busy:
        server_said_busy_ = true;
        if (std::exchange(racing_, false)) lost_race(now);
        break;
    }
    if (!terms_.may_wait || now >= terms_.deadline) {
        auto last = finish(terms_.may_wait ? outcome::timed_out : outcome::busy);
        last.fresh_id = stale;
        return last;
    }
    constexpr base::milliseconds least{1};
    auto const retry_after = stale ? least : std::max(answer.retry_after.value_or(terms_.longest_wait), least);
    auto next = wait(base::later(now, std::min(retry_after, terms_.longest_wait)), before);
    next.fresh_id = stale;
    return next;
}

acquire_op::action acquire_op::on_plain_refused() {
    REDLATCH_ASSERT(state_ == state::trying);
    return attempt();
}

acquire_op::action acquire_op::on_count_answer(count_answer answer, base::instant sent_at, base::instant now,
                                               base::instant validity) {
    REDLATCH_ASSERT(state_ == state::trying && terms_.reentry);
    switch (answer) {
    case count_answer::not_understood: return finish(outcome::bad_reply);
    case count_answer::not_held: return finish(outcome::lost);
    case count_answer::written: break;
    }
    return finish(still_valid(sent_at, now) || now < validity ? outcome::acquired : outcome::lost);
}

acquire_op::action acquire_op::on_error(connection::verdict what, base::instant now) {
    REDLATCH_ASSERT(state_ == state::trying);
    switch (what) {
    case connection::verdict::wrong_type: return finish(outcome::wrong_type);
    case connection::verdict::no_script: // to the script's text: no server says so honestly
    case connection::verdict::refused: return finish(outcome::refused);
    case connection::verdict::not_executed:
    case connection::verdict::read_only: break;
    }
    state_ = state::pausing;
    not_executed_ = true;
    return {act::pause, std::min(base::later(now, poll_pause), terms_.deadline)};
}

acquire_op::action acquire_op::on_woken(base::instant now, bool held_back, channel_sample const& sample,
                                        bool by_message) {
    REDLATCH_ASSERT(state_ == state::waiting || state_ == state::pausing);
    if (held_back) return wait(base::later(now, held_back_pause), sample);
    racing_ = racing_ || by_message;
    if (by_message && now < next_race_) {
        auto next = wait(next_race_, sample);
        next.deaf = true;
        return next;
    }
    return attempt();
}

void acquire_op::lost_race(base::instant now) {
    constexpr int most_doublings = 4;
    auto const moment = std::chrono::nanoseconds(first_moment) * (1 << std::min(races_lost_, most_doublings));
    base::random_source random(terms_.seed + static_cast<std::uint64_t>(++races_lost_));
    next_race_ = base::later(now, base::nanoseconds(random.up_to(moment.count())));
}

acquire_op::action acquire_op::on_deadline(bool known_busy) {
    if (server_said_busy_ || known_busy) return finish(outcome::timed_out);
    return finish(not_executed_ ? outcome::refused : outcome::disconnected);
}

} // namespace redlatch::locking
