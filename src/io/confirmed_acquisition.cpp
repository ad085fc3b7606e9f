#include "io/confirmed_acquisition.hpp"

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
    : core_(std::move(core)), request_(provisional(order)), stays_provisional_(order.provisional), replicas_(policy) {
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
    return replicas_.has_ended();
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
    replicas_.start(core_->node_of(request_.record->name), lease_clock::now());
    stage_ = stage::beginning;
    return true;
}

/// One operation of an owner at a time: what is written is how often it holds the lock now.
bool confirmed_acquisition::begin() {
    auto const now = lease_clock::now();
    if (cancelled() || core_->closed()) return finish_without(core_->closed() ? errc::closed : errc::cancelled);
    if (now >= replicas_.until()) return on_answer(answer::few, now);
    int count = 1;
    std::string owner_id;
    bool const begun = core_->locked([&](lock_table&, base::wake_list&) {
        auto const& mine = tenure();
        if (mine->in_operation) {
            mine->wait_for_operation(waker());
            return false;
        }
        in_operation_ = mine->in_operation = true;
        count = std::max(static_cast<int>(mine->levels.size()), 1);
        owner_id = mine->owner_id().str();
        return true;
    });
    if (!begun) return suspend(nullptr, replicas_.until());
    auto const& record = *request_.record;
    replicas_.ask(core_->node_of(record.name),
                  record.how->set_count(record.context(owner_id, base::milliseconds(1)), count), record.how->read_count,
                  waker());
    stage_ = stage::asking;
    return true;
}

/// The next operation of the owner may begin.
void confirmed_acquisition::end_question() {
    replicas_.forget();
    if (!std::exchange(in_operation_, false)) return;
    core_->locked([&](lock_table&, base::wake_list& woken) { tenure()->end_operation(woken); });
}

bool confirmed_acquisition::ask() {
    auto const now = lease_clock::now();
    bool const over = cancelled() || core_->closed() || now >= replicas_.until() || !holds(now);
    if (!replicas_.has_ended() && !over) return suspend(nullptr, std::min(replicas_.until(), tenure()->validity()));
    return on_asked(now);
}

bool confirmed_acquisition::on_asked(base::instant now) {
    auto const said = replicas_.end();
    end_question();
    if (core_->closed()) return finish_without(errc::closed);
    if (cancelled()) return finish_without(errc::cancelled);
    if (said == answer::not_held)
        core_->locked([&](lock_table& table, base::wake_list& woken) { table.lose(tenure(), now, woken); });
    if (!holds(now)) {
        why_ = reason::lost;
        return finish_without(errc::lease_lost);
    }
    return on_answer(said, now);
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

bool confirmed_acquisition::on_answer(answer said, base::instant now) {
    using decision = replica_confirmation::decision;
    switch (replicas_.decide(said, now, request_.may_wait ? request_.deadline : now)) {
    case decision::confirmed: return finish({});
    case decision::accepted: return accept();
    case decision::given_back: why_ = reason::replicas; return finish_without(replicas_.failure(request_.may_wait));
    case decision::acquired_anew: break;
    }
    stop_counting();
    give_back();
    inner_.emplace(core_, request_);
    stage_ = stage::acquiring;
    return true;
}

bool confirmed_acquisition::accept() {
    if (replicas_.is_told()) {
        event news{event::kind::too_few_replicas, request_.record->name, tenure()->owner_id().str(), {}};
        news.message = "lock " + locking::shown(request_.record->name) + " is held although " + replicas_.shortage();
        log(log_level::warning, news.message);
        core_->tell(news);
    }
    return finish({});
}

bool confirmed_acquisition::finish(std::error_code result) {
    result_ = result;
    if (!result)
        core_->locked([&](lock_table&, base::wake_list&) {
            if (replicas_.has_been_asked()) tenure()->confirmed_by = locking::replica_count(confirmed_by());
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

std::string confirmed_acquisition::message() const {
    auto const lock = "lock " + locking::shown(request_.record->name);
    switch (why_) {
    case reason::inner: return inner_->message();
    case reason::replicas: return replicas_.message(lock + " was given back");
    case reason::lost:
        return lock
               + " was lost before its replicas had confirmed it: its lease ended, or the server does not know it "
                 "any more; acquire it again, with a longer lease or less time for the replicas";
    case reason::ended: break;
    }
    return result_ == errc::closed ? "the client was closed; " + lock + " was not acquired"
                                   : "the wait for the replicas of " + lock + " was cancelled; it was given back";
}

} // namespace redlatch::io
