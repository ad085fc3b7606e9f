#include "sim/scenario/several_locks.hpp"

#include "sim/scenario/answer_of_call.hpp"
#include "sim/scenario/call_under_shortage.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using kind = fact::kind;

} // namespace

std::uint64_t digest_of(job const& what) {
    return static_cast<std::uint64_t>(what.hold * 31 + what.pause * 17 + what.wait * 7 + what.entries);
}

std::vector<int> some_of(std::vector<int> all, std::size_t count, std::uint64_t digest) {
    for (std::size_t i = all.size() - 1; i > 0; --i) {
        digest = digest * 0x5851f42d4c957f2dU + 0x14057b7ef767814fU;
        std::swap(all[i], all[static_cast<std::size_t>((digest >> 33U) % (i + 1))]);
    }
    all.resize(count);
    return all;
}

several_locks::several_locks(stage& in, int number, int process, job const& what, std::vector<int> locks)
    : in_(in), number_(number), process_(process), what_(what), me_(in.actors.at(static_cast<std::size_t>(process))),
      locks_(std::move(locks)) {
    for (auto const one : locks_) mask_ |= std::int64_t{1} << one;
}

void several_locks::pause() {
    in_.universe.rest_for(std::chrono::milliseconds(what_.pause) + std::chrono::microseconds(what_.pause_us));
}

fact several_locks::about(kind what, std::size_t member) const {
    return {.what = what,
            .process = process_,
            .worker = number_ + between_members * (1 + static_cast<int>(member)),
            .lock = members_.at(member),
            .owner = views_.at(member).owner_id()};
}

fact several_locks::about_all(kind what) const {
    return {.what = what, .process = process_, .worker = number_, .amount = mask_};
}

/// Counted from when the whole was acquired, but no longer than a lease that nobody renews.
moment several_locks::kept_until(moment since) const {
    auto const lease = duration(what_.lease.value_or(in_.plan.watchdog));
    return std::min(stage::kept_until(acquired_, duration(*what_.hold_at_least)), stage::kept_until(since, lease));
}

moment several_locks::in_world(lease_clock::time_point until) const {
    auto const now = in_.universe.now();
    return now + (until - me_.who->clock(now));
}

acquire_options several_locks::ask(owner const& who) {
    acquire_options how{.owner = who};
    if (what_.lease) how.lease = duration(*what_.lease);
    if (what_.max_hold) how.max_hold = duration(*what_.max_hold);
    if (what_.hold_at_least) how.hold_at_least = duration(*what_.hold_at_least);
    auto wants = about_all(kind::wants_all);
    auto const now = in_.universe.now();
    switch (what_.asks) {
    case job::how::timed:
        how.wait = duration(what_.wait);
        wants.until = now + std::chrono::milliseconds(what_.wait);
        break;
    case job::how::once:
        how.wait = 0ms;
        wants.until = now + std::chrono::milliseconds(in_.plan.timeout);
        break;
    case job::how::cancelled:
        how.stop = stop_.get_token();
        wants.until = now + std::chrono::milliseconds(what_.wait);
        in_.universe.at(wants.until, *me_.who, [stop = stop_]() mutable { stop.request_stop(); });
        break;
    case job::how::for_ever:
    case job::how::asynchronous: break;
    }
    in_.write(std::move(wants));
    return how;
}

void several_locks::end_of_wait(std::error_code ec, std::int64_t taken) {
    if (over()) return;
    in_.see_keys();
    auto end = about_all(kind::has_all);
    end.said = ec ? answer_of(ec) : answer::done;
    if (ec) end.text = ec.message();
    end.taken = taken;
    in_.write(std::move(end));
}

void several_locks::believe(int lock, hold_view const& view) {
    auto const member = members_.size();
    if (member == 0) ++in_.acquired;
    members_.push_back(lock);
    views_.push_back(view);
    auto got = about(kind::acquired, member);
    got.believed = belief_of(view);
    if (got.believed != belief::lost) in_.tell_beliefs(lock, got.worker, got.owner);
    got.yes = !what_.lease && !what_.max_hold;
    got.until = in_world(view.valid_until());
    if (what_.hold_at_least) got.kept = kept_until(in_.in_key_since(lock, got.owner));
    if (what_.hold_at_least) got.kept_most = acquired_here_ + duration(*what_.hold_at_least);
    if (what_.max_hold && !what_.lease) got.most = in_.universe.now() + std::chrono::milliseconds(*what_.max_hold);
    in_.write(got);
    entries_.push_back(
        in_.holds.insert(in_.holds.end(), {process_, got.worker, got.lock, got.owner, [view] { return view.status(); },
                                           [view] { return view.lost(); }}));
    heard_.push_back(std::make_unique<hearing>(view.lost(), [this, told = about(kind::told_lost, member)] {
        memory_of_the_world const own;
        in_.write(told);
    }));
}

void several_locks::acquired(std::vector<std::pair<int, hold_view>> const& members, std::size_t needed) {
    acquired_here_ = in_.universe.now();
    std::vector<moment> since;
    for (auto const& [lock, view] : members) since.push_back(in_.in_key_since(lock, view.owner_id()));
    std::sort(since.begin(), since.end());
    acquired_ = since.size() < needed ? never : since[needed - 1];
}

void several_locks::entered_again(bool there) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
        auto again = about(kind::reentered, i);
        again.yes = there;
        in_.write(std::move(again));
    }
}

void several_locks::begin_release() {
    for (std::size_t i = 0; i < members_.size() && !over(); ++i) {
        auto begins = about(kind::releasing, i);
        begins.believed = belief_of(views_[i]);
        begins.until = in_world(views_[i].valid_until());
        in_.see_keys();
        in_.write(std::move(begins));
        in_.holds.erase(entries_[i]);
    }
    heard_.clear();
}

void several_locks::end_release(answer said, std::error_code ec) {
    in_.see_keys();
    for (std::size_t i = 0; i < members_.size() && !over(); ++i) {
        auto done = about(kind::released, i);
        done.said = said;
        done.text = ec ? ec.message() : said == answer::done ? "" : "nobody asks";
        in_.write(std::move(done));
    }
}

void several_locks::release_majority(multi_hold& mine) {
    auto const [said, ec] = end(mine);
    end_release(said == answer::done ? answer::untold : said, ec);
}

void several_locks::release(multi_hold& mine) {
    auto const [said, ec] = end(mine);
    end_release(said, ec);
}

std::pair<answer, std::error_code> several_locks::end(multi_hold& mine) {
    begin_release();
    std::error_code ec;
    auto said = answer::untold;
    auto const call = [&](auto const& release) { return call_under_shortage(in_, me_, ec, release); };
    switch (what_.ends) {
    case job::ending::release:
        call([&] { mine.release(ec); });
        if (!ec) said = answer::done;
        break;
    case job::ending::detached: call([&] { mine.release_detached(); }); break;
    case job::ending::destroyed: call([&] { mine = multi_hold(); }); break;
    case job::ending::asynchronous: {
        answer_of_call<int> told;
        if (call([&] { mine.async_release({}, told.handler()); })) ec = told.wait(in_.universe);
        if (!ec) said = answer::done;
        break;
    }
    }
    return {said, ec};
}

} // namespace redlatch::sim
