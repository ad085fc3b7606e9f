#include "io/releasing.hpp"

#include "io/insist.hpp"
#include "io/log.hpp"
#include "locking/names.hpp"
#include "locking/refused_command.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::io {

using locking::lock_table;
using kind = lock_table::release_plan::kind;

releasing::releasing(std::shared_ptr<client_core> core, locking::tenure_ptr tenure, std::uint64_t level_number,
                     patience grace)
    : core_(std::move(core)), tenure_(std::move(tenure)), record_(tenure_->record),
      node_(&core_->node_of(record_->name)), level_number_(level_number), patience_(grace), made_(lease_clock::now()),
      deadline_(grace == patience::unlimited ? base::never : base::later(*made_, core_->settings().timeout)) {}

releasing::~releasing() {
    if (core_->forked()) refused_.forget();
    if (stage_ == stage::finished || core_->forked()) return;
    insist([this] { give_up(); });
}

void releasing::give_up() {
    call_.abandon();
    core_->locked([&](lock_table& table, base::wake_list& woken) {
        auto const now = lease_clock::now();
        table.abandon(tenure_, level_number_, now, woken); // unless it has been planned
        if (plan_.what == kind::last) {
            table.hand_to_reaper(tenure_, now);
            table.end_release(woken);
            record_->queue.tell_head(woken); // who became the head when this one had it waits for this release
            plan_.what = kind::nothing;
        }
        if (!std::exchange(in_operation_, false)) return;
        tenure_->end_operation(woken);
    });
}

bool releasing::step() {
    for (;;) {
        bool go_on = false;
        switch (stage_) {
        case stage::beginning: go_on = begin(); break;
        case stage::calling: go_on = on_called(); break;
        case stage::pausing: go_on = on_paused(); break;
        case stage::finished: break;
        }
        if (stage_ == stage::finished) return true;
        if (!go_on) return false;
    }
}

bool releasing::on_paused() {
    auto const now = lease_clock::now();
    if (!core_->ended()) {
        if (now < at().until && !refused_.told()) return false;
        refused_.leave();
        if (auto const write_at = node_->next_write(now, refused_, waker()); write_at > now && now < deadline_)
            return suspend(nullptr, std::min(write_at, deadline_));
    }
    return carry_out(op_->on_pause_over(taken()), now);
}

bool releasing::ready() const {
    switch (stage_) {
    case stage::beginning: return !tenure_->in_operation || core_->closed();
    case stage::calling: return call_.finished(); // a client that closes waits for the answer, then ends the call
    case stage::pausing: return core_->ended() || refused_.told();
    case stage::finished: break;
    }
    return false;
}

bool releasing::begin() {
    auto const made = std::exchange(made_, std::nullopt); // a blocking call need not look at the clock twice
    auto const now = made && blocking() ? *made : lease_clock::now();
    bool const begun = core_->locked([&](lock_table& table, base::wake_list& woken) {
        if (tenure_->in_operation && now < deadline_ && !core_->closed()) {
            tenure_->wait_for_operation(waker());
            return false;
        }
        in_operation_ = !tenure_->in_operation.exchange(true);
        auto const beside = in_operation_ ? lock_table::beside_others::no : lock_table::beside_others::yes;
        plan_ = table.plan_release(tenure_, level_number_, now, woken, beside);
        kept_until_ = tenure_->kept_until;
        auto* const contention = record_->contended.get();
        if (contention == nullptr) return true;
        auto& turn = contention->turn;
        others_listen_ = turn.others_listen();
        crowded_ = turn.crowded();
        if (plan_.what == kind::last) {
            bool const ends_turn = plan_.then == lock_table::head_wake::yielding;
            left_to_pollers_ =
                !record_->has_channel() && contention->polling_yield.is_due(ends_turn, tenure_->held_since, now);
            bool const at_once = plan_.then == lock_table::head_wake::at_once;
            bool const goes_on = turn.goes_on_after_release(at_once, table.how().handoff.time, now);
            message_ = goes_on ? locking::turn_goes_on : turn.take_message();
        }
        return true;
    });
    if (!begun) return suspend(nullptr, deadline_);
    if (patience_ != patience::unlimited) deadline_ = std::min(deadline_, std::max(tenure_->validity(), now));
    if (patience_ == patience::with_others)
        deadline_ = std::min(
            deadline_, std::max(base::later(node_->data().line().silent_since(), core_->settings().timeout), now));
    switch (plan_.what) {
    case kind::handed_off: stage_ = stage::finished; return true;
    case kind::nothing: return finish({});
    case kind::lost: return finish(errc::lease_lost);
    case kind::partial:
    case kind::last: break;
    }
    op_.emplace(locking::release_op::terms{.last = plan_.what == kind::last,
                                           .unattended = patience_ == patience::unlimited,
                                           .head_yields = plan_.then == lock_table::head_wake::yielding});
    if (plan_.what == kind::partial) return carry_out(op_->start(taken()), now);
    // Sampled before the release is written: whatever is published after it counts as news, but for its own message.
    std::optional<locking::channel_sample> yields_since;
    if (plan_.then == lock_table::head_wake::yielding || others_listen_) {
        node_->messages().catch_up(); // what others have published before is not to be taken for our own
        auto sample = node_->messages().peek(record_->channel());
        if (sample.subscribed) {
            own_ears_ = 1;
            ++sample.count;
            ++sample.messages;
            sample.turns += locking::turns_ended_by(message_);
        }
        own_ = sample;
        core_->locked([&](lock_table&, base::wake_list&) { record_->on_release_sent(sample); });
        if (plan_.then == lock_table::head_wake::yielding) yields_since = sample;
    }
    auto const go_on = carry_out(op_->start(taken()), now);
    if (plan_.then != lock_table::head_wake::nobody) tell_local_head(yields_since);
    return go_on;
}

/// The release is on its way: the next local waiter's attempt goes right behind it on the same connection.
void releasing::tell_local_head(std::optional<locking::channel_sample> const& yields_since) {
    core_->locked([&](lock_table&, base::wake_list& woken) { record_->queue.tell_head(woken, yields_since); });
}

/// What the lock's server takes now.
locking::release_op::commands releasing::taken() const {
    auto const& choice = node_->choice();
    // In a crowd the script is the cheaper one: one command, and those that are waiting on the server come after it.
    bool const by_script = crowded_ && choice.is_automatic();
    bool const kept = kept_for().count() > 0;
    return {.plain = record_->how->plain != nullptr && !by_script && !kept && choice.releases_plainly(*record_),
            .script_known = choice.knows_release_script()};
}

bool releasing::carry_out(locking::release_op::action const& action, base::instant now) {
    using act = locking::release_op::act;
    using effect = locking::release_op::effect;
    if (action.what == act::call) return call(action.how);
    if (action.what == act::pause) {
        stage_ = stage::pausing;
        return suspend(nullptr, action.until);
    }
    if (action.tell_head) tell_local_head();
    return finish(code_of(op_->result()), [&](lock_table& table, base::wake_list& woken) {
        if (others_) {
            if (*others_ > 0) table.records.remember(record_, now);
            record_->on_released(*others_, own_, tenure_->held_since, now);
        }
        switch (action.then) {
        case effect::none: break;
        case effect::confirmed: table.confirmed(tenure_, plan_.lease, sent_at_); break;
        case effect::released: table.released(tenure_, announced_, now); break;
        case effect::lost:
            if (plan_.what == kind::partial) return table.lose(tenure_, now, woken);
            ++table.counted.lost;
            table.hand_to_reaper(tenure_, now);
            break;
        case effect::reaped: table.hand_to_reaper(tenure_, now); break;
        }
    });
}

bool releasing::call(locking::release_op::form form) {
    using enum locking::release_op::form;
    stage_ = stage::calling;
    refused_.leave();
    node_ = &core_->node_of(record_->name);
    auto const owner = tenure_->owner_id();
    auto about = record_->context(owner, plan_.lease + tenure_->lock_delay());
    about.message = message_;
    about.kept_for = kept_for();
    auto const& kind_of_lock = *record_->how;
    auto& where = node_->data();
    // Where nobody waits for the answer, the next caller reads it, or the lane's tick: no thread is woken for it.
    bool const reads_soon = blocking() || patience_ == patience::unlimited;
    switch (form) {
    case count: call_.begin(where, kind_of_lock.set_count(about, plan_.count), waker(), reads_soon); break;
    case plain:
        node_->choice().note_plain_release();
        call_.begin(where, kind_of_lock.plain->release(about), waker(), reads_soon);
        break;
    case script: call_.begin(where, kind_of_lock.release(about), waker(), reads_soon); break;
    case script_text: call_.begin_by_text(where, kind_of_lock.release(about), waker(), reads_soon); break;
    }
    return suspend(&call_.line(), deadline_);
}

bool releasing::on_called() {
    auto const now = lease_clock::now();
    if (!call_.finished()) {
        if (now >= deadline_) return on_no_answer();
        return suspend(&call_.line(), deadline_);
    }
    auto const answered = call_.take([this] { return waker(); });
    if (!answered) return suspend(&call_.line(), at().until);
    if (answered->status == connection::call::state::closed) return on_no_answer();
    if (call_.repeated()) op_->note_repeated();
    if (answered->reply.is_error()) return on_error(*answered);
    sent_at_ = answered->sent_at;
    heard_elsewhere_ = answered->behind_asking;
    auto const& how = *record_->how;
    if (plan_.what == kind::partial) return carry_out(op_->on_count_answer(how.read_count(answered->reply).what), now);
    if (call_.late_copy_possible()) // an earlier copy of the acquire may be on its way as well
        core_->locked([&](lock_table&, base::wake_list&) { tenure_->late_copy_possible = true; });
    auto const answer =
        op_->is_plain() ? how.plain->read_release(answered->reply, answered->cut_short ? nullptr : &answered->second)
                        : how.read_release(answered->reply);
    return on_released(answer, false, now);
}

bool releasing::on_released(locking::release_answer const& answer, bool repeated, base::instant now) {
    using answer_kind = locking::release_answer::kind;
    if (answer.what == answer_kind::not_understood) return on_no_answer();
    if (!op_->is_plain()) node_->choice().note_release_script();
    if (answer.what == answer_kind::released) node_->on_written(sent_at_, false);
    // A client that connects lazily may release before it knows how messages are sent in its cluster.
    bool const is_due_later = answer.what == answer_kind::released_silently && !core_->knows_how_to_publish();
    if (answer.what == answer_kind::released_silently && !is_due_later)
        log(log_level::warning, "lock " + locking::shown(record_->name)
                                    + " was released, but this user may not publish: "
                                    + "waiters were not told, and ask again only when the lease that they saw is over; "
                                    + "grant '" + std::string(record_->settings->publish->right())
                                    + "' and the channel " + locking::word_of_rule('&', record_->channel()));
    announced_ = answer.announced && !(heard_elsewhere_ && record_->has_channel()) && !is_due_later;
    others_ = heard_by_others(answer);
    return carry_out(op_->on_release_answer(answer, repeated, call_.by_text(), *others_, now, tenure_->validity()),
                     now);
}

/// How many; where it is not known, one.
std::int64_t releasing::heard_by_others(locking::release_answer const& answer) {
    if (answer.what != locking::release_answer::kind::released) return 1;
    if (left_to_pollers_) return 1;
    if (answer.heard_by == 0) return 0;
    if (!own_) own_ears_ = node_->messages().peek(record_->channel()).subscribed ? 1 : 0;
    return std::max<std::int64_t>(answer.heard_by - own_ears_, 0);
}

bool releasing::on_error(connection::call const& answered) {
    auto const& reply = answered.reply;
    auto const verdict = connection::judge(reply);
    auto const now = lease_clock::now();
    server_said_ = locking::naming_right(reply.text, answered.bytes);
    if (verdict == connection::verdict::refused && op_->is_plain() && core_->stop_releasing_plainly(reply, record_))
        return carry_out(op_->on_plain_refused(taken()), now);
    auto const again = node_->on_write_refused(answered, now, &refused_, waker());
    if (patience_ == patience::with_others && again > now)
        deadline_ = std::min(deadline_, std::max(base::later(node_->refuses_since(), core_->settings().timeout), now));
    return carry_out(op_->on_error(verdict, now, again, deadline_), now);
}

bool releasing::on_no_answer() {
    auto const now = lease_clock::now();
    if (plan_.what == kind::partial) {
        call_.abandon([core = core_, tenure = tenure_, how = record_->how](resp::value const& reply) {
            if (how->read_count(reply).what != locking::count_answer::not_held) return;
            core->locked(
                [&](lock_table& table, base::wake_list& woken) { table.lose(tenure, lease_clock::now(), woken); });
        });
        return carry_out(op_->on_no_answer(), now);
    }
    std::optional<lock_call::half_answer> half;
    call_.abandon({}, &half);
    if (half && !half->reply.is_error()) { // the hold has ended, only the message may not have been sent
        auto const answer = record_->how->plain->read_release(half->reply, nullptr);
        if (answer.what != locking::release_answer::kind::not_understood)
            return on_released(answer, half->repeated, now);
    }
    return carry_out(op_->on_no_answer(), now);
}

std::error_code releasing::code_of(locking::release_op::outcome outcome) const noexcept {
    using enum locking::release_op::outcome;
    switch (outcome) {
    case pending:
    case released: break;
    case lost: return errc::lease_lost;
    case unknown: return errc::outcome_unknown;
    case refused: return errc::server_refused;
    case wrong_type: return errc::wrong_type;
    case bad_reply: return errc::bad_reply;
    }
    return {};
}

bool releasing::finish(std::error_code code, base::function_ref<void(lock_table&, base::wake_list&)> also) {
    result_ = code;
    core_->locked([&](lock_table& table, base::wake_list& woken) {
        also(table, woken);
        if (plan_.what == kind::last) table.end_release(woken);
        if (in_operation_) tenure_->end_operation(woken);
    });
    stage_ = stage::finished;
    return true;
}

std::string releasing::message() const {
    auto const subject = "the hold of " + tenure_->owner_id().str() + " on lock " + locking::shown(record_->name);
    if (result_ == errc::lease_lost)
        return subject + " was lost before its release: another client may have held the lock at the same time";
    if (result_ == errc::outcome_unknown)
        return "the server " + node_->address()
               + (server_said_.empty() ? " did not answer the release of " + subject + " in time"
                                       : " did not execute the release of " + subject + ": " + server_said_)
               + "; the client goes on releasing in the background";
    return "the server " + node_->address() + " refused to release " + subject + ": " + server_said_
           + "; it ends by itself with its lease; " + std::string(connection::what_to_do(server_said_));
}

} // namespace redlatch::io
