#include "locking/acquire_op.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::locking {

acquire_op::action acquire_op::attempt() {
    state_ = state::trying;
    asked_ = true;
    action next{act::attempt, terms_.deadline};
    next.plain = std::exchange(terms_.plain, false) && !terms_.reentry;
    return next;
}

acquire_op::action acquire_op::finish(outcome result) {
    state_ = state::finished;
    outcome_ = result;
    return {act::finish};
}

acquire_op::action acquire_op::wait(base::instant until, channel_sample const& sample, awaited expected) {
    state_ = state::waiting;
    expected_ = expected;
    terms_.plain = false;
    action next{act::wait, std::min(until, terms_.deadline)};
    next.subscribe = !sample.subscribed;
    return next;
}

acquire_op::action acquire_op::pause(base::instant until) {
    state_ = state::pausing;
    terms_.plain = false;
    return {act::pause, std::min(until, terms_.deadline)};
}

base::milliseconds acquire_op::next_retry_pause() {
    auto const& policy = *terms_.backoff;
    auto const now = retry_pause_;
    auto const chance = base::milliseconds(random_.up_to(policy.multiplier - 1));
    retry_pause_ = now >= policy.longest / policy.multiplier ? policy.longest : now * policy.multiplier + chance;
    retry_pause_ = std::min(retry_pause_, policy.longest);
    return now;
}

base::instant acquire_op::last_moment_to_ask() const noexcept {
    if (asked_ || terms_.deadline == base::never) return base::never;
    return terms_.deadline - std::min<base::nanoseconds>(before_deadline, (terms_.deadline - terms_.began) / 2);
}

acquire_op::action acquire_op::yield(base::instant now, channel_sample const& sample, precedence const& others_first) {
    bool const known = terms_.backoff && others_first.time.count() > 0;
    auto const time = known ? std::min<base::nanoseconds>(others_first.time, yield_pause) : yield_pause;
    auto const until = std::min(base::later(now, time), last_moment_to_ask());
    if (now >= until) return attempt();
    return terms_.backoff ? pause(until) : wait(until, sample, awaited::messages);
}

acquire_op::action acquire_op::attempt_after(precedence const& others_first, base::instant now) {
    auto const then = std::min(base::later(now, others_first.time), last_moment_to_ask());
    if (now >= then) return attempt();
    if (terms_.backoff) return pause(then);
    state_ = state::yielding;
    expected_ = awaited::turns;
    terms_.plain = false;
    action next{act::yield, std::min(then, terms_.deadline)};
    next.listen = listens_ = others_first.near;
    return next;
}

bool acquire_op::still_valid(base::instant sent_at, base::instant now) const noexcept {
    auto const by_lease = terms_.lease - terms_.margin;
    return now < base::later(sent_at, std::min(by_lease, terms_.max_hold.value_or(by_lease)));
}

acquire_op::action acquire_op::start() {
    REDLATCH_ASSERT(state_ == state::start);
    if (terms_.reentry || !terms_.may_wait) return attempt();
    if (!terms_.queues_here) {
        auto const until = std::min(terms_.listens_until, last_moment_to_ask());
        return until > terms_.began ? wait(until, {}, awaited::any) : attempt();
    }
    state_ = state::queued;
    return {act::queue, terms_.deadline};
}

acquire_op::action acquire_op::on_behind_head(base::instant now) {
    REDLATCH_ASSERT(state_ == state::queued);
    action next{act::queue, terms_.deadline};
    if (hurried_head_ || terms_.deadline == base::never) return next;
    auto const hurries_at = last_moment_to_ask();
    next.hurry = hurried_head_ = now >= hurries_at;
    if (!next.hurry) next.until = hurries_at;
    return next;
}

/// The end of that hold is told within the process; that somebody else has ended it by force is heard from the channel, and
/// that an administrator has deleted the key is not heard at all.
acquire_op::action acquire_op::on_held_here(base::instant now, base::instant until, bool news) {
    if (held_here_since_ == base::never) held_here_since_ = now;
    auto const listens_from = base::later(held_here_since_, trusts_own_hold);
    action next{act::watch, std::min({terms_.deadline, until, base::later(now, terms_.longest_wait / 3)})};
    next.listen = !terms_.backoff;
    if (state_ != state::queued) { // it has asked the server, and another one here was faster
        next.verify = news && now >= listens_from;
        expected_ = awaited::any;
        state_ = next.listen ? state::waiting : state::pausing;
        return next;
    }
    if (next.listen && now < listens_from) return {act::watch, std::min({terms_.deadline, until, listens_from})};
    doubts_ = true;
    return next;
}

bool acquire_op::is_news(channel_sample const& now, channel_sample const& before) const noexcept {
    switch (expected_) {
    case awaited::messages: return now.messages > before.messages;
    case awaited::turns: return now.turns > before.turns || now.count - now.messages > before.count - before.messages;
    case awaited::any: break;
    }
    return now.count > before.count;
}

acquire_op::action acquire_op::on_head(base::instant now, bool must_yield, channel_sample const& sample,
                                       precedence const& others_first) {
    REDLATCH_ASSERT(state_ == state::queued);
    held_here_since_ = base::never;
    if (must_yield) return yield(now, sample, others_first);
    return attempt_after(others_first, now);
}

acquire_op::action acquire_op::on_head_of_none(base::instant now, base::instant until, channel_sample const& heard) {
    REDLATCH_ASSERT(state_ == state::queued);
    said_ = word::busy;
    return wait(std::min(base::later(now, terms_.longest_wait), until), heard, awaited::any);
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
    case acquire_answer::kind::key_exists:
        said_ = word::busy; // or our own, by an earlier copy: the script tells
        return attempt();
    case acquire_answer::kind::busy: said_ = word::busy; break;
    }
    if (!terms_.may_wait || now >= terms_.deadline) {
        auto last = finish(terms_.may_wait ? outcome::timed_out : outcome::busy);
        last.fresh_id = stale;
        return last;
    }
    if (terms_.backoff) {
        auto next = pause(base::later(now, next_retry_pause()));
        next.fresh_id = stale;
        return next;
    }
    if (stale) { // each attempt costs an id, and its release wakes the next one
        constexpr base::milliseconds first_pause{2};
        auto const for_this = std::exchange(stale_pause_, std::clamp(stale_pause_ * 2, first_pause, poll_pause));
        if (for_this > base::milliseconds(0)) {
            auto next = pause(base::later(now, for_this));
            next.fresh_id = true;
            return next;
        }
    }
    constexpr base::milliseconds least{1};
    auto const retry_after = stale ? least : std::max(answer.retry_after.value_or(terms_.longest_wait), least);
    auto next = wait(base::later(now, std::min(retry_after, terms_.longest_wait)), before, awaited::any);
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

acquire_op::action acquire_op::on_error(connection::verdict verdict, base::instant now, base::instant again) {
    REDLATCH_ASSERT(state_ == state::trying);
    switch (verdict) {
    case connection::verdict::wrong_type: return finish(outcome::wrong_type);
    case connection::verdict::no_script: // to the script's text: no server says so honestly
    case connection::verdict::refused: return finish(outcome::refused);
    case connection::verdict::not_executed:
        if (!terms_.may_wait) return finish(outcome::refused);
        break;
    case connection::verdict::read_only:
        if (!terms_.may_wait && std::exchange(was_read_only_, true)) return finish(outcome::refused);
        break;
    }
    said_ = word::not_executed;
    return pause(terms_.may_wait && again > now ? again : base::later(now, poll_pause));
}

acquire_op::action acquire_op::on_held_up(base::instant until) {
    REDLATCH_ASSERT(state_ == state::trying);
    said_ = word::not_executed;
    return pause(until);
}

acquire_op::action acquire_op::on_woken(base::instant now, bool must_yield, channel_sample const& sample,
                                        precedence const& others_first) {
    REDLATCH_ASSERT(state_ == state::waiting || state_ == state::yielding || state_ == state::pausing);
    held_here_since_ = base::never;
    if (must_yield) return yield(now, sample, others_first);
    return attempt_after(others_first, now);
}

acquire_op::action acquire_op::on_deadline(knowledge of_others) {
    if (of_others == knowledge::server_is_away) return finish(outcome::disconnected);
    if (of_others == knowledge::lock_is_held) said_ = word::busy;
    if (said_ == word::busy) return finish(outcome::timed_out);
    if (said_ == word::not_executed || of_others == knowledge::server_refuses) return finish(outcome::refused);
    return finish(of_others == knowledge::server_is_there ? outcome::timed_out : outcome::disconnected);
}

} // namespace redlatch::locking
