#include "api/multi_hold_state.hpp"

#include "api/access.hpp"

#include <algorithm>
#include <atomic>

namespace redlatch::detail {

multi_hold_state::multi_hold_state(std::shared_ptr<multi_lock_impl const> group, std::vector<hold> holds,
                                   std::stop_source late)
    : group_(std::move(group)), holds_(std::move(holds)), late_(std::move(late)) {}

hold_status multi_hold_state::status() const {
    std::lock_guard const guard(mutex_);
    return status_now();
}

/// With the mutex.
hold_status multi_hold_state::status_now() const {
    if (released_) return hold_status::released;
    std::size_t held = 0;
    std::size_t suspect = 0;
    for (auto const& one : holds_) {
        auto const now = one.status();
        held += now == hold_status::held ? 1U : 0U;
        suspect += now == hold_status::suspect ? 1U : 0U;
    }
    if (held >= group_->needed) return hold_status::held;
    return held + suspect >= group_->needed ? hold_status::suspect : hold_status::lost;
}

lease_clock::time_point multi_hold_state::valid_until() const {
    std::lock_guard const guard(mutex_);
    lease_clock::time_point latest;
    if (released_) return latest;
    // The latest moment at which as many as are needed are valid; without memory, which may be missing.
    for (auto const& one : holds_) {
        if (!one) continue;
        auto const end = one.valid_until();
        auto const as_long = std::count_if(holds_.begin(), holds_.end(),
                                           [&](hold const& other) { return other && other.valid_until() >= end; });
        if (static_cast<std::size_t>(as_long) >= group_->needed) latest = std::max(latest, end);
    }
    return latest;
}

std::vector<hold_view> multi_hold_state::members() const {
    std::lock_guard const guard(mutex_);
    std::vector<hold_view> out;
    for (auto const& one : holds_)
        if (one) out.emplace_back(one);
    return out;
}

void multi_hold_state::on_lost::operator()() const noexcept {
    if (auto const state = whom.lock()) state->look();
}

void multi_hold_state::look() {
    if (status() != hold_status::lost) return;
    std::stop_source source{std::nostopstate};
    {
        std::lock_guard const guard(mutex_);
        source = lost_;
    }
    source.request_stop(); // callbacks may look at this hold
}

/// Not under the mutex: the callback runs at once where the member is lost. `places`: one for each; made before, so that memory
/// which is missing leaves no member unwatched.
void multi_hold_state::watch_members(std::vector<std::stop_token> const& members, watches places) noexcept {
    for (auto at = places.begin(); auto const& member : members)
        if (member.stop_possible()) (at++)->emplace(member, on_lost{weak_from_this()});
    std::lock_guard const guard(mutex_);
    watches_.splice(watches_.end(), places);
}

std::stop_token multi_hold_state::lost() {
    std::stop_source fresh;
    std::stop_token token;
    watches places(group_->members.size());
    std::vector<std::stop_token> of_members;
    of_members.reserve(group_->members.size());
    std::vector<hold_view> views;
    views.reserve(group_->members.size());
    {
        std::lock_guard const guard(mutex_);
        if (lost_.stop_possible()) return lost_.get_token();
        views.assign(holds_.begin(), holds_.end());
        lost_ = std::move(fresh);
        token = lost_.get_token();
    }
    for (auto const& one : views) of_members.push_back(one.lost()); // which may call the user's log sink
    watch_members(of_members, std::move(places));
    look();
    return token;
}

void multi_hold_state::keep(lease_clock::time_point until) {
    std::lock_guard const guard(mutex_);
    kept_until_ = until;
    for (auto const& one : holds_) hold_access::set_minimum_hold(one, until);
}

void multi_hold_state::join(std::size_t member, hold late) {
    if (!late) return;
    watches place(1);
    std::vector<std::stop_token> to_watch(1);
    hold_view const view(late);
    bool is_watched = false;
    {
        std::lock_guard const guard(mutex_);
        if (!released_ && status_now() != hold_status::lost) { // which is final
            if (kept_until_) hold_access::set_minimum_hold(late, *kept_until_);
            is_watched = lost_.stop_possible();
            holds_[member] = std::move(late);
        }
    }
    hold_access::give_up(late); // unless it has joined
    if (!is_watched) return;
    to_watch.front() = view.lost();
    watch_members(to_watch, std::move(place));
}

std::vector<hold> multi_hold_state::take() {
    std::vector<hold> out;
    std::stop_source late{std::nostopstate};
    {
        std::lock_guard const guard(mutex_);
        if (std::exchange(released_, true)) return {};
        out = std::move(holds_);
        holds_.clear();
        late = late_;
    }
    late.request_stop();
    std::erase_if(out, [](hold const& one) { return one.status() == hold_status::none; });
    return out;
}

} // namespace redlatch::detail
