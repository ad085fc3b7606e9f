#include "io/counter_change.hpp"

#include "connection/server_error.hpp"
#include "io/insist.hpp"
#include "io/query_op.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::io {

namespace {

/// A user who may keep no record waits so long, and tries again without.
constexpr base::milliseconds pause_without_record{100};

} // namespace

counter_change::counter_change(std::shared_ptr<client_core> core, request order)
    : core_(std::move(core)), order_(std::move(order)), node_(&core_->node_of(order_.call.key())),
      deadline_(order_.deadline) {
    if (!order_.repeatable) call_.be_sent_once();
    if (core_->settings().fail_fast) call_.be_impatient();
}

counter_change::~counter_change() {
    if (core_->forked()) refused_.forget();
    if (stage_ != stage::finished && !core_->forked())
        insist([this] {
            call_.abandon();
            check_message();
        });
    stop_counting();
}

void counter_change::stop_counting() {
    if (std::exchange(counted_, false)) core_->request_ended();
}

/// Before it is sent. Where nobody waits the message is for others, and for those who come later.
void counter_change::expect_waiters() {
    if (!order_.releases) return;
    hears_itself_ = node_->messages().peek(order_.counter->channel).subscribed;
    if (!order_.adds) return;
    core_->shared_counters().locked([&](base::wake_list&) {
        waited_for_ = !order_.counter->queue.empty();
        left_to_others_ = waited_for_ && hears_itself_ && is_left_to_others(lease_clock::now());
    });
    if (left_to_others_) waited_for_ = false;
    own_message_ = waited_for_ && node_->messages().expect_own(order_.counter->channel);
}

/// With the mutex. The head of the line asks later than those that its message wakes elsewhere.
bool counter_change::is_left_to_others(base::instant now) const {
    auto& counter = *order_.counter;
    if (counter.acquired_at == base::never || !counter.turn.is_over(now)) return false;
    counter.after_release.on_released(counter.turn.others(), now - counter.acquired_at, now);
    if (counter.after_release.left(now) <= base::nanoseconds(0)) return false;
    counter.turn.end();
    return true;
}

/// It is on its way, and what they ask goes right behind it on the same connection.
void counter_change::tell_waiters() {
    if (!waited_for_) return;
    core_->shared_counters().locked(
        [&](base::wake_list& woken) { order_.counter->queue.tell_first(order_.amount, woken); });
}

/// Of a request that was sent again, or elsewhere, or not executed, or whose message was not published, the waiters may have
/// asked too early.
void counter_change::check_message() {
    bool const heard = !result_ && stage_ == stage::finished && at_once_ && !call_.repeated() && !call_.by_text()
                       && !call_.redirected() && locking::heard_by(reply_);
    if (std::exchange(own_message_, false) && !heard) node_->messages().expect_own_no_more(order_.counter->channel);
}

/// They wait, and may be first where nobody of this process does.
void counter_change::leave_to_others(base::instant now) {
    auto const heard = order_.releases ? locking::heard_by(reply_) : std::nullopt;
    if (!heard) return;
    auto const others = std::max<std::int64_t>(*heard - (hears_itself_ ? 1 : 0), 0);
    core_->shared_counters().locked([&](base::wake_list&) {
        auto& counter = *order_.counter;
        counter.turn.on_heard_by(others);
        if (counter.acquired_at != base::never && !left_to_others_)
            counter.after_release.on_released(others, now - counter.acquired_at, now);
    });
}

/// Where it was done the slot is on its way, and nobody listens there yet.
void counter_change::tell_where_the_slot_comes_from(connection::call const& answered) {
    if (!answered.behind_asking || order_.tells == nullptr || !order_.tells(answered.reply)) return;
    auto const& counter = *order_.counter;
    insist([&] {
        core_->send(core_->node_of(counter.name).data(),
                    locking::command_call(counter.publish->command(), counter.channel, {order_.message}),
                    [](connection::call const&) {}, {.once = true});
    });
}

bool counter_change::step() {
    for (;;) {
        bool go_on = false;
        switch (stage_) {
        case stage::beginning: go_on = call(); break;
        case stage::calling: go_on = on_called(); break;
        case stage::pausing: go_on = on_paused(); break;
        case stage::finished: break;
        }
        if (stage_ == stage::finished) return true;
        if (!go_on) return false;
    }
}

bool counter_change::ready() const {
    return stage_ == stage::calling ? call_.finished() : core_->closed() || refused_.told();
}

void counter_change::wait_with_others(base::instant now) {
    if (!order_.with_others) return;
    deadline_ = std::min(deadline_, std::max(base::later(node_->known_away_since(), core_->settings().timeout), now));
}

bool counter_change::call() {
    if (!std::exchange(counted_, true)) core_->request_began();
    bool const first = stage_ == stage::beginning;
    stage_ = stage::calling;
    refused_.leave();
    node_ = &core_->node_of(order_.call.key());
    if (first) wait_with_others(lease_clock::now());
    if (first) expect_waiters();
    call_.begin(node_->data(), with_record_ ? *with_record_ : order_.call, waker(), blocking(), core_->closing_flag());
    if (first) tell_waiters();
    at_once_ = first;
    return suspend(&call_.line(), deadline_);
}

bool counter_change::on_called() {
    auto const now = lease_clock::now();
    if (!call_.finished()) {
        if (now < deadline_) return suspend(at().where, at().until);
        may_be_done_ = call_.abandon() || may_be_done_;
        return finish(without_an_answer());
    }
    auto const said = call_.take([this] { return waker(); });
    if (!said) return suspend(&call_.line(), at().until);
    if (said->status == connection::call::state::closed) {
        may_be_done_ = may_be_done_ || said->handed > 0;
        bool const again = said->handed == 0 && !core_->closed() && !core_->settings().fail_fast && now < deadline_;
        return again ? call() : finish(without_an_answer()); // it had waited for a connection, and there is one
    }
    reply_ = said->reply;
    if (!reply_.is_error()) {
        // Of some replies it is not known whether anything was written; the next write tells.
        bool const wrote = !call_.repeated() && (!reply_.is_integer() || reply_.integer > 0);
        if (wrote)
            node_->on_written(said->sent_at, order_.when_full != nullptr && !with_record_);
        else
            node_->on_executed(said->sent_at);
        repeated_ = std::exchange(may_be_done_, false) || call_.repeated();
        leave_to_others(now);
        tell_where_the_slot_comes_from(*said);
        return finish({});
    }
    may_be_done_ = may_be_done_ || call_.repeated(); // the answer to a copy was lost, and this one says nothing of it
    auto const verdict = connection::judge(reply_);
    auto const again = node_->on_write_refused(*said, now, &refused_, waker());
    if (with_record_ && connection::is_missing_right(reply_)) { // to keep a record, which nobody has asked for
        with_record_.reset();
        reply_ = *without_record_;
        return pause(now, base::later(now, pause_without_record));
    }
    if (verdict != connection::verdict::read_only && verdict != connection::verdict::not_executed)
        return finish(connection::to_errc(verdict));
    return repeats_with_record() ? call() : pause(now, again);
}

/// False: not for this refusal, or it was tried before.
bool counter_change::repeats_with_record() {
    if (order_.when_full == nullptr || without_record_ || !connection::is_out_of_memory(reply_)) return false;
    auto const record = core_->new_record(order_.counter->name);
    auto request = order_.counter->request();
    request.record = record;
    request.amount = order_.amount;
    with_record_ = order_.when_full(request);
    without_record_ = reply_;
    return true;
}

bool counter_change::pause(base::instant now, base::instant until) {
    wait_with_others(now);
    if (now >= deadline_) return finish(errc::disconnected);
    stage_ = stage::pausing;
    return suspend(nullptr, std::min(until, deadline_));
}

bool counter_change::on_paused() {
    if (core_->closed()) return finish(without_an_answer());
    auto const now = lease_clock::now();
    if (now < at().until && !refused_.told()) return false;
    refused_.leave();
    if (now >= deadline_) return finish(errc::disconnected);
    auto const write_at = node_->next_write(now, refused_, waker());
    return write_at > now ? pause(now, write_at) : call();
}

std::error_code counter_change::without_an_answer() const {
    return core_->closed() ? errc::closed : errc::disconnected;
}

bool counter_change::finish(std::error_code code) {
    stage_ = stage::finished;
    result_ = code && may_be_done_ ? make_error_code(errc::outcome_unknown) : code;
    check_message();
    stop_counting(); // before anybody is told of the end
    return true;
}

std::string counter_change::subject() const {
    return order_.in_words != nullptr ? order_.in_words(*order_.counter, order_.amount) : order_.subject;
}

std::string counter_change::message() const {
    if (result_ != errc::outcome_unknown)
        return query_message(*node_, subject(), result_, reply_, order_.kind, order_.call.bytes);
    return "it is not known whether " + subject() + " was done: the connection to the server " + node_->address()
           + " broke, or no answer came in time; look at the " + std::string(order_.kind)
           + (order_.repeatable ? std::string()
                                : ", or make it with exactly_once, by which requests are repeated safely");
}

} // namespace redlatch::io
