#include "io/confirmed_wait.hpp"

#include "io/log.hpp"
#include "locking/names.hpp"
#include "locking/tenure.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::io {

confirmed_wait::confirmed_wait(std::shared_ptr<client_core> core, counter_wait::request order,
                               replica_policy const& policy)
    : core_(std::move(core)), request_(std::move(order)), replicas_(policy) {
    inner_.emplace(core_, next_request());
}

confirmed_wait::~confirmed_wait() {
    on_closing_.reset();
    inner_.reset(); // first: what it gives back begins while close() still waits
    let_close_go_on();
    stop_counting();
}

/// What was given back is not acquired by a repeat: each attempt has a record of its own.
counter_wait::request confirmed_wait::next_request() {
    auto next = request_;
    if (attempts_ > 0 && !next.record.empty()) next.record += "." + std::to_string(attempts_);
    ++attempts_;
    return next;
}

void confirmed_wait::let_close_go_on() {
    if (std::exchange(is_awaited_, false)) core_->request_ended();
}

/// Whoever is told of the end finds it counted as ended.
void confirmed_wait::stop_counting() {
    if (std::exchange(counted_, false)) core_->operation_ended();
}

bool confirmed_wait::step() {
    for (;;) {
        bool go_on = false;
        switch (stage_) {
        case stage::acquiring: go_on = acquire(); break;
        case stage::asking: go_on = ask(); break;
        case stage::finished: return true;
        }
        if (stage_ == stage::finished) return true;
        if (!go_on) return false;
    }
}

bool confirmed_wait::ready() const {
    if (stage_ == stage::acquiring) return cancelled() || inner_->ready();
    return cancelled() || core_->closed() || replicas_.has_ended();
}

bool confirmed_wait::acquire() {
    drive(*inner_);
    if (cancelled()) inner_->cancel();
    if (!std::exchange(is_awaited_, true)) core_->request_began();
    bool const done = inner_->step();
    if (!done || inner_->result()) let_close_go_on();
    if (!done) return suspend(inner_->at().where, inner_->at().until);
    if (inner_->result()) {
        why_ = reason::inner;
        return finish(inner_->result());
    }
    core_->operation_began();
    counted_ = true;
    auto& master = core_->node_of(request_.what->name);
    replicas_.start(master, lease_clock::now());
    replicas_.ask(master, locking::counter_mark(inner_->about()), locking::read_counter_mark, waker());
    on_closing_.emplace(core_->closing_token(), [who = waker()] {
        if (who) who->wake();
    });
    stage_ = stage::asking;
    return true;
}

/// Until when the permits are certainly taken; never over: they have no lease.
base::instant confirmed_wait::validity() const {
    auto const lease = inner_->lease();
    if (lease.count() == 0) return base::never;
    return base::later(inner_->taken_at(), lease - locking::validity_margin(lease, core_->settings().validity_margin));
}

bool confirmed_wait::ask() {
    auto const now = lease_clock::now();
    auto const until = std::min(replicas_.until(), validity());
    if (!replicas_.has_ended() && !cancelled() && !core_->closed() && now < until) return suspend(nullptr, until);
    return on_asked(now);
}

bool confirmed_wait::on_asked(base::instant now) {
    on_closing_.reset();
    auto const said = replicas_.end();
    bool const closed = core_->closed();
    if (closed || cancelled()) {
        why_ = reason::ended;
        return finish_without(closed ? errc::closed : errc::cancelled);
    }
    if (said == answer::not_held) {
        why_ = reason::gone;
        // Of what has no ids there is nothing to give back, and a semaphore that was set anew would have too many.
        if (!request_.what->how->names_what_it_takes()) inner_->handed_over();
        return finish_without(errc::lease_lost);
    }
    if (now >= validity()) {
        why_ = reason::lost;
        return finish_without(errc::lease_lost);
    }
    return on_answer(said, now);
}

bool confirmed_wait::on_answer(answer said, base::instant now) {
    using decision = replica_confirmation::decision;
    switch (replicas_.decide(said, now, request_.may_wait ? request_.deadline : now)) {
    case decision::confirmed: return finish({});
    case decision::accepted: return accept();
    case decision::given_back: why_ = reason::replicas; return finish_without(replicas_.failure(request_.may_wait));
    case decision::acquired_anew: break;
    }
    inner_.reset(); // which gives it back
    let_close_go_on();
    stop_counting();
    inner_.emplace(core_, next_request());
    stage_ = stage::acquiring;
    return true;
}

bool confirmed_wait::accept() {
    if (replicas_.is_told()) {
        event news{event::kind::too_few_replicas, request_.what->name, {}, {}};
        news.message =
            taken_in_words() + (request_.amount == 1 ? " is" : " are") + " taken although " + replicas_.shortage();
        log(log_level::warning, news.message);
        core_->tell(news);
    }
    return finish({});
}

bool confirmed_wait::finish(std::error_code result) {
    result_ = result;
    if (!result) inner_->set_confirmed_by(replicas_.confirmed_by());
    stage_ = stage::finished;
    let_close_go_on();
    stop_counting();
    return true;
}

/// They had been acquired.
bool confirmed_wait::finish_without(std::error_code result) {
    inner_.reset(); // which gives them back
    return finish(result);
}

// --- for a reader

std::string confirmed_wait::taken_in_words() const {
    auto const of = " of " + std::string(request_.what->how->kind) + " " + locking::shown(request_.what->name);
    return (request_.amount == 1 ? "a permit" : std::to_string(request_.amount) + " permits") + of;
}

std::string confirmed_wait::message() const {
    auto const was = request_.amount == 1 ? " was " : " were ";
    switch (why_) {
    case reason::inner: return inner_->message();
    case reason::replicas: return replicas_.message(taken_in_words() + was + "given back");
    case reason::lost:
        return taken_in_words() + was
               + "lost before its replicas had confirmed it: the lease is over; take a longer lease, or give the "
                 "replicas "
                 "less time";
    case reason::gone:
        return taken_in_words() + was
               + "lost before its replicas had confirmed it: the server does not know of it any more, after a failover "
                 "or since the "
               + std::string(request_.what->how->kind) + " was deleted; take it again";
    case reason::ended: break;
    }
    return result_ == errc::closed ? "the client was closed; " + taken_in_words() + was + "given back"
                                   : "the wait for the replicas of " + taken_in_words() + " was cancelled; "
                                         + (request_.amount == 1 ? "it was" : "they were") + " given back";
}

} // namespace redlatch::io
