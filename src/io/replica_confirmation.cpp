#include "io/replica_confirmation.hpp"

#include "connection/server_error.hpp"

#include <redlatch/error.hpp>

#include <memory>
#include <utility>

namespace redlatch::io {

replica_confirmation::replica_confirmation(replica_policy const& policy)
    : policy_(policy), demand_{policy.replicas == replica_policy::all_connected ? locking::replica_demand::all
                                                                                : policy.replicas,
                               policy.required},
      retries_left_(policy.retries) {}

void replica_confirmation::ask(node& master, locking::wire_call mark,
                               locking::count_reply (*read_mark)(resp::value const&), base::waker const& waker) {
    auto question = std::make_shared<replica_question>();
    question->mark = std::move(mark);
    question->read_mark = read_mark;
    question->replicas = demand_.replicas;
    question->until = until_;
    question->waker = waker;
    question_ = std::move(question);
    master_ = &master;
    master.ask_replicas(question_);
}

replica_confirmation::answer replica_confirmation::end() {
    using end = replica_question::end;
    connected_ = question_->connected.load(std::memory_order_acquire); // first: no count of more than there are now
    confirmed_ = question_->confirmed.load(std::memory_order_relaxed);
    forget();
    auto const how = question_->ended.load(std::memory_order_acquire); // pairs with replica_question::finish
    switch (how) {
    case end::refused:
        server_said_ = question_->said;
        return question_->cannot_wait ? answer::cannot_wait : answer::refused;
    case end::not_held: return answer::not_held;
    case end::counted:
    case end::open: // the last answer has not come in time
        if (demand_.is_met(confirmed_, connected_)) return answer::enough;
        break;
    case end::closed: break;
    }
    return answer::few;
}

replica_confirmation::decision replica_confirmation::decide(answer said, base::instant now, base::instant deadline) {
    said_ = said;
    if (said == answer::enough) return decision::confirmed;
    if (said == answer::refused) return decision::given_back;
    if (said == answer::cannot_wait && !policy_.needs_wait) return decision::accepted;
    bool const again = said == answer::few && retries_left_ > 0 && now < deadline;
    if (!again) return policy_.shortage == replica_shortage::accept ? decision::accepted : decision::given_back;
    --retries_left_;
    question_.reset();
    confirmed_ = connected_ = -1;
    return decision::acquired_anew;
}

std::error_code replica_confirmation::failure(bool may_wait) const noexcept {
    if (said_ == answer::cannot_wait || said_ == answer::refused) return errc::server_refused;
    if (policy_.shortage == replica_shortage::fail) return errc::not_replicated;
    return may_wait ? errc::timed_out : errc::busy;
}

bool replica_confirmation::is_told() const {
    return said_ == answer::few || policy_.needs_wait || master_->warns_of_missing_wait();
}

// --- for a reader

std::string replica_confirmation::count_text() const {
    auto const number = [](int replicas) {
        return std::to_string(replicas) + (replicas == 1 ? " replica" : " replicas");
    };
    auto const of = " of the server " + master_->address();
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

std::string replica_confirmation::unsupported_text() const {
    return "the server " + master_->address() + " does not say what its replicas have (" + server_said_ + ")";
}

std::string replica_confirmation::shortage() const {
    return said_ == answer::cannot_wait ? "no replica was asked for it: " + unsupported_text() : count_text();
}

std::string replica_confirmation::message(std::string const& given_back) const {
    switch (said_) {
    case answer::few:
        return given_back + ": " + count_text()
               + "; see that its replicas are connected and keep up (INFO replication), or give them more time, or ask "
                 "for fewer";
    case answer::cannot_wait:
        return given_back + ": " + unsupported_text() + "; allow this user WAIT"
               + (demand_.replicas == locking::replica_demand::all ? " and ROLE" : "")
               + ", or use a server that has it, or acquire without a replica_policy";
    case answer::refused:
        return given_back + ": the server " + master_->address() + " refused to write it once more for its replicas: "
               + server_said_ + "; " + std::string(connection::what_to_do(server_said_));
    case answer::enough:
    case answer::not_held: break;
    }
    return given_back;
}

} // namespace redlatch::io
