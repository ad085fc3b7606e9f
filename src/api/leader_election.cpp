#include "api/leader_election_impl.hpp"
#include "api/lock_rule.hpp"
#include "api/waits.hpp"
#include "locking/names.hpp"
#include "locking/recipes/election.hpp"

#include <redlatch/error.hpp>
#include <redlatch/leader_election.hpp>

#include <utility>

namespace redlatch {

using detail::election_impl;

namespace {

using leader_answer = std::optional<leader_info>;

acquire_options to_acquire(election_impl const& impl, campaign_options const& options) {
    return {.wait = options.wait,
            .lease = options.lease,
            .max_hold = options.max_hold,
            .hold_at_least = options.hold_at_least,
            .lock_delay = options.lock_delay,
            .owner = impl.owner,
            .stop = options.stop};
}

std::string leads_already(election_impl const& impl) {
    return "candidate " + locking::shown(impl.candidate) + " leads election " + locking::shown(impl.lock.name())
           + " already; resign that term first, or get another candidate with client::get_leader_election";
}

/// Runs an acquisition; what goes wrong is said of candidates.
template <class Call> auto as_candidate(election_impl const& impl, Call const& call) {
    try {
        return call();
    } catch (error const& problem) {
        if (problem.reason() == errc::would_deadlock) throw error(errc::would_deadlock, leads_already(impl));
        throw;
    }
}

/// Hands a hold on as a term.
class campaign_completion final : public completion<hold> {
public:
    campaign_completion(std::shared_ptr<election_impl> election, completion_ptr<leadership> done)
        : completion(done ? done->where() : completes_on::reactor), of_(std::move(election)), whom_(std::move(done)) {}

    void begins(canceller const& cancel) noexcept override {
        if (whom_) whom_->begins(cancel);
    }
    void complete(outcome const& result, hold held) noexcept override {
        std::unique_ptr<campaign_completion> const self(this);
        if (!whom_) return;
        auto* const whom = whom_.release();
        if (result.code() == errc::would_deadlock)
            whom->complete(outcome(result.code(), leads_already(*of_)), election_impl::term(hold()));
        else
            whom->complete(result, election_impl::term(std::move(held)));
    }
    void discard() noexcept override { delete this; }

    completion_ptr<leadership> take_back() noexcept { return std::move(whom_); }

private:
    std::shared_ptr<election_impl> of_;
    completion_ptr<leadership> whom_;
};

using starter = std::optional<outcome> (basic_lock::*)(acquire_options const&, completion_ptr<hold>&);

std::optional<outcome> start(std::shared_ptr<election_impl> const& election, starter way,
                             campaign_options const& options, completion_ptr<leadership>& done) {
    auto lock = election->lock;
    auto* const whole = new campaign_completion(election, std::move(done));
    completion_ptr<hold> inner(whole);
    try {
        auto end = (lock.*way)(to_acquire(*election, options), inner);
        if (end) done = whole->take_back();
        return end;
    } catch (...) {
        if (inner) done = whole->take_back(); // nothing has begun, and it is the caller's again
        throw;
    }
}

leader_answer to_info(locking::election::leader const& read) {
    if (read.owner_id.empty()) return std::nullopt;
    return leader_info{.candidate = std::string(locking::election::candidate_in(read.owner_id)),
                       .owner_id = read.owner_id,
                       .resigned = detail::is_released(read.owner_id),
                       .token = read.token,
                       .remaining_lease = read.remaining_lease};
}

leader_answer read_leader(election_impl const& impl, resp::value const& reply) {
    auto const read = locking::election::read(reply);
    if (!read) throw error(errc::bad_reply, "the server sent an unexpected reply to who leads an election");
    if (!read->owner_id.empty() && !detail::is_owner_id(read->owner_id))
        throw error(errc::wrong_type, "the key " + locking::shown(impl.lock.name())
                                          + " is not a leader election: its field " + locking::shown(read->owner_id)
                                          + " is not a holder's UUID:NUMBER; use another name for the election");
    return to_info(*read);
}

detail::question<leader_answer> who_leads(std::shared_ptr<election_impl> const& impl) {
    return {.call = locking::election::ask(impl->lock.name()),
            .about = "asking for the leader of " + impl->change.shown(),
            .read = [impl](io::query const& answered) { return read_leader(*impl, answered.reply()); },
            .kind = impl->change.what->how->kind};
}

detail::counter_wait_options to_wait(leader_answer const& last, wait_options const& options) {
    return {.known = last ? last->owner_id : std::string(), .wait = options.wait, .stop = options.stop};
}

leader_answer wait_now(election_impl const& impl, leader_answer const& last, wait_options const& options,
                       std::error_code& ec, std::string* message) {
    resp::value answer;
    ec = detail::wait_now(impl.change, to_wait(last, options), message,
                          [&answer](io::counter_wait const& ended) { answer = ended.answer(); });
    if (ec) return std::nullopt;
    try {
        return read_leader(impl, answer);
    } catch (error const& problem) {
        ec = problem.code();
        if (message != nullptr) *message = problem.what();
        return std::nullopt;
    }
}

} // namespace

// --- a term

void leadership::ensure_leading() const {
    if (*this) return;
    throw error(errc::lease_lost, hold_.status() == hold_status::none
                                      ? std::string("this is no term of leadership: it was moved from, or never begun")
                                      : "the leadership of election " + locking::shown(election_name()) + " has ended ("
                                            + std::string(to_string(hold_.status()))
                                            + "): another candidate may lead; do nothing more as its leader");
}

// --- a candidate

leader_election::leader_election(std::shared_ptr<election_impl> impl) noexcept : impl_(std::move(impl)) {}

election_impl const& leader_election::impl() const {
    if (!impl_) throw error(errc::invalid_argument, "this election was moved from; use the one that it was moved to");
    return *impl_;
}

std::string const& leader_election::name() const noexcept {
    static std::string const none;
    return impl_ ? impl_->lock.name() : none;
}

std::string const& leader_election::candidate() const noexcept {
    static std::string const none;
    return impl_ ? impl_->candidate : none;
}

bool leader_election::is_leading() const noexcept {
    return impl_ && impl_->lock.is_held(impl_->owner);
}

basic_lock leader_election::lock() const {
    return impl().lock;
}

user_loop const* leader_election::driven_by() const noexcept {
    return impl_ ? impl_->lock.driven_by() : nullptr;
}

// --- campaigning

leadership leader_election::campaign(campaign_options const& options) {
    auto lock = impl().lock;
    return leadership(as_candidate(*impl_, [&] { return lock.acquire(to_acquire(*impl_, options)); }));
}

leadership leader_election::campaign(campaign_options const& options, std::error_code& ec) {
    if (!impl_) {
        ec = errc::invalid_argument;
        return {};
    }
    auto lock = impl_->lock;
    return leadership(lock.acquire(to_acquire(*impl_, options), ec));
}

std::optional<leadership> leader_election::try_campaign(campaign_options const& options) {
    auto lock = impl().lock;
    auto held = as_candidate(*impl_, [&] { return lock.try_acquire(to_acquire(*impl_, options)); });
    return held ? std::optional(leadership(std::move(*held))) : std::nullopt;
}

std::optional<leadership> leader_election::try_campaign(campaign_options const& options, std::error_code& ec) {
    if (!impl_) {
        ec = errc::invalid_argument;
        return std::nullopt;
    }
    auto lock = impl_->lock;
    auto held = lock.try_acquire(to_acquire(*impl_, options), ec);
    return held ? std::optional(leadership(std::move(*held))) : std::nullopt;
}

std::optional<outcome> leader_election::start_campaign(campaign_options const& options,
                                                       completion_ptr<leadership>& done) {
    return start((static_cast<void>(impl()), impl_), &basic_lock::start_acquire, options, done);
}

std::optional<outcome> leader_election::start_try_campaign(campaign_options const& options,
                                                           completion_ptr<leadership>& done) {
    return start((static_cast<void>(impl()), impl_), &basic_lock::start_try_acquire, options, done);
}

void leader_election::async_campaign(campaign_options const& options, executor ex,
                                     std::function<void(std::error_code, leadership)> handler) {
    detail::with_handler<leadership>(*impl().core, std::move(ex), std::move(handler),
                                     [&](completion_ptr<leadership>& done) { return start_campaign(options, done); });
}

void leader_election::async_try_campaign(campaign_options const& options, executor ex,
                                         std::function<void(std::error_code, std::optional<leadership>)> handler) {
    detail::must_be_callable(handler);
    auto const unwrapped = [handler = std::move(handler)](std::error_code ec, leadership term) {
        handler(ec, ec ? std::nullopt : std::optional<leadership>(std::move(term)));
    };
    detail::with_handler<leadership>(*impl().core, std::move(ex), unwrapped, [&](completion_ptr<leadership>& done) {
        return start_try_campaign(options, done);
    });
}

term_end leader_election::run_as_leader(std::function<void(leadership&)> const& work, lead_options const& options) {
    if (!work)
        throw error(errc::invalid_argument,
                    "election " + locking::shown(impl().lock.name()) + ": there is no work to do as its leader");
    auto const& stop = options.campaign.stop;
    for (;;) {
        leadership term;
        try {
            term = campaign(options.campaign);
        } catch (error const& problem) {
            if (problem.reason() != errc::cancelled) throw;
            return term_end::stopped;
        }
        work(term);
        bool const kept = term.status() != hold_status::lost; // none: the work has moved it elsewhere
        std::error_code ec;
        term.resign(ec);
        if (kept && ec != errc::lease_lost) return term_end::finished;
        if (stop.stop_requested()) return term_end::stopped;
        if (!options.again) return term_end::lost;
    }
}

// --- who leads

std::optional<leader_info> leader_election::leader() {
    auto const& of = impl();
    return detail::ask_now(of.core, who_leads(impl_));
}

std::optional<outcome> leader_election::start_leader(completion_ptr<leader_answer>& done) {
    auto const& of = impl();
    return detail::ask_later(of.core, who_leads(impl_), done);
}

void leader_election::async_leader(executor ex, std::function<void(std::error_code, leader_answer)> handler) {
    detail::with_handler<leader_answer>(*impl().core, std::move(ex), std::move(handler),
                                        [this](completion_ptr<leader_answer>& done) { return start_leader(done); });
}

std::optional<leader_info> leader_election::wait_for_change(leader_answer const& last, wait_options const& options) {
    std::error_code ec;
    std::string message;
    auto found = wait_now(impl(), last, options, ec, &message);
    if (ec) detail::fail(ec, std::move(message));
    return found;
}

std::optional<leader_info> leader_election::wait_for_change(leader_answer const& last, wait_options const& options,
                                                            std::error_code& ec) {
    if (impl_) return wait_now(*impl_, last, options, ec, nullptr);
    ec = errc::invalid_argument;
    return std::nullopt;
}

std::optional<outcome> leader_election::start_wait_for_change(leader_answer const& last, wait_options const& options,
                                                              completion_ptr<leader_answer>& done) {
    auto const& of = impl();
    return detail::start_wait(of.change, to_wait(last, options), done,
                              [impl = impl_](auto& ended, completion_ptr<leader_answer> completion) {
                                  ended.handed_over();
                                  auto how = ended.result() ? detail::failure_of(ended) : outcome();
                                  leader_answer found;
                                  try {
                                      if (!ended.result()) found = read_leader(*impl, ended.acquired().answer());
                                  } catch (error const& problem) {
                                      how = outcome(problem.code(), problem.what());
                                  }
                                  detail::tell(*impl->core, std::move(completion), how, std::move(found));
                              });
}

void leader_election::async_wait_for_change(leader_answer const& last, wait_options const& options, executor ex,
                                            std::function<void(std::error_code, leader_answer)> handler) {
    detail::with_handler<leader_answer>(
        *impl().core, std::move(ex), std::move(handler),
        [&](completion_ptr<leader_answer>& done) { return start_wait_for_change(last, options, done); });
}

} // namespace redlatch
