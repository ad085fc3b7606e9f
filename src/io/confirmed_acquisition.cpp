#include "io/confirmed_acquisition.hpp"

#include "connection/server_error.hpp"
#include "io/detached_release.hpp"
#include "io/insist.hpp"
#include "io/log.hpp"
#include "locking/names.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::io {

using locking::lock_table;

namespace {

acquisition::request provisional(acquisition::request order) {
    order.provisional = true;
    return order;
}

} // namespace

confirmed_acquisition::confirmed_acquisition(std::shared_ptr<client_core> core, acquisition::request order,
                                             replica_policy const& policy)
    : core_(std::move(core)), request_(provisional(order)), stays_provisional_(order.provisional),
      policy_(policy), demand_{policy.replicas == replica_policy::all_connected ? locking::replica_demand::all
                                                                                : policy.replicas,
                               policy.required},
      retries_left_(policy.retries) {
    inner_.emplace(core_, request_);
}

confirmed_acquisition::~confirmed_acquisition() {
    if (stage_ != stage::finished && !core_->forked()) insist([this] { end_question(); });
    stop_counting();
}

void confirmed_acquisition::stop_counting() {
    if (std::exchange(counted_, false)) core_->operation_ended();
}

bool confirmed_acquisition::step() {
    for (;;) {
        bool go_on = false;
        switch (stage_) {
        case stage::acquiring: go_on = acquire(); break;
        case stage::beginning: go_on = begin(); break;
        case stage::asking: go_on = ask(); break;
        case stage::finished: return true;
        }
        if (stage_ == stage::finished) return true;
        if (!go_on) return false;
    }
}

bool confirmed_acquisition::ready() const {
    if (stage_ == stage::acquiring) return cancelled() || inner_->ready();
    if (cancelled() || core_->closed()) return true;
    if (stage_ == stage::beginning) return !tenure()->in_operation;
    return question_ && question_->has_ended();
}

bool confirmed_acquisition::acquire() {
    drive(*inner_);
    if (cancelled()) inner_->cancel();
    if (!inner_->step()) return suspend(inner_->at().where, inner_->at().until);
    if (inner_->result()) {
        why_ = reason::inner;
        return finish(inner_->result());
    }
    core_->operation_began();
    counted_ = true;
    until_ = base::later(lease_clock::now(), policy_.time);
    stage_ = stage::beginning;
    return true;
}

/// One operation of an owner at a time: what is written is how often it holds the lock now.
bool confirmed_acquisition::begin() {
    auto const now = lease_clock::now();
    if (cancelled() || core_->closed()) return finish_without(core_->closed() ? errc::closed : errc::cancelled);
    if (now >= until_) return on_few(shortage::counted, now);
    auto question = std::make_shared<replica_question>();
    bool const begun = core_->locked([&](lock_table&, base::wake_list&) {
        auto const& mine = tenure();
        if (mine->in_operation) {
            mine->wait_for_operation(waker());
            return false;
        }
        in_operation_ = mine->in_operation = true;
        question->count = std::max(static_cast<int>(mine->levels.size()), 1);
        question->owner_id = mine->owner_id().str();
        return true;
    });
    if (!begun) return suspend(nullptr, until_);
    question->record = request_.record;
    question->replicas = demand_.replicas;
    question->until = until_;
    question->waker = waker();
    question_ = std::move(question);
    stage_ = stage::asking;
    node_ = &core_->node_of(request_.record->name);
    node_->ask_replicas(question_);
    return true;
}

/// The next operation of the owner may begin.
void confirmed_acquisition::end_question() {
    if (question_) question_->unwanted.store(true, std::memory_order_relaxed);
    if (!std::exchange(in_operation_, false)) return;
    core_->locked([&](lock_table&, base::wake_list& woken) { tenure()->end_operation(woken); });
}

bool confirmed_acquisition::ask() {
    auto const now = lease_clock::now();
    bool const over = cancelled() || core_->closed() || now >= until_ || !holds(now);
    if (!question_->has_ended() && !over) return suspend(nullptr, std::min(until_, tenure()->validity()));
    connected_ = question_->connected.load(std::memory_order_acquire); // first: no count of more than there are now
    confirmed_ = question_->confirmed.load(std::memory_order_relaxed);
    end_question();
    return on_asked(now);
}

bool confirmed_acquisition::on_asked(base::instant now) {
    using end = replica_question::end;
    auto const how = question_->ended.load(std::memory_order_acquire); // pairs with replica_question::finish
    if (core_->closed()) return finish_without(errc::closed);
    if (cancelled()) return finish_without(errc::cancelled);
    if (how == end::not_held)
        core_->locked([&](lock_table& table, base::wake_list& woken) { table.lose(tenure(), now, woken); });
    if (!holds(now)) {
        why_ = reason::lost;
        return finish_without(errc::lease_lost);
    }
    switch (how) {
    case end::refused:
        server_said_ = question_->said;
        if (question_->cannot_wait) return on_few(shortage::cannot_wait, now);
        why_ = reason::refused;
        return finish_without(errc::server_refused);
    case end::counted:
    case end::open: // the last answer has not come in time
        if (enough()) return finish({});
        break;
    case end::closed:
    case end::not_held: break;
    }
    return on_few(shortage::counted, now);
}

/// What is given back goes the way of every release; if there is no memory for it, inner_ sees to it.
void confirmed_acquisition::give_back() {
    auto const held = tenure();
    auto const level = level_number();
    core_->locked([&](lock_table&, base::wake_list&) { // nothing was done under it
        lock_table::set_minimum_hold(*held, level, base::instant::min(), lease_clock::now());
    });
    detached_release::begin(core_, held, level);
    inner_->handed_over();
}

bool confirmed_acquisition::on_few(shortage cause, base::instant now) {
    if (cause == shortage::cannot_wait && !policy_.needs_wait) return accept(cause);
    bool const again = cause == shortage::counted && retries_left_ > 0 && now < request_.deadline;
    if (!again && policy_.shortage == replica_shortage::accept) return accept(cause);
    if (!again) {
        why_ = cause == shortage::counted ? reason::few : reason::cannot_wait;
        if (cause == shortage::cannot_wait) return finish_without(errc::server_refused);
        return finish_without(policy_.shortage == replica_shortage::fail ? make_error_code(errc::not_replicated)
                                                                         : not_acquired());
    }
    --retries_left_;
    stop_counting();
    question_.reset();
    give_back();
    inner_.emplace(core_, request_);
    stage_ = stage::acquiring;
    return true;
}

std::error_code confirmed_acquisition::not_acquired() const noexcept {
    return request_.may_wait ? errc::timed_out : errc::busy;
}

bool confirmed_acquisition::accept(shortage cause) {
    auto const lock = "lock " + locking::shown(request_.record->name);
    event news{event::kind::too_few_replicas, request_.record->name, tenure()->owner_id().str(), {}};
    if (cause == shortage::cannot_wait)
        news.message = lock + " is held although no replica was asked for it: " + unsupported_text();
    else
        news.message = lock + " is held although " + count_text();
    // That a server knows no WAIT is told once.
    if (cause == shortage::counted || policy_.needs_wait || node_->warns_of_missing_wait()) {
        log(log_level::warning, news.message);
        core_->tell(news);
    }
    return finish({});
}

bool confirmed_acquisition::finish(std::error_code result) {
    result_ = result;
    if (!result)
        core_->locked([&](lock_table&, base::wake_list&) {
            if (question_) tenure()->confirmed_by = locking::replica_count(confirmed_by());
            if (!stays_provisional_) lock_table::confirm(*tenure(), level_number());
        });
    stop_counting();
    stage_ = stage::finished;
    return true;
}

/// It had been acquired.
bool confirmed_acquisition::finish_without(std::error_code result) {
    if (result == errc::cancelled || result == errc::closed) why_ = reason::ended;
    if (holds(lease_clock::now()) && !core_->closed()) give_back(); // what is lost ends with inner_
    return finish(result);
}

// --- for a reader

std::string confirmed_acquisition::count_text() const {
    auto const number = [](int replicas) {
        return std::to_string(replicas) + (replicas == 1 ? " replica" : " replicas");
    };
    auto const of = " of the server " + core_->node_of(request_.record->name).address();
    auto const within = " within " + std::to_string(policy_.time.count()) + " ms";
    auto const awaited = demand_.awaited(connected_);
    if (awaited < 0) return "the number of the replicas" + of + " was not answered" + within;
    auto const enough = demand_.required > 0 && demand_.required < awaited
                            ? ", of which " + std::to_string(demand_.required) + " would have been enough,"
                            : std::string();
    if (confirmed_ < 0)
        return "it was not known in time whether " + number(awaited) + of + enough + " have it" + within;
    return "only " + std::to_string(confirmed_) + " of " + number(awaited) + of + enough + " confirmed it" + within;
}

std::string confirmed_acquisition::unsupported_text() const {
    return "the server " + node_->address() + " does not say what its replicas have (" + server_said_ + ")";
}

std::string confirmed_acquisition::message() const {
    if (why_ == reason::inner) return inner_->message();
    auto const lock = "lock " + locking::shown(request_.record->name);
    switch (why_) {
    case reason::few:
        return lock + " was given back: " + count_text()
               + "; see that its replicas are connected and keep up (INFO replication), or give them more time, or ask "
                 "for fewer (replica_policy)";
    case reason::cannot_wait:
        return lock + " was given back: " + unsupported_text() + "; allow this user WAIT"
               + (demand_.replicas == locking::replica_demand::all ? " and ROLE" : "")
               + ", or use a server that has it, or acquire without a replica_policy";
    case reason::lost:
        return lock
               + " was lost before its replicas had confirmed it: its lease ended, or the server does not know it "
                 "any more; acquire it again, with a longer lease or less time for the replicas";
    case reason::refused:
        return lock + " was given back: the server " + node_->address()
               + " refused to write it once more for its replicas: " + server_said_ + "; "
               + std::string(connection::what_to_do(server_said_));
    case reason::ended:
        return result_ == errc::closed ? "the client was closed; " + lock + " was not acquired"
                                       : "the wait for the replicas of " + lock + " was cancelled; it was given back";
    case reason::inner: break;
    }
    return lock + ": " + result_.message();
}

} // namespace redlatch::io
