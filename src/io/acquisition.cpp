#include "io/acquisition.hpp"

#include "base/assert.hpp"
#include "io/wait_result.hpp"
#include "locking/refused_command.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace redlatch::io {

using locking::acquire_op;
using locking::lock_table;

/// Of who waits in a queue on the server.
constexpr base::milliseconds longest_pause_of_a_queued_waiter{5'000};

acquisition::acquisition(std::shared_ptr<client_core> core, request order)
    : core_(std::move(core)), request_(std::move(order)), node_(&core_->node_of(request_.record->name)),
      lease_(request_.lease.value_or(core_->settings().lock_watchdog_timeout)),
      lease_on_server_(std::max(lease_ + request_.lock_delay, request_.hold_at_least)),
      asked_{.lease = lease_,
             .renewed = !request_.lease,
             .adapter = request_.adapter,
             .fencing = request_.fencing,
             .provisional = request_.provisional,
             .lock_delay = request_.lock_delay},
      began_(lease_clock::now()), now_(began_), op_(acquire_op::terms()) {
    core_->operation_began();
    if (!request_.may_wait || core_->settings().fail_fast) call_.be_impatient();
}

/// Whoever is told of the end finds it counted as ended.
void acquisition::stop_counting() {
    if (std::exchange(counted_, false)) core_->operation_ended();
}

bool acquisition::step() {
    if (!advance()) return false;
    stop_counting();
    return true;
}

bool acquisition::advance() {
    using state = acquire_op::state;
    bool const just_made = op_.now_in() == state::start && !tenure_;
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
        case state::finished: REDLATCH_ASSERT(false);
        }
        if (!go_on && !done_) return false;
    }
    return true;
}

bool acquisition::ready() const {
    using state = acquire_op::state;
    if (cancelled() || core_->closed()) return true;
    switch (op_.now_in()) {
    case state::start: return !tenure_->in_operation; // a hint, looked at again under the table's mutex
    case state::queued:
        if (!looked_ && waiter_->at_head.load(std::memory_order_acquire)) return true;
        if (op_.doubts() && channel_ && channel_->count > sample_.count) return true;
        break;
    case state::trying: return call_.finished();
    case state::waiting:
    case state::yielding:
        if (op_.listens() && op_.is_news(channel_->sample(), sample_)) return true;
        break;
    case state::pausing:
        if (refused_.told()) return true;
        break;
    case state::finished: return false;
    }
    return waiter_
           && (waiter_->granted.load(std::memory_order_acquire) || waiter_->released.load(std::memory_order_acquire));
}

// --- the beginning: does another operation of the owner run, a re-entry or a fresh tenure

/// Before anything was sent or entered.
bool acquisition::end_at_once(std::error_code reason) {
    tenure_.reset();
    waiter_.reset();
    result_ = reason;
    return done_ = true;
}

acquire_op::terms acquisition::terms(lock_table::beginning const& found) const {
    auto const& record = *request_.record;
    acquire_op::terms out;
    out.began = began_;
    out.deadline = request_.deadline;
    out.may_wait = request_.may_wait;
    out.reentry = found.what == lock_table::beginning::kind::reentry;
    // Where it probably meets a holder again, a plain attempt would only be one more.
    bool const meets_holder = found.known_busy || (request_.may_wait && record.had_to_wait());
    out.plain =
        !meets_holder && !request_.fencing && node_->choice().acquires_plainly(record) && record.how->plain != nullptr;
    out.lease = lease_;
    out.margin = locking::validity_margin(lease_, core_->settings().validity_margin);
    out.max_hold = max_hold();
    out.longest_wait = core_->settings().lock_watchdog_timeout;
    out.queues_here = !record.how->each_waiter_asks();
    // Who waits on the server asks in time to keep its place, and soon where another client took it for gone.
    if (record.how->queues_on_server()) {
        out.longest_wait =
            std::min({out.longest_wait, record.settings->waiter_timeout / 4, longest_pause_of_a_queued_waiter});
        // Where calls fail fast an attempt says at once that the server is away.
        if (record.had_to_wait() && !core_->settings().fail_fast)
            out.listens_until = base::later(now_, acquire_op::longest_subscribing);
    }
    if (!record.has_channel()) {
        out.backoff = request_.backoff;
        out.seed = std::hash<std::string_view>()(found.tenure->owner_id()); // no two waiters ask in step
    }
    return out;
}

bool acquisition::begin() {
    using kind = lock_table::beginning::kind;
    in_operation_ = false;
    if (cancelled() || core_->closed()) return end_at_once(core_->closed() ? errc::closed : errc::cancelled);
    if (request_.may_wait && !request_.record->how->each_waiter_asks()) prepare_waiter();
    auto what = kind::fresh;
    core_->locked([&](lock_table& table, base::wake_list& woken) {
        auto const found =
            table.begin(request_.record, request_.owner_number, asked_level(now_), now_, woken,
                        request_.owner_suffix ? std::string_view(*request_.owner_suffix) : std::string_view());
        what = found.what;
        tenure_ = found.tenure;
        level_number_ = found.level_number;
        in_operation_ = what == kind::fresh || what == kind::reentry || what == kind::retaken;
        op_ = acquire_op(terms(found)); // before anything can fail: it says what is to be undone
        if (what == kind::owner_busy) tenure_->wait_for_operation(waker());
        if (waiter_ && what == kind::fresh) enter_queue(table, woken); // a re-entry passes it
    });
    if (what != kind::fresh) waiter_.reset();
    switch (what) {
    case kind::retaken: return done_ = true;
    case kind::not_again:
    case kind::upgrade:
    case kind::overlap: forbidden_to_ = tenure_->owner_id().str(); return end_at_once(errc::would_deadlock);
    case kind::owner_busy:
        if (now_ < request_.deadline) return suspend(nullptr, request_.deadline);
        return end_at_once(request_.may_wait ? errc::timed_out : errc::busy);
    case kind::fresh:
    case kind::reentry: break;
    }
    auto const next = op_.start();
    if (next.what != acquire_op::act::queue) return carry_out(next);
    return looked_ ? go_on_as_head(false) : true; // has it become the head when it entered?
}

bool acquisition::carry_out(action next) {
    if (next.fresh_id && next.what != acquire_op::act::finish) {
        core_->locked([&](lock_table& table, base::wake_list&) {
            table.change_id(tenure_, lease_on_server_, lease_clock::now());
        });
        if (request_.record->how->queues_on_server()) leave_channel(); // it was that of the old id
    }
    switch (next.what) {
    case acquire_op::act::queue: return queue(next);
    case acquire_op::act::watch: return watch(next);
    case acquire_op::act::attempt: return attempt(next.plain);
    case acquire_op::act::wait: return wait(next);
    case acquire_op::act::yield: return yield(next);
    case acquire_op::act::pause: return pause(next.until);
    case acquire_op::act::finish: return finish(next);
    }
    return false;
}

/// What is held once it is acquired, at `from`.
locking::level acquisition::asked_level(base::instant from) const {
    auto asked = asked_;
    if (auto const most = max_hold()) asked.max_hold_until = base::later(from, *most);
    if (request_.hold_at_least.count() > 0) asked.kept_until = base::later(now_, request_.hold_at_least);
    return asked;
}

/// The lock delay, of this level or an outer one, begins when the last level has ended, whose end the tenure knows: it is ours
/// to read, as no other operation of it runs.
base::milliseconds acquisition::lease_to_write() const noexcept {
    if (!op_.asked().reentry) return lease_on_server_;
    auto const delay = std::max(request_.lock_delay, tenure_->lock_delay());
    if (delay.count() == 0) return lease_on_server_;
    auto const margin = locking::validity_margin(tenure_->longest_ever, core_->settings().validity_margin);
    auto const rest = locking::time_until(tenure_->validity(), now_) + margin;
    return std::max({lease_on_server_, lease_ + delay, rest + delay});
}

/// In a cluster the key may be on another node now.
void acquisition::follow_key() {
    auto* const where = &core_->node_of(request_.record->name);
    if (where == node_) return;
    leave_channel();
    node_ = where;
}

/// What it has counted says nothing of the next one.
void acquisition::leave_channel() {
    if (channel_) node_->messages().detach(std::exchange(channel_, nullptr), waker(), !blocking());
    sample_ = {};
}

/// On the channel of the lock, or on that of this waiter.
void acquisition::listen_to_releases() {
    if (channel_) return;
    channel_ = node_->messages().attach(channel_to_listen_to());
}

/// The id is read where there is no hand-off only: with one, another thread may give this waiter the id of its own hold.
std::string acquisition::channel_to_listen_to() const {
    auto const& record = *request_.record;
    if (!record.how->queues_on_server()) return record.channel();
    auto const owner = tenure_->owner_id();
    return record.how->waiter_channel(record.context(owner, lease_));
}

bool acquisition::queue(action const& next) {
    if (next.hurry)
        core_->locked([&](lock_table&, base::wake_list& woken) {
            if (!request_.record->was_answered_after(began_)) request_.record->queue.hurry_head(woken);
        });
    return suspend(nullptr, next.until);
}

bool acquisition::on_queued() {
    if (cancelled()) return carry_out(op_.on_cancelled());
    if (core_->closed()) return carry_out(op_.on_closed());
    if (waiter_->granted.load(std::memory_order_acquire)) return on_granted();
    if (now_ >= request_.deadline && (looked_ || !waiter_->at_head.load(std::memory_order_acquire)))
        return carry_out(op_.on_deadline(of_others()));
    if (!waiter_->at_head.load(std::memory_order_acquire)) return carry_out(op_.on_behind_head(now_));
    doubt_own_hold();
    bool const told = waiter_->released.load(std::memory_order_acquire);
    core_->locked([&](lock_table& table, base::wake_list& woken) { look(table, woken); });
    return go_on_as_head(told);
}

/// Another one of this process had the lock, and this one has it now - unless it was lost before anybody could notice.
bool acquisition::on_granted() {
    refused_.leave();
    if (core_->locked([&](lock_table& table, base::wake_list&) { return table.accept(waiter_); })) {
        level_number_ = waiter_->level_number;
        return carry_out(op_.on_granted());
    }
    leave_channel();
    waiter_.reset();
    tenure_.reset();
    looked_ = false;
    op_ = acquire_op(acquire_op::terms()); // from the start: its deadline stands
    return true;
}

/// `told`: by a release of this process.
bool acquisition::go_on_as_head(bool told) {
    switch (found_.what) {
    case lock_table::finding::kind::granted: return on_granted();
    case lock_table::finding::kind::held_here: return carry_out(op_.on_held_here(now_, found_.until, false));
    case lock_table::finding::kind::free: break;
    }
    // Who had to wait here will probably have to wait for the server's message too: be ready for it before asking.
    if ((contended_ || found_.must_yield) && !channel_ && request_.record->has_channel()) listen_to_releases();
    if (found_.must_yield) leave_turn_to_others();
    if (found_.must_yield || !channel_)
        return carry_out(op_.on_head(now_, found_.must_yield, sample_,
                                     found_.must_yield || !told ? left_to_pollers_ : locking::precedence()));
    node_->messages().catch_up();
    caught_up_ = true;
    sample_ = node_->messages().sample(*channel_);
    // After a release of this process its next waiter asks at once: the turn goes on.
    auto const others = told ? locking::precedence() : others_first(false);
    return carry_out(op_.on_head(now_, false, sample_, others));
}

// --- trying

/// Who enters again has the token of its tenure, if there is one.
bool acquisition::wants_token() const noexcept {
    return request_.record->how->always_fencing || (request_.fencing && (!op_.asked().reentry || tenure_->token == 0));
}

bool acquisition::attempt(bool plain) {
    follow_key();
    refused_.leave();
    bool const may_be_refused = op_.asked().may_wait && !op_.asked().reentry; // a full server writes a count
    if (auto const write_at = may_be_refused ? node_->next_write(now_, refused_, waker()) : now_; write_at > now_) {
        if (auto said = node_->last_refusal(); !said.empty()) server_said_ = std::move(said);
        caught_up_ = false;
        return carry_out(op_.on_held_up(write_at));
    }
    // A waiter can be given the hold of another one here, with its id, at any moment: this one is about to read its own.
    REDLATCH_ASSERT(!waiter_ || !waiter_->waits);
    asked_at_ = now_;
    plain_ = plain;
    if (channel_) {
        // The message of our own last release is no news.
        if (!std::exchange(caught_up_, false)) node_->messages().catch_up();
        sample_ = node_->messages().sample(*channel_);
    }
    auto const owner = tenure_->owner_id();
    auto about = request_.record->context(owner, lease_to_write());
    auto const& how = *request_.record->how;
    about.may_wait = request_.may_wait;
    about.fencing = wants_token();
    about.counter_ttl = core_->settings().fencing_counter_ttl.value_or(base::milliseconds(0));
    if (how.shared && how.counterpart != nullptr && !op_.asked().reentry) // it may have come while this one waited
        core_->locked([&](lock_table& table, base::wake_list&) {
            counterpart_ = table.counterpart(*request_.record, request_.owner_number, now_);
        });
    auto const counterpart = counterpart_ ? counterpart_->owner_id() : locking::owner_id_text();
    about.counterpart_id = counterpart;
    about.count_listeners = request_.may_wait && request_.record->has_channel() && !how.each_waiter_asks()
                            && (channel_ != nullptr || found_busy_);
    if (op_.asked().reentry) {
        // A release that waits no longer may end a level meanwhile.
        auto const held = core_->locked([&](lock_table&, base::wake_list&) { return tenure_->levels.size(); });
        auto const count = static_cast<int>(held) + 1;
        call_.begin(node_->data(), how.set_count(about, count), waker(), blocking());
    } else {
        may_be_queued_ = request_.may_wait && how.queues_on_server();
        // Behind the releases of a client that closes, an acquisition would leave its key.
        auto const* const unless = core_->closing_flag();
        auto question = plain ? how.plain->acquire(about) : how.acquire(about);
        call_.begin(node_->data(), std::move(question), waker(), blocking(), unless);
    }
    // The first look at the clock of the lane is due when the whole limit may be over, not before.
    auto const first_look =
        request_.waits_for_ever && core_->settings().outage_limit.count() > 0
            ? (now_ - began_ > base::milliseconds(1'000) ? outage_at()
                                                         : base::later(began_, core_->settings().outage_limit))
            : base::never;
    return suspend(&call_.line(), std::min(request_.deadline, first_look));
}

bool acquisition::on_called() {
    auto const now = now_;
    if (!call_.finished()) {
        if (cancelled()) return on_interruption(op_.on_cancelled());
        if (core_->closed()) return on_interruption(op_.on_closed());
        if (now >= request_.deadline) return on_interruption(op_.on_deadline(of_others()));
        if (auto const over = outage_at(); over != base::never) {
            if (now >= over) return on_interruption(op_.on_outage());
            return suspend(&call_.line(), std::min(request_.deadline, over));
        }
        return suspend(&call_.line(), request_.deadline);
    }
    auto const answered = call_.take([this] { return waker(); });
    if (!answered) return suspend(&call_.line(), at().until);
    if (answered->status == connection::call::state::closed) {
        if (core_->closed()) return carry_out(op_.on_closed());
        may_hold_ = may_hold_ || answered->handed > 0; // the server is away, and this one waits for nothing
        return carry_out(op_.on_outage());
    }
    if (call_.late_copy_possible())
        core_->locked([&](lock_table& table, base::wake_list&) { table.expect_late_copy(*tenure_); });
    // An error denies no earlier copy: that one may have run, and its answer was lost with its connection.
    may_hold_ = answered->reply.is_error() && (may_hold_ || call_.repeated());
    auto const& how = *request_.record->how;
    auto answer = plain_ ? how.plain->read_acquire(answered->reply) : locking::acquire_answer();
    found_busy_ = found_busy_ || answer.what == locking::acquire_answer::kind::key_exists;
    if (answer.what == locking::acquire_answer::kind::key_exists) {
        node_->on_written(answered->sent_at, true); // a server that refuses writes says so before it looks for the key
        return carry_out(op_.on_answer(answer, answered->sent_at, now, sample_));
    }
    if (answered->reply.is_error()) {
        server_said_ = locking::naming_right(answered->reply.text, answered->bytes);
        auto const verdict = connection::judge(answered->reply);
        if (plain_ && verdict == connection::verdict::refused
            && core_->stop_acquiring_plainly(answered->reply, request_.record))
            return carry_out(op_.on_plain_refused());
        return carry_out(
            op_.on_error(verdict, now,
                         node_->on_write_refused(*answered, now, op_.asked().may_wait ? &refused_ : nullptr, waker())));
    }
    if (op_.asked().reentry) {
        auto written = how.read_count(answered->reply);
        if (written.what == locking::count_answer::written && (written.token != 0) != wants_token()) written = {};
        token_ = written.token;
        auto const last = op_.on_count_answer(written.what, answered->sent_at, now, tenure_->validity());
        return on_answer_read(last, *answered);
    }
    if (!plain_) answer = how.read_acquire(answered->reply);
    if (answer.what == locking::acquire_answer::kind::acquired && (answer.token != 0) != wants_token()) answer = {};
    token_ = answer.token;
    may_hold_ = answer.what == locking::acquire_answer::kind::not_understood;
    if (answer.what == locking::acquire_answer::kind::busy) {
        node_->on_executed(answered->sent_at);
        was_busy_ = true;
        if (!answer.count_refused.empty()) tell_of_count(answer.count_refused);
        auto const longest = answer.retry_after.value_or(core_->settings().lock_watchdog_timeout);
        core_->locked([&](lock_table& table, base::wake_list&) {
            auto& record = *request_.record;
            record.on_busy(answer.listeners, sample_, base::later(now, longest), now);
            if (!table.holder(record, now) && !table.in_handoff(record)) record.on_held_elsewhere(now);
        });
    }
    auto const next = op_.on_answer(answer, answered->sent_at, now, sample_);
    return on_answer_read(next, *answered);
}

/// The server does not say how many listen: processes do not take turns.
void acquisition::tell_of_count(std::string_view error) {
    resp::value const said{.type = resp::value::kind::error, .text = std::string(error)};
    bool const sharded = request_.record->settings->publish->command() == locking::publish_in_shard_command;
    node_->note_spare(sharded ? "pubsub|shardnumsub" : "pubsub|numsub", said);
}

bool acquisition::on_answer_read(action const& next, connection::call const& answered) {
    if (op_.result() == acquire_op::outcome::acquired) {
        taken_at_ = answered.sent_at;
        if (needs_memory())
            node_->on_written(answered.sent_at, true);
        else
            node_->on_executed(answered.sent_at);
    }
    return carry_out(next);
}

/// A full server refuses it: what it writes first needs memory. Not so a lease, a count, or the end of a place in the queue.
bool acquisition::needs_memory() const noexcept {
    return !op_.asked().reentry && !call_.repeated() && !(was_busy_ && request_.record->how->queues_on_server());
}

/// With the table's mutex.
void acquisition::take_level(lock_table& table, base::instant sent_at, base::wake_list& woken) {
    auto const what = asked_level(sent_at);
    request_.record->on_answered(now_);
    if (request_.record->contended && !op_.found_held()) request_.record->contended->had_to_wait = false;
    if (after_silence_) request_.record->on_nobody_asked(sample_);
    table.lose_others(tenure_, sent_at, now_, woken); // what may throw comes first
    if (auto const taken = table.take(tenure_, what, sent_at, what.max_hold_until, token_))
        level_number_ = taken->number;
    token_ = tenure_->token;
}

// --- the end

/// The caller returns now, with a call in flight.
bool acquisition::on_interruption(action last) {
    auto const undo = [&] {
        if (!op_.asked().reentry) return call_.abandon();
        // The local count is the truth; the late answer only tells whether the lock was lost.
        return call_.abandon([core = core_, tenure = tenure_, how = request_.record->how](resp::value const& reply) {
            if (how->read_count(reply).what != locking::count_answer::not_held) return;
            core->locked(
                [&](lock_table& table, base::wake_list& woken) { table.lose(tenure, lease_clock::now(), woken); });
        });
    };
    last.fresh_id = undo(); // its id may come to be in the key
    if (call_.late_copy_possible())
        core_->locked([&](lock_table& table, base::wake_list&) { table.expect_late_copy(*tenure_); });
    return finish(last);
}

bool acquisition::finish(action const& last) {
    auto how = op_.result();
    if (channel_) node_->messages().detach(std::exchange(channel_, nullptr), waker(), !blocking());
    core_->locked([&](lock_table& table, base::wake_list& woken) {
        if (taken_at_) take_level(table, *taken_at_, woken);
        if (waiter_ && table.leave(waiter_, now_, woken)) {
            // Whoever leaves when it has been given the lock has got it: only its caller can give it back.
            if (level_number_ != 0 || !table.accept(waiter_)) return;
            how = acquire_op::outcome::acquired;
            level_number_ = waiter_->level_number;
            return;
        }
        if (how == acquire_op::outcome::acquired && level_number_ == 0)
            how = core_->closed() ? acquire_op::outcome::closed : acquire_op::outcome::lost; // it was lost meanwhile
        if (how != acquire_op::outcome::acquired) {
            if (op_.asked().reentry) {
                if (how == acquire_op::outcome::lost) table.lose(tenure_, now_, woken);
            } else {
                bool const may_be_there = last.fresh_id || may_hold_ || may_be_queued_;
                auto const stays = may_be_queued_
                                       ? std::max(lease_on_server_, request_.record->settings->waiter_timeout)
                                       : lease_on_server_;
                table.give_up(tenure_, may_be_there, stays, now_);
            }
        }
        tenure_->end_operation(woken);
    });
    result_ = error_of(how, request_.may_wait);
    if (how != acquire_op::outcome::acquired) tenure_.reset();
    return done_ = true; // only now: what throws before is undone by the destructor
}

} // namespace redlatch::io
