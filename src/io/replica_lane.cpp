#include "io/replica_lane.hpp"

#include "base/hash_slot.hpp"
#include "connection/role_reply.hpp"
#include "connection/server_error.hpp"
#include "io/insist.hpp"
#include "locking/replica_demand.hpp"
#include "resp/command.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::io {
namespace {

using locking::replica_demand;

/// A server that executes nothing now is asked again after this.
constexpr base::milliseconds replica_retry_pause{20};

connection::call_ptr once(std::string bytes, std::int32_t slot) {
    auto made = connection::make_call();
    made->bytes = std::move(bytes);
    made->once = true;
    made->slot = slot;
    return made;
}

std::int32_t slot_of(replica_question const& question) {
    return base::hash_slot(question.mark.key());
}

} // namespace

replica_lane::replica_lane(std::shared_ptr<reactor> loop, lane::settings const& settings, lane::hooks to_tell,
                           int replicas, other_node elsewhere)
    : loop_(std::move(loop)), replicas_(replicas), elsewhere_(std::move(elsewhere)),
      calls_(loop_, settings, std::move(to_tell)) {}

void replica_lane::ask(replica_question_ptr const& question) {
    bool closed = false;
    {
        std::lock_guard const guard(mutex_);
        closed = closed_;
        if (!closed) pending_.push_back(question);
        if (closed ? false : std::exchange(busy_, true)) return;
    }
    if (closed) return question->finish(replica_question::end::closed);
    if (post(&replica_lane::begin_group)) return;
    std::lock_guard const guard(mutex_); // no memory: whoever asks next asks for this one too
    busy_ = false;
}

void replica_lane::close() {
    questions left;
    {
        std::lock_guard const guard(mutex_);
        closed_ = true;
        left.swap(pending_);
    }
    for (auto const& one : left) one->finish(replica_question::end::closed);
    calls_.line().close(); // and with it the group that is under way
}

/// What is posted must come: it is noted as under way. False: there is no memory for it.
bool replica_lane::post(void (replica_lane::*step)()) {
    return insist([&] { loop_->post([self = shared_from_this(), step] { (self.get()->*step)(); }); });
}

void replica_lane::wake() noexcept {
    post(&replica_lane::look);
}

// --- on the reactor

/// False: nothing is to be asked that is not in the group.
bool replica_lane::take_group() {
    std::lock_guard const guard(mutex_);
    fresh_ = std::exchange(again_, {});
    fresh_.insert(fresh_.end(), pending_.begin(), pending_.end());
    pending_.clear();
    after_a_pause_ = false;
    busy_ = !group_.empty() || !fresh_.empty();
    return !fresh_.empty();
}

void replica_lane::begin_group() {
    if (!take_group()) return;
    auto const now = lease_clock::now();
    connection_ = 0;
    connected_ = 0;
    end_those_that_are_done(fresh_, now);
    if (fresh_.empty()) return go_on();
    ask_server(marks(), now);
}

/// What came while WAIT was under way joins the group: it may have less time than the others.
void replica_lane::ask_once_more(base::instant now) {
    bool const waits_next = replicas_ == replica_demand::all && asks_role_; // for as many as ROLE has just said
    if (waits_next || !take_group()) return ask_server({}, now);
    end_those_that_are_done(fresh_, now);
    ask_server(marks(), now);
}

/// Of fresh_. What was confirmed before them says nothing of them.
std::vector<connection::call_ptr> replica_lane::marks() {
    std::vector<connection::call_ptr> calls;
    if (fresh_.empty()) return calls;
    confirmed_ = 0;
    for (auto const& one : fresh_) {
        auto const slot = elsewhere_ ? slot_of(*one) : -1;
        if (std::exchange(one->asking, false)) calls.push_back(once(resp::command("ASKING"), slot));
        auto const& call = one->mark;
        marks_.push_back(once(by_text(*one, call) ? locking::by_text(*call.text_of, call.bytes) : call.bytes, slot));
        calls.push_back(marks_.back());
    }
    marks_.back()->waker = shared_from_this(); // what has gone wrong is not to wait for the replicas
    return calls;
}

/// Behind a mark that the server has not executed WAIT would wait for nothing: so the first time the text of a script is sent.
bool replica_lane::by_text(replica_question const& question, locking::wire_call const& call) {
    bool const is_known = std::find(known_.begin(), known_.end(), call.text_of) != known_.end();
    if (!is_known) known_.push_back(call.text_of);
    return question.by_text || !is_known;
}

connection::call_ptr replica_lane::question_to_server(base::instant now) {
    asks_role_ = replicas_ == replica_demand::all && !asks_role_;
    auto const& any = group_.empty() ? fresh_.front() : group_.front();
    auto const slot = elsewhere_ ? slot_of(*any) : -1;
    if (asks_role_) return once(resp::command("ROLE"), slot);
    // So that everybody hears how many there are in its time.
    auto earliest = base::never;
    for (auto const* const all : {&group_, &fresh_})
        for (auto const& one : *all) earliest = std::min(earliest, one->until);
    auto const time = std::max(locking::replica_wait_for(earliest - now), base::milliseconds(1)); // 0 is for ever
    auto const awaited = replicas_ == replica_demand::all ? connected_ : replicas_;
    return once(resp::command("WAIT", std::to_string(awaited), std::to_string(time.count())), slot);
}

void replica_lane::ask_server(std::vector<connection::call_ptr> calls, base::instant now) {
    last_ = question_to_server(now);
    last_->waker = shared_from_this();
    calls.push_back(last_);
    calls_.submit_all(calls, false);
    if (last_->finished()) post(&replica_lane::look); // the lane was closed already
}

void replica_lane::look() {
    if (!last_) return;
    if (!marks_.empty() && marks_.back()->finished()) read_marks();
    if (!last_->finished()) return;
    auto const answered = std::exchange(last_, nullptr);
    bool const closed = [&] {
        std::lock_guard const guard(mutex_);
        return closed_;
    }();
    if (closed) {
        end_all(replica_question::end::closed);
        return go_on();
    }
    read_answer(*answered, lease_clock::now());
    if (group_.empty()) return go_on();
    if (!last_) ask_once_more(lease_clock::now());
}

/// Who is in the group has its mark written on connection_.
void replica_lane::read_marks() {
    auto const written_on = [this](std::uint64_t connection) {
        if (connection_ == connection) return;
        all_again(then::now); // what is on another connection was perhaps written on another server
        connection_ = connection;
    };
    for (std::size_t i = 0; i < fresh_.size(); ++i) {
        if (!read_mark(*marks_[i], fresh_[i])) continue;
        written_on(marks_[i]->connection);
        group_.push_back(fresh_[i]);
    }
    marks_.clear();
    fresh_.clear();
}

/// True: it is written.
bool replica_lane::read_mark(connection::call const& answered, replica_question_ptr const& question) {
    using end = replica_question::end;
    auto const refuse = [&](std::string text) {
        question->said = std::move(text);
        question->finish(end::refused);
        return false;
    };
    auto const repeat = [&](then timing) {
        again(question, timing);
        return false;
    };
    if (answered.status != connection::call::state::answered) {
        known_.clear();
        return repeat(then::now);
    }
    auto const& reply = answered.reply;
    if (!reply.is_error()) {
        auto const said = question->read_mark(reply).what;
        if (said == locking::count_answer::written) return true;
        if (said == locking::count_answer::not_understood) return refuse("an unexpected reply");
        question->finish(end::not_held);
        return false;
    }
    if (auto const redirect = elsewhere_ ? connection::read_redirect(reply) : std::nullopt) {
        constexpr int most_redirects = 8;
        if (++question->redirects > most_redirects) { // nodes that do not agree will, in a moment
            question->redirects = 0;
            return repeat(then::soon);
        }
        question->asking = redirect->what == connection::redirect::kind::ask;
        elsewhere_(*redirect, question);
        return false;
    }
    switch (connection::judge(reply)) {
    case connection::verdict::no_script:
        known_.clear(); // it was restarted, or is another one
        if (std::exchange(question->by_text, true)) break;
        return repeat(then::now);
    case connection::verdict::read_only: calls_.reconnect(answered, "is a replica now"); return repeat(then::soon);
    case connection::verdict::not_executed: return repeat(then::soon);
    case connection::verdict::wrong_type: question->finish(end::not_held); return false;
    case connection::verdict::refused: break;
    }
    return refuse(reply.text);
}

void replica_lane::read_answer(connection::call const& answered, base::instant now) {
    if (group_.empty()) return;
    // On another connection WAIT knows of no mark.
    if (answered.status != connection::call::state::answered || answered.connection != connection_)
        return all_again(answered.reply.is_error() ? then::soon : then::now);
    if (answered.reply.is_error()) return on_error(answered);
    if (asks_role_)
        on_role(answered);
    else if (answered.reply.is_integer())
        on_count(static_cast<int>(answered.reply.integer));
    else
        on_error(answered);
    end_those_that_are_done(group_, now);
}

void replica_lane::on_error(connection::call const& answered) {
    // Another server is the master, or will be: what replicas of this one say is worth nothing.
    bool const demoted = connection::is_of_a_replica(answered.reply)
                         || (asks_role_ && connection::read_role(answered.reply) == connection::server_role::replica);
    if (demoted) calls_.reconnect(answered, "is a replica now");
    bool const not_now =
        answered.reply.is_error() && connection::judge(answered.reply) == connection::verdict::not_executed;
    if (demoted || not_now) return all_again(then::soon);
    for (auto const& one : group_) {
        one->said = std::string(asks_role_ ? "ROLE: " : "WAIT: ")
                    + (answered.reply.is_error() ? answered.reply.text : "an unexpected reply");
        one->cannot_wait = true;
    }
    end_all(replica_question::end::refused);
}

void replica_lane::on_role(connection::call const& answered) {
    auto const connected = connection::replicas_in_step(answered.reply);
    if (!connected) return on_error(answered);
    bool const some_have_gone = *connected < std::exchange(connected_, *connected);
    if (some_have_gone) confirmed_ = 0;
    for (auto const& one : group_) {
        // Those that have gone may be the ones that had it: those that are left are asked.
        if (some_have_gone) one->confirmed.store(-1, std::memory_order_relaxed);
        one->connected.store(connected_, std::memory_order_release); // pairs with replica_confirmation::end
    }
    if (!some_have_gone) on_count(confirmed_);
}

void replica_lane::on_count(int confirmed) {
    confirmed_ = confirmed;
    for (auto const& one : group_) // of one that is not new there may have been more
        one->confirmed.store(std::max(confirmed, one->confirmed.load(std::memory_order_relaxed)),
                             std::memory_order_relaxed);
    if (confirmed >= (replicas_ == replica_demand::all ? connected_ : replicas_))
        end_all(replica_question::end::counted);
}

void replica_lane::end_those_that_are_done(questions& all, base::instant now) {
    std::erase_if(all, [&](replica_question_ptr const& one) {
        bool const over = locking::replica_wait_for(one->until - now).count() == 0;
        if (!over && !one->unwanted.load(std::memory_order_relaxed)) return false;
        one->finish(replica_question::end::counted);
        return true;
    });
}

void replica_lane::end_all(replica_question::end result) {
    for (auto const& one : std::exchange(group_, {})) one->finish(result);
}

/// What replicas of a server said that may not be the master any more is no answer.
void replica_lane::again(replica_question_ptr const& question, then timing) {
    question->confirmed.store(-1, std::memory_order_relaxed);
    again_.push_back(question);
    after_a_pause_ = after_a_pause_ || timing == then::soon;
}

void replica_lane::all_again(then timing) {
    for (auto const& one : std::exchange(group_, {})) again(one, timing);
}

/// Without a group.
void replica_lane::go_on() {
    asks_role_ = false;
    marks_.clear();
    for (auto const& one : std::exchange(fresh_, {})) again(one, then::now);
    bool closed = false;
    {
        std::lock_guard const guard(mutex_);
        closed = closed_;
        if (!closed) pending_.insert(pending_.begin(), again_.begin(), again_.end());
    }
    auto const left = std::exchange(again_, {});
    if (closed) {
        for (auto const& one : left) one->finish(replica_question::end::closed);
        return;
    }
    if (!std::exchange(after_a_pause_, false)) {
        post(&replica_lane::begin_group);
        return;
    }
    insist([this] {
        loop_->at(base::later(lease_clock::now(), replica_retry_pause), [weak = weak_from_this()] {
            if (auto const self = weak.lock()) self->begin_group();
        });
    });
}

} // namespace redlatch::io
