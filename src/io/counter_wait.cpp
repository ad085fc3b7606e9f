#include "io/counter_wait.hpp"

#include "connection/server_error.hpp"
#include "io/give_back.hpp"
#include "io/insist.hpp"
#include "io/random_seed.hpp"
#include "io/wait_result.hpp"
#include "locking/names.hpp"
#include "locking/refused_command.hpp"
#include "locking/tenure.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::io {

using locking::acquire_answer;
using locking::acquire_op;

namespace {

constexpr base::milliseconds no_lease = std::chrono::hours(24 * 365 * 100);

/// An answer that close() waits for although its caller does not.
class due_answer {
public:
    explicit due_answer(std::shared_ptr<client_core> client) : core(std::move(client)) { core->request_began(); }
    due_answer(due_answer const&) = delete;
    due_answer& operator=(due_answer const&) = delete;
    ~due_answer() { core->request_ended(); }

    std::shared_ptr<client_core> const core;
};

} // namespace

counter_wait::counter_wait(std::shared_ptr<client_core> core, request order)
    : core_(std::move(core)), request_(std::move(order)), node_(&core_->node_of(request_.what->name)),
      began_(lease_clock::now()), now_(began_), op_(terms()) {
    if (request_.what->how->names_what_it_takes()) name_what_is_taken();
    core_->operation_began();
    if (is_impatient()) call_.be_impatient();
    if (request_.what->how->changes() && request_.record.empty()) call_.be_sent_once();
}

counter_wait::~counter_wait() {
    bool const nobody_has_it = acquired_ && !handed_over_;
    if (core_->forked()) refused_.forget();
    if ((!done_ || nobody_has_it) && !core_->forked())
        insist([&] {
            abandon_call();
            may_have_taken_ = std::exchange(acquired_, false) || may_have_taken_;
            settle_debt();
            leave();
        });
    stop_counting();
}

/// Whoever is told of the end finds it counted as ended.
void counter_wait::stop_counting() {
    stop_asking();
    if (std::exchange(counted_, false)) core_->operation_ended();
}

acquire_op::terms counter_wait::terms() const {
    acquire_op::terms out;
    out.began = began_;
    out.deadline = request_.deadline;
    out.may_wait = request_.may_wait;
    out.queues_here = request_.what->how->in_line;
    out.lease = request_.lease.count() > 0 ? request_.lease : no_lease;
    out.margin = margin();
    out.longest_wait = core_->settings().lock_watchdog_timeout; // a message may have been lost, a key may have expired
    return out;
}

base::milliseconds counter_wait::margin() const {
    return locking::validity_margin(request_.lease, core_->settings().validity_margin);
}

/// In a cluster the key may be on another node now.
void counter_wait::follow_key() {
    auto* const where = &core_->node_of(request_.what->name);
    if (where == node_) return;
    if (channel_) node_->messages().detach(std::exchange(channel_, nullptr), waker(), !blocking());
    sample_ = {};
    node_ = where;
}

/// Under a new name, an earlier request is no copy of this one.
void counter_wait::name_what_is_taken() {
    constexpr auto* digits = "0123456789abcdef";
    auto const count = static_cast<std::size_t>(request_.amount);
    auto ids = random_bytes(locking::taken_id_size * count);
    std::string first;
    for (char const byte : std::string_view(ids).substr(0, locking::taken_id_size)) {
        first.push_back(digits[static_cast<unsigned char>(byte) >> 4U]);
        first.push_back(digits[static_cast<unsigned char>(byte) & 15U]);
    }
    request_.record = locking::request_record(request_.what->name, first);
    ids_ = std::move(ids);
}

locking::counter_request counter_wait::about() const {
    auto request = request_.what->request();
    request.record = request_.record;
    request.amount = request_.amount;
    request.ids = ids_;
    request.lease = request_.lease;
    request.known = request_.known;
    return request;
}

bool counter_wait::step() {
    using state = acquire_op::state;
    bool const just_made = op_.now_in() == state::start;
    if (!just_made || !blocking()) now_ = lease_clock::now();
    while (!done_) {
        bool go_on = false;
        switch (op_.now_in()) {
        case state::start: go_on = begin(); break;
        case state::queued: go_on = on_queued(); break;
        case state::trying: go_on = on_called(); break;
        case state::waiting:
        case state::yielding:
        case state::pausing: go_on = on_waited(); break;
        case state::finished: go_on = finish(); break;
        }
        if (!go_on && !done_) return false;
    }
    stop_counting();
    return true;
}

bool counter_wait::ready() const {
    using state = acquire_op::state;
    if (cancelled()) return true;
    if (core_->closed() && !awaits_answer()) return true;
    switch (op_.now_in()) {
    case state::queued: return at_head() || told();
    case state::trying: return call_.finished();
    case state::waiting: return told() || (heeds_messages() && op_.is_news(channel_->sample(), sample_));
    case state::pausing: return refused_.told();
    case state::start:
    case state::yielding:
    case state::finished: break;
    }
    return false;
}

bool counter_wait::begin() {
    if (cancelled()) return carry_out(op_.on_cancelled());
    if (core_->closed()) return carry_out(op_.on_closed());
    auto const next = op_.start();
    if (next.what != acquire_op::act::queue) return carry_out(next);
    waiter_ = std::allocate_shared<locking::waiter>(base::recycling<locking::waiter>(), waker());
    waiter_->amount = request_.amount;
    core_->shared_counters().locked([&](base::wake_list&) { request_.what->queue.enter(waiter_); });
    return true;
}

bool counter_wait::carry_out(action const& next) {
    switch (next.what) {
    case acquire_op::act::queue: return suspend(nullptr, next.until);
    case acquire_op::act::attempt: return attempt();
    case acquire_op::act::wait: stop_asking(); return wait(next);
    case acquire_op::act::pause:
        stop_asking();
        if (waiter_) waiter_->refused.store(op_.was_refused(), std::memory_order_relaxed);
        return suspend(nullptr, std::min(next.until, outage_at()));
    case acquire_op::act::yield: after_yield_ = true; return suspend(nullptr, next.until);
    case acquire_op::act::finish: return finish();
    case acquire_op::act::watch: break; // of locks that this process holds
    }
    return suspend(nullptr, next.until);
}

bool counter_wait::on_queued() {
    if (cancelled()) return carry_out(op_.on_cancelled());
    if (core_->closed()) return carry_out(op_.on_closed());
    if (told()) return carry_out(op_.on_head(now_, false, sample_));
    if (at_head()) return on_head();
    if (now_ >= request_.deadline) return carry_out(op_.on_deadline(of_others()));
    return carry_out(op_.on_behind_head(now_));
}

/// Where the one before it took the last permits, there is nothing to ask for before something is heard.
bool counter_wait::on_head() {
    std::optional<locking::channel_sample> heard;
    auto until = base::never;
    locking::precedence others_first;
    core_->shared_counters().locked([&](base::wake_list&) {
        others_first.time = request_.what->after_release.left(now_);
        if (!waiter_->none_left || waiter_->told_of > 0) return;
        heard = waiter_->sample;
        until = waiter_->back_at;
    });
    if (heard) {
        channel_ = node_->messages().attach(request_.what->channel);
        auto const now = node_->messages().sample(*channel_);
        if (now.subscribed && now.session == heard->session) {
            sample_ = *heard;
            return carry_out(op_.on_head_of_none(now_, until, *heard));
        }
    }
    return carry_out(op_.on_head(now_, false, sample_, others_first));
}

// --- trying

base::instant counter_wait::outage_at() {
    auto const limit = core_->settings().outage_limit;
    if (!request_.waits_for_ever || limit.count() == 0) return base::never;
    auto const since = call_.under_way() ? std::min(node_->away_since(), call_.unheard_since()) : node_->away_since();
    return base::later(std::max(began_, since), limit);
}

/// When it asks although it does not hear anything again: with fail_fast as soon as the other connection has noticed, too.
base::instant counter_wait::end_of_hope() {
    return core_->settings().fail_fast ? base::later(now_, acquire_op::poll_pause) : outage_at();
}

bool counter_wait::attempt() {
    follow_key();
    refused_.leave();
    bool const may_be_held_up = request_.may_wait && request_.what->how->changes();
    if (auto const write_at = may_be_held_up ? node_->next_write(now_, refused_, waker()) : now_; write_at > now_) {
        if (auto said = node_->last_refusal(); !said.empty()) server_said_ = std::move(said);
        return carry_out(op_.on_held_up(write_at));
    }
    asked_at_ = now_;
    if (waiter_) waiter_->asks();
    if (request_.what->how->changes() && !std::exchange(asks_, true)) core_->request_began();
    if (channel_) {
        node_->messages().catch_up();
        sample_ = node_->messages().sample(*channel_);
    }
    call_.begin(node_->data(), request_.what->how->ask(about()), waker(), blocking(), core_->closing_flag());
    return suspend(&call_.line(), std::min(request_.deadline, outage_at()));
}

bool counter_wait::on_called() {
    if (!call_.finished()) {
        if (cancelled()) return on_interruption(op_.on_cancelled());
        if (core_->closed() && !awaits_answer()) return on_interruption(op_.on_closed());
        if (now_ >= request_.deadline) return on_interruption(op_.on_deadline(of_others()));
        auto const over = outage_at();
        if (now_ >= over) return on_interruption(op_.on_outage());
        return suspend(&call_.line(), std::min(request_.deadline, over));
    }
    auto const answered = call_.take([this] { return waker(); });
    if (!answered) return suspend(&call_.line(), at().until);
    late_copy_possible_ = late_copy_possible_ || call_.late_copy_possible();
    if (answered->status != connection::call::state::closed) return on_answered(*answered);
    if (answered->handed > 0 && request_.what->how->changes()) {
        if (request_.record.empty()) return on_unknown_outcome();
        may_have_taken_ = true;
    }
    if (core_->closed()) return carry_out(op_.on_closed());
    if (is_impatient() || cancelled() || now_ >= request_.deadline) return carry_out(op_.on_outage());
    return attempt(); // it had waited for a connection, and there is one
}

bool counter_wait::on_answered(connection::call const& answered) {
    // An error denies no earlier copy: that one may have run, and its answer was lost with its connection.
    may_have_taken_ = answered.reply.is_error() && (may_have_taken_ || call_.repeated());
    if (answered.reply.is_error()) {
        server_said_ = locking::naming_right(answered.reply.text, answered.bytes);
        too_many_ = answered.reply.is_error_named(locking::too_few_in_all);
        auto const verdict = connection::judge(answered.reply);
        return carry_out(op_.on_error(
            verdict, now_, node_->on_write_refused(answered, now_, request_.may_wait ? &refused_ : nullptr, waker())));
    }
    auto const answer = request_.what->how->read(answered.reply);
    bool const no_number = answer.what == acquire_answer::kind::not_understood && answered.reply.is_text();
    if (no_number && !request_.what->how->changes()) // GET has said what there is
        return carry_out(op_.on_error(connection::verdict::wrong_type, now_));
    bool const changed = answer.what == acquire_answer::kind::acquired && request_.what->how->changes();
    if (changed && !call_.repeated())
        node_->on_written(answered.sent_at, true);
    else
        node_->on_executed(answered.sent_at);
    if (answer.what == acquire_answer::kind::busy)
        core_->shared_counters().locked([&](base::wake_list&) {
            request_.what->busy_at = now_;
            request_.what->after_release.on_busy();
            request_.what->after_release.end();
            after_yield_ = false;
            if (waiter_) locking::wait_queue::found_none(*waiter_);
        });
    if (changed && core_->closed()) { // it came while close() waited for it
        may_have_taken_ = true;
        return carry_out(op_.on_closed());
    }
    acquired_ = answer.what == acquire_answer::kind::acquired;
    left_ = answer.left;
    back_at_ = answer.retry_after ? base::later(now_, *answer.retry_after) : base::never;
    if (acquired_ && !changed) answer_ = answered.reply;
    bool const not_understood = answer.what == acquire_answer::kind::not_understood;
    may_have_taken_ = not_understood && request_.what->how->names_what_it_takes(); // what it named can be given back
    taken_at_ = answered.sent_at;
    auto const next = op_.on_answer(answer, answered.sent_at, now_, sample_);
    if (next.fresh_id) { // too late: what it has got may come back to the server at any moment
        acquired_ = false;
        may_have_taken_ = true;
        settle_debt();
        name_what_is_taken();
    }
    return carry_out(next);
}

/// The connection broke with the request on its way, and no record tells whether it was executed.
bool counter_wait::on_unknown_outcome() {
    leave();
    result_ = errc::outcome_unknown;
    return done_ = true;
}

/// The caller returns now, with a call in flight.
bool counter_wait::on_interruption(action const& last) {
    abandon_call();
    return carry_out(last);
}

/// With a record whatever it takes is undone; without, its answer is awaited, and what it took is given back. Where the
/// connection breaks before that, nobody knows. close() waits for it.
void counter_wait::abandon_call() {
    auto const& how = *request_.what->how;
    if (!call_.under_way()) return;
    if (!how.changes()) {
        call_.abandon();
    } else if (!request_.record.empty()) {
        may_have_taken_ = call_.abandon() || may_have_taken_;
        late_copy_possible_ = late_copy_possible_ || call_.late_copy_possible();
    } else {
        auto due = std::make_shared<due_answer>(core_);
        call_.abandon([due = std::move(due), what = request_.what, amount = request_.amount](resp::value const& reply) {
            if (what->how->read(reply).what != acquire_answer::kind::acquired) return;
            insist([&] {
                auto request = what->request();
                request.amount = amount;
                io::give_back(due->core, *what, what->how->give_back(request), false);
            });
        });
        insist(
            [this] { core_->loop()->post([] {}); }); // its thread reads the answer, and may not have been needed before
    }
}

/// What this request has taken, or a late copy of it may take, goes back.
void counter_wait::settle_debt() {
    auto const& how = *request_.what->how;
    bool const has_record = !request_.record.empty();
    if (!how.changes() || (!may_have_taken_ && !(late_copy_possible_ && has_record))) return;
    io::give_back(core_, *request_.what, has_record ? how.undo(about()) : how.give_back(about()), has_record);
    auto& held = core_->permits_held();
    if (how.names_what_it_takes() && held.remembers_departures())
        insist([&] { held.on_departed(request_.what, how.undo(about()), lease_clock::now()); });
    may_have_taken_ = late_copy_possible_ = false;
}

/// Whoever has the permits may release them anywhere: a copy that comes after that would take them for nobody.
void counter_wait::bar_late_copies() {
    auto const& how = *request_.what->how;
    if (how.names_what_it_takes() && late_copy_possible_)
        io::give_back(core_, *request_.what, how.bar_copies(about()), true);
    late_copy_possible_ = false;
}

// --- waiting

bool counter_wait::wait(action const& next) {
    follow_key();
    bool const another = !channel_;
    if (another) channel_ = node_->messages().attach(request_.what->channel);
    node_->messages().listen(channel_, waker(), next.subscribe || another, blocking());
    auto until = next.until;
    if (node_->hears_nothing_of(*channel_))
        until = std::min(until, base::later(lease_clock::now(), acquire_op::poll_pause));
    return suspend(&node_->messages().line(), until);
}

bool counter_wait::on_waited() {
    if (cancelled()) return carry_out(op_.on_cancelled());
    if (core_->closed()) return carry_out(op_.on_closed());
    if (now_ >= request_.deadline) return carry_out(op_.on_deadline(of_others()));
    if (op_.now_in() == acquire_op::state::pausing && now_ >= outage_at()) return carry_out(op_.on_outage(true));
    if (told()) {
        after_yield_ = false;
        return carry_out(op_.on_woken(now_, false, sample_));
    }
    if (op_.listens()) {
        auto const seen = node_->messages().sample(*channel_);
        // The connection for messages broke, and probably the other one too, on which a request would be lost: the new
        // subscription is news. Where the slot has another node, there will be none here.
        bool const broke = !seen.subscribed && sample_.subscribed && !seen.elsewhere && request_.what->how->changes()
                           && request_.record.empty();
        bool const news = heeds_messages() && op_.is_news(seen, sample_);
        if (news) sample_ = seen;
        if (broke && now_ < at().until) return suspend(at().where, std::min(at().until, end_of_hope()));
        if (!news && now_ < at().until) return suspend(at().where, at().until);
    } else if (now_ < at().until && !refused_.told()) {
        return suspend(at().where, at().until);
    }
    refused_.leave();
    bool const yielded = op_.now_in() == acquire_op::state::yielding;
    return carry_out(op_.on_woken(now_, false, sample_, yielded ? locking::precedence() : others_first()));
}

/// Those that a release of this process was left to.
locking::precedence counter_wait::others_first() {
    return core_->shared_counters().locked(
        [&](base::wake_list&) { return locking::precedence{.time = request_.what->after_release.left(now_)}; });
}

// --- the end

/// At the deadline.
acquire_op::knowledge counter_wait::of_others() {
    auto const now = lease_clock::now();
    bool head_is_refused = false;
    bool const busy = core_->shared_counters().locked([&](base::wake_list&) {
        auto const& head = request_.what->queue.head();
        head_is_refused = head && head != waiter_ && head->refused.load(std::memory_order_relaxed);
        return request_.what->busy_at > began_;
    });
    if (node_->is_away(now)) return acquire_op::knowledge::server_is_away;
    if (busy) return acquire_op::knowledge::lock_is_held;
    if (head_is_refused) {
        follow_key();
        if (auto said = node_->last_refusal(); !said.empty()) server_said_ = std::move(said);
        return acquire_op::knowledge::server_refuses;
    }
    bool const unanswered = op_.trying() && now - asked_at_ >= node::longest_answer;
    bool const there = !unanswered && node_->is_there(now);
    return there ? acquire_op::knowledge::server_is_there : acquire_op::knowledge::nothing;
}

void counter_wait::leave() {
    if (channel_) node_->messages().detach(std::exchange(channel_, nullptr), waker(), !blocking());
    if (waiter_) leave_line();
}

/// What it was told of, and has not asked for, is for those behind it; what was too little for it may be enough for the next.
void counter_wait::leave_line() {
    core_->shared_counters().locked([&](base::wake_list& woken) {
        auto& queue = request_.what->queue;
        auto& after_release = request_.what->after_release;
        auto const me = std::exchange(waiter_, nullptr);
        if (acquired_ && after_yield_) after_release.on_nobody_asked();
        if (acquired_) request_.what->acquired_at = taken_at_;
        if (acquired_ && left_)
            return queue.leave_with(me, {.left = *left_, .back_at = back_at_, .heard = sample_}, woken);
        queue.leave(me, woken);
        if (me->told_of > 0) return queue.tell_first(me->told_of, woken);
        if (me->at_head.load(std::memory_order_relaxed)) queue.tell_head(woken);
    });
}

bool counter_wait::finish() {
    if (acquired_)
        bar_late_copies();
    else
        settle_debt();
    leave();
    result_ = error_of(op_.result(), request_.may_wait);
    if (too_many_ && result_ == errc::server_refused) result_ = errc::invalid_argument;
    return done_ = true;
}

} // namespace redlatch::io
