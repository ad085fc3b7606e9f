// The times of an acquisition of several locks: how long its steps wait, when its rounds begin, and when servers have been away
// for too long.
#include "api/multi_acquisition.hpp"
#include "api/waits.hpp"
#include "io/random_seed.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <utility>

namespace redlatch::detail {

namespace {

/// How long a step waits while members are held. Short at first, for two may be waiting for each other; then longer, for the
/// critical sections of others may be.
constexpr duration shortest_moment{1};
constexpr duration longest_moment{100};
/// The answers of servers far away have to come within it.
constexpr duration shortest_moment_of_majority{100};
constexpr duration longest_moment_of_majority{300};

} // namespace

/// Before the first round. Not for longer than half of the wait.
base::instant multi_acquisition::left_to_others_until() {
    base::nanoseconds longest{0};
    for (auto const& member : group_->members) {
        auto const& lock = *lock_access::impl(member);
        lock.core->locked([&](locking::lock_table&, base::wake_list&) {
            longest = std::max(longest, lock.record->left_after_release(began_));
        });
    }
    return base::later(began_, deadline_ == base::never ? longest : std::min(longest, (deadline_ - began_) / 2));
}

/// Nobody had taken a member meanwhile.
void multi_acquisition::note_left_in_vain() {
    for (auto const& member : group_->members) {
        auto const& lock = *lock_access::impl(member);
        lock.core->locked([&](locking::lock_table&, base::wake_list&) { lock.record->on_left_in_vain(); });
    }
}

// What follows runs under the mutex.

/// They grow from round to round.
duration multi_acquisition::longest_moment_now() const {
    return std::min(shortest_moment * (1 << std::min<std::size_t>(rounds_, 10)), longest_moment);
}

duration multi_acquisition::drawn_between(duration least, duration most) {
    if (!random_) random_.emplace(io::random_seed());
    return least + duration(random_->up_to((most - least).count()));
}

duration multi_acquisition::moment() {
    bool const majority = group_->by_majority();
    auto const least = majority ? shortest_moment_of_majority : shortest_moment;
    auto const most = majority ? longest_moment_of_majority : longest_moment_now();
    auto const drawn = drawn_between(least, most);
    return options_.lease ? std::min<duration>(drawn, *options_.lease / 4) : drawn;
}

/// Of the wait. Whole milliseconds: a wait for less would be none.
duration multi_acquisition::left() const {
    if (deadline_ == base::never) return may_wait_ ? duration::max() : duration::zero();
    return std::max(std::chrono::floor<duration>(deadline_ - lease_clock::now()), duration::zero());
}

/// Of the quarter of a fixed lease that a round may wait while it holds something.
duration multi_acquisition::left_of_lease() const {
    if (!options_.lease || step_ == 0) return duration::max();
    auto const until = base::later(waits_holding_since_, *options_.lease / 4);
    return std::max(std::chrono::floor<duration>(until - lease_clock::now()), duration::zero());
}

// --- between rounds

void multi_acquisition::on_asking(std::optional<duration> limit, duration wait) {
    asked_at_ = lease_clock::now();
    asked_for_ = std::min(wait, longest_time);
    auto const most = group_->by_majority() ? longest_moment_of_majority : longest_moment_now();
    next_round_at_ = limit ? base::later(asked_at_, std::min(asked_for_, most)) : asked_at_;
    // Of a lease of a few milliseconds there is no quarter to wait for.
    if (limit == duration::zero() && rounds_ > 1) next_round_at_ = base::later(asked_at_, longest_moment_now());
}

/// Of several that have a minority each, none would ever get more if each acquired anew what it has just given up: its request
/// is at the server before those of the others, whom the release wakes. Not for longer than half of the wait.
void multi_acquisition::leave_minority_to_others() {
    auto const most = std::min(longest_moment_now(), left() / 2);
    if (!group_->by_majority() || held() == 0 || most < shortest_moment) return;
    next_round_at_ = std::max(next_round_at_, base::later(lease_clock::now(), drawn_between(shortest_moment, most)));
}

/// Without a wait a member has the time that its client has for an answer.
bool multi_acquisition::was_at_once(std::size_t member) const {
    auto const time = asked_for_ > duration::zero() ? asked_for_ : group_->core_of(member).settings().timeout;
    return lease_clock::now() < base::later(asked_at_, time);
}

/// Its client knows that its server is away, and does not wait for it.
bool multi_acquisition::fails_fast(failure const& one) const {
    return one.at_once && one.code == errc::disconnected && group_->core_of(one.member).settings().fail_fast;
}

// --- outages

/// More members than can be done without, each silent or executing no writes for the outage_limit of its client: the one whose
/// time was over first. Members that are asked for a moment do not know how long the whole has waited.
std::optional<std::size_t> multi_acquisition::away_for_too_long() const {
    if (!for_ever_) return std::nullopt;
    std::vector<std::pair<base::instant, std::size_t>> over; // when the patience with each is
    for (std::size_t i = 0; i < group_->members.size(); ++i) {
        auto& core = group_->core_of(i);
        auto const limit = core.settings().outage_limit;
        auto const since = std::max(began_, core.node_of(group_->members[i].name()).away_since());
        over.emplace_back(limit > duration::zero() ? base::later(since, limit) : base::never, i);
    }
    std::sort(over.begin(), over.end());
    auto const too_many = group_->members.size() - group_->needed;
    if (lease_clock::now() < over[too_many].first) return std::nullopt;
    return over.front().second;
}

/// Judged when the answer has just come: another operation may soon find that the server works again. One that has paused for
/// all of its wait, since the server refuses, has sent nothing.
bool multi_acquisition::is_for_now(std::size_t member, std::error_code code) const {
    if (code != errc::server_refused) return false;
    auto& node = group_->core_of(member).node_of(group_->members[member].name());
    return node.last_refused_at() >= asked_at_ || node.refuses_since() != base::never;
}

multi_acquisition::failure multi_acquisition::why_away(std::size_t member) const {
    for (auto const& one : failures_)
        if (one.member == member && (one.code == errc::disconnected || one.for_now)) return one;
    return {member, errc::disconnected, {}};
}

} // namespace redlatch::detail
