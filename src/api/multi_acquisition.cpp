#include "api/multi_acquisition.hpp"

#include "api/access.hpp"
#include "api/call_owner.hpp"
#include "api/waits.hpp"
#include "io/insist.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace redlatch::detail {

namespace {

/// The members are asked on other threads, too.
acquire_options with_owner(acquire_options options) {
    options.owner = owner_of(options);
    return options;
}

bool waits_for_ever(acquire_options const& options, bool for_ever) {
    return options.wait ? *options.wait >= longest_time : for_ever;
}

} // namespace

/// Of one member; kept alive by its client.
class multi_acquisition::answer final : public completion<hold> {
public:
    answer(std::shared_ptr<multi_acquisition> whole, std::size_t member) : whole_(std::move(whole)), member_(member) {}

    void complete(outcome const& outcome, hold got) noexcept override {
        std::unique_ptr<answer> const self(this);
        whole_->on_answer(member_, outcome, std::move(got));
    }
    void discard() noexcept override {
        complete(outcome(errc::closed, "the event loop of its client is gone"), hold());
    }

private:
    std::shared_ptr<multi_acquisition> const whole_;
    std::size_t const member_;
};

multi_acquisition::multi_acquisition(std::shared_ptr<multi_lock_impl const> group, acquire_options const& options,
                                     bool for_ever)
    : group_(std::move(group)), options_(with_owner(options)), began_(lease_clock::now()),
      for_ever_(waits_for_ever(options, for_ever)), may_wait_(for_ever_ || (options.wait && options.wait->count() > 0)),
      deadline_(for_ever_ || !may_wait_ ? base::never : base::later(began_, *options.wait)),
      holds_(group_->members.size()) {
    failures_.reserve(holds_.size()); // each fails once in a step
}

/// An exception has left it in the middle, or nobody has taken what it acquired.
multi_acquisition::~multi_acquisition() {
    for (auto& one : holds_) hold_access::give_up(one);
    if (acquired_)
        for (auto& one : acquired_->take()) hold_access::give_up(one);
}

/// What has ended before it began asks nobody: see ask().
void multi_acquisition::begin() noexcept {
    if (options_.stop.stop_requested()) return end_early(errc::cancelled);
    // What a later step acquires is acquired on a reactor, which is not the thread that owns it.
    if (options_.owner == owner::this_thread())
        for (std::size_t i = 0; i < group_->members.size(); ++i) group_->core_of(i).watch_this_thread();
    act next{};
    try {
        watch_clients();
        auto const until = may_wait_ ? left_to_others_until() : began_;
        {
            std::lock_guard const guard(mutex_);
            if (finished_) return; // it was cancelled, or a client has been closed
            left_to_others_ = until > began_;
            if (!left_to_others_) next = begin_round();
        }
        if (until > began_) return rest(until);
    } catch (std::bad_alloc const&) {
        std::lock_guard const guard(mutex_);
        next = end_without_memory();
    }
    carry_out(next);
}

/// While it asks one member, or rests, the others' clients say nothing.
void multi_acquisition::watch_clients() {
    bool const of_one_client = std::all_of(group_->members.begin(), group_->members.end(), [&](basic_lock const& one) {
        return lock_access::impl(one)->core == group_->home();
    });
    if (of_one_client) return;
    for (std::size_t i = 0; i < group_->members.size(); ++i)
        watched_clients_.emplace_back(group_->core_of(i).closing_token(), on_closed{weak_from_this()});
}

void multi_acquisition::on_closed::operator()() const noexcept {
    if (auto const alive = whom.lock()) alive->on_client_closed();
}

void multi_acquisition::on_client_closed() noexcept {
    std::size_t closed = 0;
    for (std::size_t i = 0; i < group_->members.size(); ++i) closed += group_->core_of(i).closed() ? 1U : 0U;
    if (closed > group_->members.size() - group_->needed) end_early(errc::closed);
}

void multi_acquisition::end_early(errc reason) noexcept {
    std::stop_source asking{std::nostopstate};
    act next{};
    {
        std::lock_guard const guard(mutex_);
        if (finished_) return; // who joins late may
        try {
            next = on_end_early(reason);
        } catch (std::bad_alloc const&) {
            next = end_with(reason, {});
        }
        asking = asking_;
    }
    asking.request_stop();
    carry_out(next);
}

/// Without a wait each member has the time that its client has for an answer.
base::instant multi_acquisition::deadline() const {
    return base::later(may_wait_ ? deadline_ : group_->time_for_answers(), group_->time_for_replicas());
}

multi_hold multi_acquisition::take() {
    std::lock_guard const guard(mutex_);
    return acquired_ ? multi_hold_access::make(std::move(acquired_)) : multi_hold();
}

/// Where memory is missing nobody is asked any more, and what was acquired is given back.
void multi_acquisition::carry_out(act next) noexcept {
    try {
        take_step(next);
    } catch (std::bad_alloc const&) {
        bool ends = false;
        {
            std::lock_guard const guard(mutex_);
            ends = end_without_memory() == act::finish;
        }
        if (ends) finish();
    }
}

void multi_acquisition::take_step(act next) {
    switch (next) {
    case act::nothing:
    case act::stop_asking: return;
    case act::ask: return ask();
    case act::begin_again: return begin_again();
    case act::finish: return finish();
    }
}

/// Whoever owns a member and releases it may acquire it at once: the client keeps the order of an owner's requests.
void multi_acquisition::begin_again() {
    std::vector<hold> before(group_->members.size());
    {
        std::lock_guard const guard(mutex_);
        leave_minority_to_others();
        before.swap(holds_); // when it has finished, what is there is unwanted as well
    }
    for (auto& one : before) hold_access::give_up(one);
    act next{};
    auto rests_until = base::never;
    {
        std::lock_guard const guard(mutex_);
        if (finished_) return; // a round would ask nobody
        if (lease_clock::now() < next_round_at_)
            rests_until = next_round_at_;
        else
            next = begin_round();
    }
    if (rests_until != base::never) return rest(rests_until);
    carry_out(next);
}

void multi_acquisition::go_on() noexcept {
    end_rest();
    act next{};
    {
        std::lock_guard const guard(mutex_);
        if (finished_) return;
        try {
            next = rounds_ == 0 || left() > duration::zero() ? begin_round() : on_round_failed();
        } catch (std::bad_alloc const&) {
            next = end_without_memory();
        }
    }
    carry_out(next);
}

/// Answers may come while the step is still being asked, so all that is needed is taken along.
void multi_acquisition::ask() {
    step now;
    acquire_options about = options_;
    {
        std::lock_guard const guard(mutex_);
        if (finished_) return;
        now = steps_[step_];
        about.stop = asking_.get_token();
        if (now.limit)
            about.wait = std::min({*now.limit, left(), left_of_lease()});
        else
            about.wait = for_ever_ ? duration::max() : left();
        on_asking(now.limit, *about.wait);
    }
    for (auto const member : now.members) {
        outcome const no_memory(std::make_error_code(std::errc::not_enough_memory), {});
        completion_ptr<hold> done(new (std::nothrow) answer(shared_from_this(), member));
        if (!done) {
            on_answer(member, no_memory, hold());
            continue;
        }
        std::optional<outcome> at_once;
        try {
            at_once = lock_access::start_member(group_->members[member], about, done);
        } catch (std::bad_alloc const&) {
            at_once = no_memory;
        }
        if (at_once && done) done.release()->complete(*at_once, hold()); // otherwise it was told
    }
}

void multi_acquisition::on_answer(std::size_t member, outcome const& member_outcome, hold got) noexcept {
    act next = act::nothing;
    std::shared_ptr<multi_hold_state> whom;
    hold late;
    std::stop_source unwanted{std::nostopstate};
    {
        std::lock_guard const guard(mutex_);
        --pending_;
        if (finished_) {
            whom = handed_over_.lock();
            late = std::move(got);
        } else {
            if (member_outcome.failed())
                failures_.push_back({member, member_outcome.code(),
                                     means_no(member_outcome.code()) ? std::string() : message_of(member_outcome),
                                     was_at_once(member), is_for_now(member, member_outcome.code())});
            else
                holds_[member] = std::move(got);
            next = decide();
            if (next == act::stop_asking) unwanted = asking_; // of this step: the next answer may begin another one
        }
    }
    unwanted.request_stop(); // each request is told of its end
    if (whom)
        whom->join(member, std::move(late));
    else
        hold_access::give_up(late); // this may be the thread of another client, which must not block
    carry_out(next);
}

// --- decisions

// What follows runs under the mutex.

multi_acquisition::act multi_acquisition::decide() noexcept {
    try {
        return next_act();
    } catch (std::bad_alloc const&) {
        return end_without_memory();
    }
}

multi_acquisition::act multi_acquisition::end_without_memory() noexcept {
    return finished_ ? act::nothing : end_with(std::make_error_code(std::errc::not_enough_memory), {});
}

multi_acquisition::act multi_acquisition::next_act() {
    if (pending_ == 0) return on_step_ended();
    if (group_->by_majority()) {
        if (held() >= group_->needed) return on_step_ended();
        return failures_.size() > group_->members.size() - group_->needed ? act::stop_asking : act::nothing;
    }
    return final_failure() != nullptr ? act::stop_asking : act::nothing;
}

multi_acquisition::act multi_acquisition::on_step_ended() {
    bool const enough = group_->by_majority() ? held() >= group_->needed : failures_.empty();
    if (!enough) return on_round_failed();
    if (step_ + 1 < steps_.size()) {
        ++step_;
        return begin_step();
    }
    if (held() < group_->needed) return on_lapsed();
    acquired_ = std::make_shared<multi_hold_state>(group_, std::move(holds_), asking_);
    handed_over_ = acquired_;
    finished_ = true;
    return act::finish;
}

multi_acquisition::act multi_acquisition::on_round_failed() {
    if (auto const* failed = final_failure())
        return end_with(failed->code, "the " + group_->shown() + " was not acquired: " + which_one(*failed));
    if (failures_.empty()) return on_lapsed();
    if (auto const member = away_for_too_long()) {
        auto const reason = why_away(*member);
        return end_with(reason.code, "the " + group_->shown() + " was not acquired: " + which_one(reason));
    }
    if (may_wait_ && left() > duration::zero()) {
        first_busy_ = failures_.front().member;
        return act::begin_again;
    }
    auto const* const busy = busy_member();
    auto const& first = busy == nullptr ? failures_.front() : *busy;
    auto const& name = group_->members[first.member].name();
    if (!may_wait_)
        return end_with(errc::busy, "the " + group_->shown() + " was not acquired: " + name + " is held by another");
    return end_with(errc::timed_out, "the " + group_->shown() + " was not acquired before the wait ended: " + name
                                         + " was held by another, or not answered for");
}

multi_acquisition::act multi_acquisition::on_lapsed() {
    if (!options_.lease && may_wait_ && left() > duration::zero()) return act::begin_again;
    if (!options_.lease)
        return end_with(errc::lease_lost, "the " + group_->shown()
                                              + " was not acquired: a member was lost before the others were acquired; "
                                                "acquire it again");
    return end_with(errc::lease_lost, "the " + group_->shown()
                                          + " was not acquired: a lease ended before the other members were acquired; "
                                            "take a longer lease");
}

multi_acquisition::act multi_acquisition::on_end_early(errc reason) {
    auto const subject = "the " + group_->shown() + " was not acquired";
    if (reason == errc::cancelled) return end_with(reason, "the wait for the " + group_->shown() + " was cancelled");
    if (reason == errc::closed) return end_with(reason, subject + ": " + whose_client_is_closed());
    if (may_wait_ && !is_unanswered()) return end_with(reason, subject + " before the wait ended: " + unanswered());
    return end_with(errc::disconnected, subject + ": " + unanswered() + " in time");
}

std::string multi_acquisition::whose_client_is_closed() const {
    for (std::size_t i = 0; i < group_->members.size(); ++i)
        if (group_->core_of(i).closed()) return "the client of " + group_->members[i].name() + " was closed";
    return "the client that was to tell of it was closed";
}

/// The first one that another has; null: none is known.
multi_acquisition::failure const* multi_acquisition::busy_member() const {
    auto const found =
        std::find_if(failures_.begin(), failures_.end(), [](failure const& one) { return means_no(one.code); });
    return found == failures_.end() ? nullptr : &*found;
}

/// Nobody is known to hold a member, and the server of one has had the time for an answer.
bool multi_acquisition::is_unanswered() const {
    return pending_ > 0 && busy_member() == nullptr && lease_clock::now() - asked_at_ >= io::node::longest_answer;
}

std::string multi_acquisition::unanswered() const {
    for (auto const member : steps_.empty() ? std::vector<std::size_t>() : steps_[step_].members) {
        bool const failed =
            std::any_of(failures_.begin(), failures_.end(), [&](failure const& one) { return one.member == member; });
        if (!failed && holds_[member].status() == hold_status::none)
            return "the server of " + group_->members[member].name() + " did not answer";
    }
    return "the servers did not answer";
}

/// What no other round mends.
bool multi_acquisition::is_final(failure const& one) const {
    if (means_no(one.code) || one.code == errc::cancelled) return false;
    bool const of_server = one.code == errc::disconnected || one.for_now;
    bool const may_come_back = of_server && may_wait_ && left() > duration::zero();
    bool const has_waited = !steps_[step_].limit;
    return !may_come_back || has_waited || fails_fast(one);
}

multi_acquisition::failure const* multi_acquisition::final_failure() const {
    failure const* first = nullptr;
    std::size_t count = 0;
    for (auto const& one : failures_) {
        if (!is_final(one)) continue;
        if (first == nullptr) first = &one;
        ++count;
    }
    return count > group_->members.size() - group_->needed ? first : nullptr;
}

std::string multi_acquisition::which_one(failure const& one) const {
    return one.message.empty() ? group_->members[one.member].name() + ": " + one.code.message() : one.message;
}

multi_acquisition::act multi_acquisition::end_with(std::error_code code, std::string message) noexcept {
    finished_ = true;
    last_ = outcome(code, std::move(message));
    return act::finish;
}

multi_acquisition::act multi_acquisition::begin_round() {
    steps_ = plan();
    step_ = 0;
    ++rounds_;
    return begin_step();
}

multi_acquisition::act multi_acquisition::begin_step() {
    failures_.clear();
    pending_ = steps_[step_].members.size();
    if (step_ <= 1) waits_holding_since_ = lease_clock::now();
    asking_ = std::stop_source();
    return act::ask;
}

std::vector<multi_acquisition::step> multi_acquisition::plan() {
    constexpr auto nobody = static_cast<std::size_t>(-1);
    if (group_->by_majority()) return {asks_all_others(nobody, may_wait_ ? moment() : duration::zero())};
    bool const by_name = !group_->waiting_order.empty();
    // Of many who ask for parts at the same time none may get all. In an order, one does.
    if (rounds_ == 0 && !(by_name && !may_wait_)) return {asks_all_others(nobody, duration::zero())};
    std::vector<step> out;
    if (!by_name) {
        out.push_back({{first_busy_}, std::nullopt});
        if (group_->members.size() > 1) out.push_back(asks_all_others(first_busy_, moment()));
        return out;
    }
    for (auto const member : group_->waiting_order) {
        bool const holds = !out.empty();
        std::optional<duration> limit;
        if (holds && options_.lease) limit = *options_.lease / 4;
        // Others may have servers whose members have one name in another order: they know them by other addresses.
        if (holds && group_->name_is_shared(member)) limit = moment();
        out.push_back({{member}, limit});
    }
    return out;
}

multi_acquisition::step multi_acquisition::asks_all_others(std::size_t but, duration limit) const {
    step out{{}, limit};
    for (std::size_t i = 0; i < group_->members.size(); ++i)
        if (i != but) out.members.push_back(i);
    return out;
}

std::size_t multi_acquisition::held() const {
    return static_cast<std::size_t>(
        std::count_if(holds_.begin(), holds_.end(), [](hold const& one) { return static_cast<bool>(one); }));
}

// --- the end

void multi_acquisition::finish() noexcept {
    outcome result;
    std::vector<hold> unwanted;
    std::stop_source asking{std::nostopstate};
    std::shared_ptr<multi_hold_state> acquired;
    bool in_vain = false;
    {
        std::lock_guard const guard(mutex_);
        acquired = acquired_;
        in_vain = left_to_others_ && acquired && rounds_ == 1;
        result = std::move(last_);
        unwanted.swap(holds_);
        if (result.failed()) asking = asking_; // who is asked for nothing
    }
    asking.request_stop();
    for (auto& one : unwanted) hold_access::give_up(one);
    if (in_vain) note_left_in_vain();
    if (acquired && options_.hold_at_least) {
        auto const until = base::later(lease_clock::now(), std::min<duration>(*options_.hold_at_least, longest_time));
        io::insist([&] { acquired->keep(until); });
    }
    end(std::move(result));
}

} // namespace redlatch::detail
