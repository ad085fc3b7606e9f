// Several locks that are taken as one in a scenario: two or three of four, in any order. Each member is written down as a hold
// of its own, by a worker with a number of its own.
#include "sim/scenario/answer_of_call.hpp"
#include "sim/scenario/stage.hpp"

#include <algorithm>
#include <optional>
#include <stop_token>
#include <utility>

namespace redlatch::sim {

using namespace std::chrono_literals;
using kind = fact::kind;

namespace {

constexpr int between_members = 100; ///< numbers of their workers

/// Which locks a job takes, in the order in which it names them.
std::vector<int> members_of(job const& what, int locks) {
    auto dice = static_cast<std::uint64_t>(what.hold * 31 + what.pause * 17 + what.wait * 7 + what.entries);
    std::vector<int> all;
    for (int i = 0; i < locks; ++i) all.push_back(i);
    for (std::size_t i = all.size() - 1; i > 0; --i) {
        dice = dice * 0x5851f42d4c957f2dU + 0x14057b7ef767814fU;
        std::swap(all[i], all[static_cast<std::size_t>((dice >> 33U) % (i + 1))]);
    }
    all.resize(what.hold % 2 == 0 ? 2 : 3);
    return all;
}

class taking_all {
public:
    taking_all(stage& in, int number, int process, job const& what)
        : in_(in), number_(number), process_(process), what_(what),
          me_(in.actors.at(static_cast<std::size_t>(process))), members_(members_of(what, in.plan.locks)) {
        for (auto const one : members_) mask_ |= std::int64_t{1} << one;
    }

    void run() {
        in_.universe.rest_for(std::chrono::milliseconds(what_.pause) + std::chrono::microseconds(what_.pause_us));
        if (over()) return;
        std::vector<basic_lock> locks;
        for (auto const one : members_) locks.push_back(me_.user->get_lock(stage::lock_name(one)));
        multi_lock all(locks, what_.pause % 3 == 0 ? multi_lock_order::by_name : multi_lock_order::none);
        auto mine = take(all);
        if (mine.status() == hold_status::none || over()) return;
        believe(mine);
        in_.universe.rest_for(std::chrono::milliseconds(what_.hold) + std::chrono::microseconds(what_.hold_us));
        if (!over()) judge_whole(mine);
        leave(mine);
    }

private:
    bool over() const { return me_.who->retired; }
    fact about(kind what, std::size_t member) const {
        return {.what = what,
                .process = process_,
                .worker = number_ + between_members * (1 + static_cast<int>(member)),
                .lock = members_.at(member),
                .owner = member < owners_.size() ? owners_[member] : std::string()};
    }
    fact about_all(kind what) const { return {.what = what, .process = process_, .worker = number_, .amount = mask_}; }
    moment in_world(lease_clock::time_point until) const {
        auto const now = in_.universe.now();
        return now + (until - me_.who->clock(now));
    }

    multi_hold take(multi_lock& all) {
        acquire_options how{.owner = owner_};
        if (what_.lease) how.lease = duration(*what_.lease);
        if (what_.max_hold) how.max_hold = duration(*what_.max_hold);
        auto wants = about_all(kind::wants_all);
        auto const now = in_.universe.now();
        std::stop_source stop;
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
            how.stop = stop.get_token();
            wants.until = now + std::chrono::milliseconds(what_.wait);
            in_.universe.at(wants.until, *me_.who, [stop]() mutable { stop.request_stop(); });
            break;
        case job::how::for_ever:
        case job::how::asynchronous: break;
        }
        in_.write(std::move(wants));
        in_.taking_all[number_] = {process_, mask_};
        std::error_code ec;
        multi_hold got;
        if (what_.asks == job::how::asynchronous) {
            answer_of_call<multi_hold> answer;
            all.async_acquire(how, {}, answer.handler());
            ec = answer.wait(in_.universe);
            got = answer.take();
        } else {
            got = all.acquire(how, ec);
        }
        in_.taking_all.erase(number_);
        if (over()) return got;
        in_.see_keys();
        auto end = about_all(kind::has_all);
        end.said = ec ? answer_of(ec) : answer::done;
        if (ec) end.text = ec.message();
        for (auto const& one : got.members())
            for (int i = 0; i < in_.plan.locks; ++i)
                if (one.lock_name() == stage::lock_name(i)) end.taken |= std::int64_t{1} << i;
        bool const whole = static_cast<bool>(got);
        if (!ec && !whole) end.taken = mask_; // lost before it was seen
        in_.write(std::move(end));
        return whole ? std::move(got) : multi_hold();
    }

    void believe(multi_hold const& mine) {
        auto const now = in_.universe.now();
        for (std::size_t i = 0; auto const& view : mine.members()) {
            owners_.push_back(view.owner_id());
            in_.tell_beliefs(members_.at(i), number_ + between_members * (1 + static_cast<int>(i)), owners_.back());
            auto got = about(kind::acquired, i);
            got.believed = belief_of(view);
            got.yes = !what_.lease && !what_.max_hold;
            got.until = in_world(view.valid_until());
            if (what_.max_hold && !what_.lease) got.most = now + std::chrono::milliseconds(*what_.max_hold);
            in_.write(got);
            entries_.push_back(
                in_.holds.insert(in_.holds.end(), {process_, got.worker, got.lock, got.owner,
                                                   [view] { return view.status(); }, [view] { return view.lost(); }}));
            views_.push_back(view);
            heard_.push_back(
                std::make_unique<hearing>(view.lost(), [this, told = about(kind::told_lost, i)] { in_.write(told); }));
            ++i;
        }
        static_cast<void>(mine.lost()); // from now on it listens to its members
        ++in_.acquired;
    }

    /// It is held, and sure of that, for as long as all of its members are.
    void judge_whole(multi_hold const& mine) {
        auto until = lease_clock::time_point::max();
        bool all_held = true;
        for (auto const& one : views_) {
            until = std::min(until, one.valid_until());
            all_held = all_held && belief_of(one) != belief::lost;
        }
        bool const is_so = static_cast<bool>(mine) == all_held && (!all_held || mine.valid_until() == until);
        bool const lost_for_nothing = all_held && mine.lost().stop_requested();
        if (!is_so || lost_for_nothing)
            in_.write({.what = kind::unfinished, .text = "a hold of several locks is not what its members are"});
    }

    void leave(multi_hold& mine) {
        for (std::size_t i = 0; i < owners_.size() && !over(); ++i) {
            auto begins = about(kind::releasing, i);
            begins.believed = belief_of(views_[i]);
            begins.until = in_world(views_[i].valid_until());
            in_.see_keys();
            in_.write(std::move(begins));
            in_.holds.erase(entries_[i]);
        }
        heard_.clear();
        std::error_code ec;
        auto said = answer::untold;
        switch (what_.ends) {
        case job::ending::release:
            mine.release(ec);
            if (!ec) said = answer::done;
            break;
        case job::ending::detached: mine.release_detached(); break;
        case job::ending::destroyed: mine = multi_hold(); break;
        case job::ending::asynchronous: {
            answer_of_call<int> told;
            mine.async_release({}, told.handler());
            ec = told.wait(in_.universe);
            if (!ec) said = answer::done;
            break;
        }
        }
        in_.see_keys();
        for (std::size_t i = 0; i < owners_.size() && !over(); ++i) {
            auto done = about(kind::released, i);
            done.said = said;
            done.text = ec ? ec.message() : said == answer::done ? "" : "nobody asks";
            in_.write(std::move(done));
        }
    }

    using hearing = std::stop_callback<std::function<void()>>;
    stage& in_;
    int const number_;
    int const process_;
    job const& what_;
    actor& me_;
    std::vector<int> const members_;
    std::int64_t mask_ = 0;
    owner const owner_{};
    std::vector<std::string> owners_{};
    std::vector<hold_view> views_{};
    std::vector<std::list<believed_hold>::iterator> entries_{};
    std::vector<std::unique_ptr<hearing>> heard_{};
};

} // namespace

void take_several(stage& in, int number, int process, job const& what) {
    taking_all(in, number, process, what).run();
}

} // namespace redlatch::sim
