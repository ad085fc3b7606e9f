#include "io/acquisition.hpp"

#include "base/assert.hpp"
#include "locking/names.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::io {

using locking::acquire_op;
using locking::lock_table;

acquisition::acquisition(std::shared_ptr<client_core> core, request what)
    : core_(std::move(core)), request_(std::move(what)),
      lease_(request_.lease.value_or(core_->settings().lock_watchdog_timeout)), began_(lease_clock::now()),
      now_(began_) {
    core_->operation_began();
}

acquisition::~acquisition() {
    stop_counting();
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
    bool const just_made = stage_ == stage::beginning && !tenure_;
    if (!just_made || !blocking()) now_ = lease_clock::now();
    for (;;) {
        auto const before = stage_;
        bool go_on = false;
        switch (stage_) {
        case stage::beginning: go_on = begin(); break;
        case stage::queued: go_on = on_queued(); break;
        case stage::calling: go_on = on_called(); break;
        case stage::waiting:
        case stage::pausing: go_on = on_waited(); break;
        case stage::finished: return true;
        }
        if (stage_ == stage::finished) return true;
        if (!go_on) {
            REDLATCH_ASSERT(before == stage_ || stage_ != stage::beginning);
            return false;
        }
    }
}

bool acquisition::ready() const {
    if (cancelled() || core_->closed()) return true;
    switch (stage_) {
    case stage::beginning: return !tenure_->in_turn; // a hint, looked at again under the table's mutex
    case stage::queued:
        if (!looked_ && place_->at_head.load(std::memory_order_acquire)) return true;
        break;
    case stage::calling: return call_.finished();
    case stage::waiting:
        if (channel_->count > sample_.count) return true;
        break;
    case stage::pausing: break;
    case stage::finished: return false;
    }
    return place_
           && (place_->granted.load(std::memory_order_acquire) || place_->released.load(std::memory_order_acquire));
}

// --- the beginning: whose turn is it, a re-entry or a fresh tenure

bool acquisition::begin() {
    if (cancelled() || core_->closed()) {
        tenure_.reset();
        result_ = core_->closed() ? errc::closed : errc::cancelled;
        stage_ = stage::finished;
        return true;
    }
    auto const now = now_;
    bool reentry = false;
    bool known_busy = false;
    has_turn_ = core_->locked([&](lock_table& table, base::wake_list& woken) {
        if (auto const& passing = table.passing(*request_.record)) {
            auto const which = passing;
            if (auto const again = table.retake(*request_.record, request_.owner_number, asked_level(now), now)) {
                tenure_ = which;
                level_number_ = again->number;
                stage_ = stage::finished;
                return true;
            }
        }
        tenure_ = table.current(*request_.record, request_.owner_number);
        if (tenure_ && tenure_->in_turn) {
            tenure_->turn_waiters.push_back(waker());
            return false;
        }
        if (tenure_ && !tenure_->holds(now)) {
            table.lose(tenure_, now, woken);
            tenure_.reset();
        }
        reentry = tenure_ != nullptr;
        // Where other processes want it too, the attempt that tells for how long it is held is the better guess.
        known_busy = request_.record->busy_until > now || request_.record->turn.others_listen();
        if (!tenure_) tenure_ = table.open(request_.record, request_.owner_number);
        tenure_->in_turn = true;
        return true;
    });
    if (stage_ == stage::finished) return true;
    if (!has_turn_) {
        if (now < request_.deadline) return suspend(nullptr, request_.deadline);
        tenure_.reset();
        result_ = request_.may_wait ? errc::timed_out : errc::busy;
        stage_ = stage::finished;
        return true;
    }
    acquire_op::terms terms;
    terms.deadline = request_.deadline;
    terms.may_wait = request_.may_wait;
    terms.reentry = reentry;
    terms.plain = !known_busy && core_->takes_plainly() && request_.record->how->plain != nullptr;
    terms.lease = lease_;
    terms.margin = locking::validity_margin(lease_, core_->settings().validity_margin);
    terms.max_hold = max_hold();
    terms.longest_wait = core_->settings().lock_watchdog_timeout;
    terms.seed = tenure_->serial;
    op_.emplace(terms);
    return carry_out(op_->start());
}

bool acquisition::carry_out(action what) {
    if (what.fresh_id && what.what != acquire_op::act::finish)
        core_->locked(
            [&](lock_table& table, base::wake_list&) { table.change_id(tenure_, lease_, lease_clock::now()); });
    switch (what.what) {
    case acquire_op::act::enqueue: return enqueue();
    case acquire_op::act::attempt: return attempt(what.plain);
    case acquire_op::act::wait: return wait(what);
    case acquire_op::act::pause: return pause(what.until);
    case acquire_op::act::finish: return finish(what);
    }
    return false;
}

/// What is held once it is acquired, at `from`.
locking::level acquisition::asked_level(base::instant from) const {
    auto const most = max_hold();
    return {0, lease_, !request_.lease, request_.adapter, most ? base::later(from, *most) : base::never};
}

bool acquisition::enqueue() {
    stage_ = stage::queued;
    place_ = std::allocate_shared<locking::queue_place>(base::recycling<locking::queue_place>(), waker());
    place_->whose = tenure_;
    place_->asked = asked_level(base::never);
    place_->asked.max_hold_until = base::never; // counts from the hand-over
    place_->max_hold = max_hold();
    place_->passable = !request_.lease; // nothing has been sent yet
    bool const at_head = core_->locked([&](lock_table& table, base::wake_list& woken) {
        if (!request_.record->queue.enter(place_)) {
            contended_ = true;
            lock_table::wait_again(*place_);
            return false;
        }
        look(table, woken);
        return true;
    });
    return at_head ? go_on_as_head() : true;
}

/// With the table's mutex.
bool acquisition::look(lock_table& table, base::wake_list& woken) {
    looked_ = true;
    contended_ = contended_ || request_.record->turn.others_listen();
    held_back_ = place_->released.load(std::memory_order_relaxed) && std::exchange(place_->held_back, false);
    if (held_back_) {
        place_->released.store(false, std::memory_order_relaxed);
        sample_ = place_->sample;
        lock_table::wait_again(*place_);
        found_ = {};
    } else {
        found_ = table.look(place_, now_, woken);
    }
    return true;
}

bool acquisition::on_queued() {
    if (cancelled()) return carry_out(op_->on_cancelled());
    if (core_->closed()) return carry_out(op_->on_closed());
    if (place_->granted.load(std::memory_order_acquire)) return on_granted();
    if (now_ >= request_.deadline && (looked_ || !place_->at_head.load(std::memory_order_acquire)))
        return carry_out(op_->on_deadline(known_busy()));
    if (!place_->at_head.load(std::memory_order_acquire)) return suspend(nullptr, request_.deadline);
    core_->locked([&](lock_table& table, base::wake_list& woken) { look(table, woken); });
    return go_on_as_head();
}

/// Another one of this process had the lock, and this one has it now - unless it was lost before anybody could notice.
bool acquisition::on_granted() {
    if (core_->locked([&](lock_table& table, base::wake_list&) { return table.accept(place_); })) {
        level_number_ = place_->level_number;
        return carry_out(op_->on_granted());
    }
    if (channel_) core_->messages().detach(std::exchange(channel_, nullptr), waker(), !blocking());
    place_.reset();
    tenure_.reset();
    looked_ = held_back_ = false;
    stage_ = stage::beginning; // from the start: its deadline stands
    return true;
}

bool acquisition::go_on_as_head() {
    switch (found_.what) {
    case lock_table::finding::kind::granted: return on_granted();
    case lock_table::finding::kind::held_here: return suspend(nullptr, std::min(request_.deadline, found_.until));
    case lock_table::finding::kind::free: break;
    }
    // Who had to wait here will probably have to wait for the server's message too: be ready for it before asking.
    if ((contended_ || held_back_ || found_.stand_back) && !channel_)
        channel_ = core_->messages().attach(request_.record->channel);
    if (found_.stand_back) stand_back();
    return carry_out(op_->on_head(now_, held_back_, sample_));
}

/// It is the turn of other processes: of what has been published, only what comes from now on may be news of them.
void acquisition::stand_back() {
    if (channel_) sample_ = core_->messages().sample(*channel_);
    sample_.count = std::max(sample_.count, found_.own_message);
    held_back_ = true;
}

// --- trying

base::instant acquisition::outage_at() {
    auto const limit = core_->settings().outage_limit;
    if (!request_.waits_for_ever || limit.count() == 0) return base::never;
    return base::later(std::max(began_, core_->data().line().unheard_since()), limit);
}

bool acquisition::attempt(bool plain) {
    stage_ = stage::calling;
    plain_ = plain;
    if (channel_) {
        core_->messages().catch_up(); // the message of our own last release is no news
        sample_ = core_->messages().sample(*channel_);
    }
    auto const about = request_.record->context(tenure_->owner_id, lease_);
    auto const& how = *request_.record->how;
    if (op_->asked().reentry) {
        auto const count = static_cast<int>(tenure_->levels.size()) + 1; // ours to read: we have the turn
        call_.begin(core_->data(), how.set_count(about, count), waker(), blocking());
    } else {
        // Behind the releases of a client that closes, an acquisition would leave its key.
        auto const* const unless = core_->closing_flag();
        if (plain)
            call_.begin(core_->data(), how.plain->acquire(about), waker(), blocking(), unless);
        else
            call_.begin(core_->data(), how.acquire(about), waker(), blocking(), unless);
    }
    // The first look at the clock of the lane is due when the whole limit may be over, not before.
    auto const first_look =
        request_.waits_for_ever && core_->settings().outage_limit.count() > 0
            ? (now_ - began_ > base::milliseconds(1'000) ? outage_at()
                                                         : base::later(began_, core_->settings().outage_limit))
            : base::never;
    return suspend(&core_->data().line(), std::min(request_.deadline, first_look));
}

bool acquisition::on_called() {
    auto const now = now_;
    if (!call_.finished()) {
        if (cancelled()) return on_interruption(op_->on_cancelled());
        if (core_->closed()) return on_interruption(op_->on_closed());
        if (now >= request_.deadline) return on_interruption(op_->on_deadline(known_busy()));
        if (auto const over = outage_at(); over != base::never) {
            if (now >= over) return on_interruption(op_->on_outage());
            return suspend(&core_->data().line(), std::min(request_.deadline, over));
        }
        return suspend(&core_->data().line(), request_.deadline);
    }
    auto const answered = call_.take();
    if (!answered) return suspend(at().where, at().until);
    if (answered->status == connection::call::state::closed) return carry_out(op_->on_closed());
    if (call_.unfenced()) core_->locked([&](lock_table&, base::wake_list&) { tenure_->unfenced = true; });
    // An error denies no earlier copy: that one may have run, and its answer was lost with its connection.
    may_hold_ = answered->reply.is_error() && (may_hold_ || answered->repeated());
    auto const& how = *request_.record->how;
    auto answer = plain_ ? how.plain->read_acquire(answered->reply) : locking::acquire_answer();
    if (answer.what == locking::acquire_answer::kind::key_exists)
        return carry_out(op_->on_answer(answer, answered->sent_at, now, sample_));
    if (answered->reply.is_error()) {
        server_said_ = answered->reply.text;
        auto const verdict = connection::judge(answered->reply);
        if (plain_ && verdict == connection::verdict::refused && core_->stop_taking_plainly(answered->reply.text))
            return carry_out(op_->on_plain_refused());
        if (verdict == connection::verdict::read_only) core_->data().line().reconnect("is a replica now");
        return carry_out(op_->on_error(verdict, now));
    }
    if (op_->asked().reentry) {
        auto const last =
            op_->on_count_answer(how.read_count(answered->reply), answered->sent_at, now, tenure_->validity());
        if (op_->result() == acquire_op::outcome::acquired) take_level(answered->sent_at);
        return carry_out(last);
    }
    if (!plain_) answer = how.read_acquire(answered->reply);
    may_hold_ = answer.what == locking::acquire_answer::kind::not_understood;
    if (answer.what == locking::acquire_answer::kind::busy)
        core_->locked([&](lock_table&, base::wake_list&) {
            request_.record->turn.begin_anew();
            request_.record->busy_until =
                base::later(now, answer.retry_after.value_or(core_->settings().lock_watchdog_timeout));
        });
    auto const next = op_->on_answer(answer, answered->sent_at, now, sample_);
    if (op_->result() == acquire_op::outcome::acquired) take_level(answered->sent_at);
    return carry_out(next);
}

void acquisition::take_level(base::instant sent_at) {
    core_->locked([&](lock_table& table, base::wake_list&) {
        auto const what = asked_level(sent_at);
        if (auto const taken = table.take(tenure_, what, sent_at, what.max_hold_until)) level_number_ = taken->number;
    });
}

// --- waiting

bool acquisition::wait(action const& what) {
    stage_ = stage::waiting;
    if (what.deaf) return pause(what.until); // whoever wins meanwhile wakes nobody here
    wait_again();
    if (!channel_) channel_ = core_->messages().attach(request_.record->channel);
    core_->messages().listen(channel_, waker(), what.subscribe, blocking());
    bool refused = false;
    core_->messages().line().with([&] { refused = channel_->now_in == locking::channel::state::refused; });
    auto until = what.until;
    if (refused) until = std::min(until, base::later(lease_clock::now(), acquire_op::poll_pause));
    return suspend(&core_->messages().line(), until);
}

bool acquisition::pause(base::instant until) {
    stage_ = stage::pausing;
    wait_again();
    return suspend(nullptr, until);
}

/// No call is under way: what ends in this process may be for it, unless a copy of an earlier call may come to hold the lock.
void acquisition::wait_again() {
    if (place_ && !std::exchange(held_back_, false)) // held back: since it looked
        core_->locked([&](lock_table&, base::wake_list&) {
            place_->passable = !request_.lease && !may_hold_ && !tenure_->unfenced;
            lock_table::wait_again(*place_);
        });
}

bool acquisition::on_waited() {
    if (cancelled()) return carry_out(op_->on_cancelled());
    if (core_->closed()) return carry_out(op_->on_closed());
    if (place_ && place_->granted.load(std::memory_order_acquire)) return on_granted();
    if (now_ >= request_.deadline) return carry_out(op_->on_deadline(known_busy()));
    bool const told = place_ && place_->released.load(std::memory_order_acquire);
    bool by_message = false;
    if (!told && now_ < at().until) {
        if (stage_ == stage::waiting)
            core_->messages().line().with([&] {
                by_message = channel_->count > sample_.count;
                if (by_message) sample_ = channel_->sample();
            });
        if (!by_message) return suspend(at().where, at().until);
    }
    if (!place_) return carry_out(op_->on_woken(now_, false, sample_));
    core_->locked([&](lock_table& table, base::wake_list& woken) { look(table, woken); });
    switch (found_.what) {
    case lock_table::finding::kind::granted: return on_granted();
    case lock_table::finding::kind::held_here:
        // Whatever has been published was not for us: another one here was faster.
        if (stage_ == stage::waiting) sample_ = core_->messages().sample(*channel_);
        return suspend(at().where, std::min(request_.deadline, found_.until));
    case lock_table::finding::kind::free: break;
    }
    if (found_.stand_back) stand_back();
    return carry_out(op_->on_woken(now_, held_back_, sample_, by_message));
}

// --- the end

bool acquisition::known_busy() {
    return core_->locked([&](lock_table& table, base::wake_list&) {
        auto const now = lease_clock::now();
        return table.holder(*request_.record, now) != nullptr || table.passing(*request_.record) != nullptr
               || request_.record->busy_until > began_;
    });
}

/// The caller returns now, with a call in flight.
bool acquisition::on_interruption(action last) {
    auto const undo = [&] {
        if (!op_->asked().reentry) return call_.abandon();
        // The local count is the truth; the late answer only tells whether the lock was lost.
        return call_.abandon([core = core_, tenure = tenure_, how = request_.record->how](resp::value const& reply) {
            if (how->read_count(reply) != locking::count_answer::not_held) return;
            core->locked(
                [&](lock_table& table, base::wake_list& woken) { table.lose(tenure, lease_clock::now(), woken); });
        });
    };
    last.fresh_id = undo(); // its id may come to be in the key
    if (call_.unfenced()) core_->locked([&](lock_table&, base::wake_list&) { tenure_->unfenced = true; });
    return finish(last);
}

bool acquisition::finish(action const& last) {
    stage_ = stage::finished;
    auto how = op_->result();
    if (channel_) core_->messages().detach(channel_, waker(), !blocking());
    core_->locked([&](lock_table& table, base::wake_list& woken) {
        if (place_ && table.leave(place_, now_, woken)) {
            // Whoever leaves when it has been given the lock has got it: only its caller can give it back.
            if (level_number_ != 0 || !table.accept(place_)) return;
            how = acquire_op::outcome::acquired;
            level_number_ = place_->level_number;
            return;
        }
        if (how == acquire_op::outcome::acquired && level_number_ == 0)
            how = core_->closed() ? acquire_op::outcome::closed : acquire_op::outcome::lost; // it was lost meanwhile
        if (how != acquire_op::outcome::acquired) {
            if (op_->asked().reentry) {
                if (how == acquire_op::outcome::lost) table.lose(tenure_, now_, woken);
            } else {
                table.give_up(tenure_, last.fresh_id || may_hold_, lease_, now_);
            }
        }
        tenure_->in_turn = false;
        for (auto const& who : std::exchange(tenure_->turn_waiters, {})) woken.add(who);
    });
    result_ = code_of(how);
    if (how != acquire_op::outcome::acquired) tenure_.reset();
    return true;
}

std::error_code acquisition::code_of(acquire_op::outcome how) const noexcept {
    switch (how) {
    case acquire_op::outcome::acquired: return {};
    case acquire_op::outcome::busy: return errc::busy;
    case acquire_op::outcome::timed_out: return request_.may_wait ? errc::timed_out : errc::busy;
    case acquire_op::outcome::cancelled: return errc::cancelled;
    case acquire_op::outcome::closed: return errc::closed;
    case acquire_op::outcome::lost: return errc::lease_lost;
    case acquire_op::outcome::refused: return errc::server_refused;
    case acquire_op::outcome::wrong_type: return errc::wrong_type;
    case acquire_op::outcome::bad_reply: return errc::bad_reply;
    case acquire_op::outcome::pending:
    case acquire_op::outcome::disconnected: break;
    }
    return errc::disconnected;
}

std::string acquisition::sentence() const {
    auto const lock = "lock " + locking::shown(request_.record->name);
    auto const server = "the server " + core_->server();
    switch (static_cast<errc>(result_.value())) {
    case errc::busy: return lock + " is held by somebody else";
    case errc::timed_out: return lock + " was held by somebody else until the wait ended";
    case errc::cancelled: return "the wait for " + lock + " was cancelled";
    case errc::closed: return "the client was closed; " + lock + " was not acquired";
    case errc::lease_lost:
        return lock + " cannot be entered again: the hold of this owner is lost; release it and acquire anew";
    case errc::wrong_type:
        return "the key " + locking::shown(request_.record->name) + " on " + server
               + " is not a lock (another type of value has this name); choose another name";
    case errc::server_refused:
        return server + " refused to acquire " + lock + ": " + server_said_ + "; check the rights of this user";
    case errc::bad_reply: return server + " gave an answer to the acquisition of " + lock + " that is none";
    case errc::disconnected: {
        auto const why = core_->data().line().trouble();
        auto const said = server_said_.empty() ? std::string() : " (it last said: " + server_said_ + ")";
        return lock + " was not acquired: " + (why.empty() ? server + " did not answer in time" : why) + said;
    }
    case errc::not_owner:
    case errc::outcome_unknown:
    case errc::bad_config:
    case errc::bad_name:
    case errc::invalid_argument:
    case errc::forked:
    case errc::wrong_thread: break;
    }
    return lock + ": " + result_.message();
}

} // namespace redlatch::io
