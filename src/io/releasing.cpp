#include "io/releasing.hpp"

#include "io/log.hpp"
#include "locking/acquire_op.hpp"
#include "locking/names.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::io {

using locking::lock_table;
using kind = lock_table::release_plan::kind;

releasing::releasing(std::shared_ptr<client_core> core, locking::tenure_ptr tenure, std::uint64_t level_number,
                     patience how)
    : core_(std::move(core)), tenure_(std::move(tenure)), record_(tenure_->record), level_number_(level_number),
      patience_(how), made_(lease_clock::now()),
      deadline_(how == patience::unlimited ? base::never : base::later(*made_, core_->settings().timeout)) {}

bool releasing::step() {
    for (;;) {
        bool go_on = false;
        switch (stage_) {
        case stage::beginning: go_on = begin(); break;
        case stage::calling: go_on = on_called(); break;
        case stage::pausing:
            if (lease_clock::now() < at().until && !core_->ended()) return false;
            called_before_ = true;
            go_on = call();
            break;
        case stage::finished: break;
        }
        if (stage_ == stage::finished) return true;
        if (!go_on) return false;
    }
}

bool releasing::ready() const {
    switch (stage_) {
    case stage::beginning: return !tenure_->in_turn || core_->closed();
    case stage::calling: return call_.finished(); // a client that closes waits for the answer, then ends the call
    case stage::pausing: return core_->ended();
    case stage::finished: break;
    }
    return false;
}

bool releasing::begin() {
    auto const made = std::exchange(made_, std::nullopt); // a blocking call need not look at the clock twice
    auto const now = made && blocking() ? *made : lease_clock::now();
    bool const has_turn = core_->locked([&](lock_table& table, base::wake_list& woken) {
        if (tenure_->in_turn && now < deadline_ && !core_->closed()) {
            tenure_->turn_waiters.push_back(waker());
            return false;
        }
        tenure_->in_turn = true;
        plan_ = table.plan_release(tenure_, level_number_, now, woken);
        others_listen_ = record_->turn.others_listen();
        crowded_ = record_->turn.crowded();
        return true;
    });
    if (!has_turn) return suspend(nullptr, deadline_);
    if (patience_ == patience::by_settings) deadline_ = std::min(deadline_, std::max(tenure_->validity(), now));
    switch (plan_.what) {
    case kind::passed: stage_ = stage::finished; return true;
    case kind::nothing: return finish({});
    case kind::lost: return finish(errc::lease_lost);
    case kind::partial: return call();
    case kind::last: break;
    }
    // Sampled before the release is written: whatever is published after it counts as news, but for its own message.
    std::optional<locking::channel_sample> held_back_since;
    if (plan_.then == lock_table::hand_on::held_back || others_listen_) {
        core_->messages().catch_up(); // what others have published before is not to be taken for our own
        auto sample = core_->messages().peek(record_->channel);
        own_ears_ = sample.subscribed ? 1 : 0;
        sample.count += static_cast<std::uint64_t>(own_ears_);
        own_message_ = sample.count;
        if (plan_.then == lock_table::hand_on::held_back) held_back_since = sample;
    }
    auto const go_on = call();
    if (plan_.then != lock_table::hand_on::nobody) pass_on(held_back_since);
    return go_on;
}

/// The release is on its way: the next local waiter's attempt goes right behind it on the same connection.
void releasing::pass_on(std::optional<locking::channel_sample> const& held_back_since) {
    core_->locked([&](lock_table&, base::wake_list& woken) { record_->queue.tell_head(woken, held_back_since); });
}

bool releasing::call() {
    stage_ = stage::calling;
    auto const about = record_->context(tenure_->owner_id, plan_.lease);
    auto const& how = *record_->how;
    // In a crowd the script is the cheaper one: one command, and those that are waiting on the server come after it.
    bool const by_script = crowded_ && core_->settings().commands == command_set::automatic;
    plain_ = plan_.what == kind::last && how.plain != nullptr && !by_script && core_->releases_plainly();
    // Where nobody waits for the answer, the next caller reads it, or the lane's tick: no thread is woken for it.
    bool const reads_soon = blocking() || patience_ == patience::unlimited;
    if (plain_) core_->note_plain_release();
    if (plain_)
        call_.begin(core_->data(), how.plain->release(about), waker(), reads_soon);
    else if (plan_.what == kind::last && patience_ == patience::unlimited && !core_->knows_release_script())
        // Nobody waits for NOSCRIPT: the next acquisition of this owner is to find the lock free.
        call_.begin_by_text(core_->data(), how.release(about), waker(), reads_soon);
    else if (plan_.what == kind::last)
        call_.begin(core_->data(), how.release(about), waker(), reads_soon);
    else
        call_.begin(core_->data(), how.set_count(about, plan_.count), waker(), reads_soon);
    return suspend(&core_->data().line(), deadline_);
}

bool releasing::on_called() {
    auto const now = lease_clock::now();
    if (!call_.finished()) {
        if (now >= deadline_) return on_timeout();
        return suspend(&core_->data().line(), deadline_);
    }
    auto const answered = call_.take();
    if (!answered) return suspend(at().where, at().until);
    if (answered->status == connection::call::state::closed) return on_timeout();
    if (answered->reply.is_error()) return on_error(answered->reply);
    if (plan_.what == kind::partial) return on_partial(*answered, now);
    if (call_.unfenced()) // an earlier copy of the acquire may be on its way as well
        core_->locked([&](lock_table&, base::wake_list&) { tenure_->unfenced = true; });
    auto const& how = *record_->how;
    auto const answer =
        plain_ ? how.plain->read_release(answered->reply, answered->cut_short ? nullptr : &answered->second)
               : how.read_release(answered->reply);
    return on_released(answer, answered->repeated(), now);
}

bool releasing::on_partial(connection::call const& answered, base::instant now) {
    switch (record_->how->read_count(answered.reply)) {
    case locking::count_answer::not_understood: return finish(errc::bad_reply);
    case locking::count_answer::written:
        core_->locked(
            [&](lock_table& table, base::wake_list&) { table.confirmed(tenure_, plan_.lease, answered.sent_at); });
        return finish({});
    case locking::count_answer::not_held: break;
    }
    core_->locked([&](lock_table& table, base::wake_list& woken) { table.lose(tenure_, now, woken); });
    return finish(errc::lease_lost);
}

bool releasing::on_released(locking::release_answer const& answer, bool repeated, base::instant now) {
    using answer_kind = locking::release_answer::kind;
    bool done = true;
    if (!plain_ && answer.what != answer_kind::not_understood) core_->note_release_script();
    switch (answer.what) {
    case answer_kind::not_understood: return on_timeout();
    case answer_kind::released_silently:
        log(log_level::warning,
            "lock " + locking::shown(record_->name)
                + " was released, but this user may not publish: waiters sleep until their timers; grant the channel "
                + record_->channel);
        break;
    case answer_kind::released: break;
    case answer_kind::not_held: done = repeated && now < tenure_->validity(); break;
    }
    auto const others = heard_by_others(answer);
    // The attempt of the next local waiter went out behind the first copy, before the one that released. And who is held back
    // for other processes need not be where nobody else listens.
    bool const need_not_wait = plan_.then == lock_table::hand_on::held_back && others == 0;
    if (done && (call_.by_text() || repeated || called_before_ || need_not_wait)) pass_on();
    return finish(done ? std::error_code() : errc::lease_lost, [&](lock_table& table) {
        record_->turn.on_released(others);
        record_->turn.own_message = own_message_.value_or(0);
        if (done) return table.released(tenure_, answer.announced, now);
        ++table.counted.lost;
        table.hand_to_reaper(tenure_, now);
    });
}

/// How many; where it is not known, one.
std::int64_t releasing::heard_by_others(locking::release_answer const& answer) {
    if (answer.what != locking::release_answer::kind::released) return 1;
    if (answer.heard_by == 0) return 0;
    if (!own_message_) own_ears_ = core_->messages().peek(record_->channel).subscribed ? 1 : 0;
    return std::max<std::int64_t>(answer.heard_by - own_ears_, 0);
}

bool releasing::on_error(resp::value const& reply) {
    server_said_ = reply.text;
    switch (connection::judge(reply)) {
    case connection::verdict::read_only: core_->data().line().reconnect("is a replica now"); [[fallthrough]];
    case connection::verdict::not_executed:
        if (lease_clock::now() >= deadline_) return on_timeout();
        stage_ = stage::pausing;
        return suspend(nullptr, std::min(base::later(lease_clock::now(), locking::acquire_op::poll_pause), deadline_));
    case connection::verdict::refused:
        if (!plain_ || !core_->stop_releasing_plainly(reply.text)) break;
        called_before_ = true;
        return call();
    case connection::verdict::no_script:
    case connection::verdict::wrong_type: break;
    }
    if (plan_.what == kind::last)
        core_->locked([&](lock_table& table, base::wake_list&) { table.hand_to_reaper(tenure_, lease_clock::now()); });
    return finish(connection::to_errc(connection::judge(reply)));
}

bool releasing::on_timeout() {
    if (plan_.what == kind::partial) {
        call_.abandon([core = core_, tenure = tenure_, how = record_->how](resp::value const& reply) {
            if (how->read_count(reply) != locking::count_answer::not_held) return;
            core->locked(
                [&](lock_table& table, base::wake_list& woken) { table.lose(tenure, lease_clock::now(), woken); });
        });
        return finish({});
    }
    std::optional<lock_call::half_answer> half;
    call_.abandon({}, &half);
    if (half && !half->reply.is_error()) { // the hold has ended, only the message may not have been sent
        auto const answer = record_->how->plain->read_release(half->reply, nullptr);
        if (answer.what != locking::release_answer::kind::not_understood)
            return on_released(answer, half->repeated, lease_clock::now());
    }
    core_->locked([&](lock_table& table, base::wake_list&) { table.hand_to_reaper(tenure_, lease_clock::now()); });
    return finish(errc::outcome_unknown);
}

bool releasing::finish(std::error_code how, base::function_ref<void(lock_table&)> also) {
    stage_ = stage::finished;
    result_ = how;
    core_->locked([&](lock_table& table, base::wake_list& woken) {
        also(table);
        if (plan_.what == kind::last) table.end_release(woken);
        tenure_->in_turn = false;
        for (auto const& who : std::exchange(tenure_->turn_waiters, {})) woken.add(who);
    });
    return true;
}

std::string releasing::sentence() const {
    auto const subject = "the hold of " + tenure_->owner_id + " on lock " + locking::shown(record_->name);
    if (result_ == errc::lease_lost)
        return subject + " was lost before its release: what it protected may have been done by two at once";
    if (result_ == errc::outcome_unknown)
        return "the server " + core_->server() + " did not answer the release of " + subject
               + " in time; the client goes on releasing in the background";
    return "the server " + core_->server() + " refused to release " + subject + ": " + server_said_
           + "; it ends by itself with its lease";
}

} // namespace redlatch::io
