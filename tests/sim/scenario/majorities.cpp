// Red locks in a scenario: a member on each server. Each member is written down as a lock of its own, those that join late too;
// of the whole, what its holder believes when somebody else acquires it, and how many servers know of it.
#include "sim/scenario/answer_of_call.hpp"
#include "sim/scenario/call_under_shortage.hpp"
#include "sim/scenario/several_locks.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace redlatch::sim {

using namespace std::chrono_literals;
using kind = fact::kind;

namespace {

std::vector<int> members_on_servers(job const& what, int servers) {
    std::vector<int> all;
    for (int i = 0; i < servers; ++i) all.push_back(what.lock * servers + i);
    return all;
}

class taking_majority {
public:
    taking_majority(stage& in, int number, int process, job const& what)
        : in_(in), number_(number), process_(process), what_(what),
          me_(in.actors.at(static_cast<std::size_t>(process))),
          several_(in, number, process, what, members_on_servers(what, in.plan.servers)) {}

    void run() {
        several_.pause();
        if (several_.over()) return;
        std::vector<basic_lock> locks;
        for (auto const one : several_.locks())
            locks.push_back(me_.user(in_.plan.server_of(one)).get_lock(in_.lock_name(one)));
        red_lock all(locks);
        auto mine = take(all);
        if (mine.status() == hold_status::none || several_.over()) return;
        several_.acquired(members_of(mine), all.needed());
        believe_in_members(mine);
        tell_majorities(in_, number_, several_.all());
        auto const entry = in_.majorities.insert(in_.majorities.end(),
                                                 {process_, number_, several_.all(), !what_.lease && !what_.max_hold,
                                                  [&mine] { return mine.status(); }, [&mine] { return mine.lost(); },
                                                  [this, &mine] { return bits_of(mine); }});
        hold_it(mine);
        if (!several_.over()) {
            judge_whole(mine, all.needed());
            in_.majorities.erase(entry);
        }
        several_.release_majority(mine);
    }

private:
    std::int64_t bits_of(multi_hold const& mine) const {
        std::int64_t bits = 0;
        for (auto const& view : mine.members()) bits |= std::int64_t{1} << number_of(view);
        return bits;
    }
    int number_of(hold_view const& view) const {
        auto const& all = several_.locks();
        return *std::find_if(all.begin(), all.end(), [&](int one) { return in_.lock_name(one) == view.lock_name(); });
    }

    std::vector<std::pair<int, hold_view>> members_of(multi_hold const& mine) const {
        std::vector<std::pair<int, hold_view>> all;
        for (auto const& view : mine.members()) all.emplace_back(number_of(view), view);
        return all;
    }

    multi_hold take(red_lock& all) {
        auto const how = several_.ask(owner_);
        in_.taking_all[number_] = {process_, several_.all()};
        std::error_code ec;
        multi_hold got;
        if (what_.asks == job::how::asynchronous) {
            answer_of_call<multi_hold> answer;
            if (call_under_shortage(in_, me_, ec, [&] { all.async_acquire(how, {}, answer.handler()); }))
                ec = answer.wait(in_.universe), got = answer.take();
        } else {
            call_under_shortage(in_, me_, ec, [&] { got = all.acquire(how, ec); });
        }
        in_.taking_all.erase(number_);
        if (several_.over()) return got;
        bool const whole = static_cast<bool>(got);
        several_.end_of_wait(ec, ec ? 0 : whole ? bits_of(got) : several_.all()); // or lost before it was seen
        return whole ? std::move(got) : multi_hold();
    }

    /// In those too that have joined since.
    void believe_in_members(multi_hold const& mine) {
        for (auto const& view : mine.members()) {
            auto const& known = several_.views();
            bool const is_new = std::none_of(known.begin(), known.end(),
                                             [&](hold_view const& one) { return one.owner_id() == view.owner_id(); });
            if (is_new) several_.believe(number_of(view), view);
        }
        static_cast<void>(mine.lost()); // from now on it listens to its members
    }

    void hold_it(multi_hold const& mine) {
        auto const until =
            in_.universe.now() + std::chrono::milliseconds(what_.hold) + std::chrono::microseconds(what_.hold_us);
        while (!several_.over() && in_.universe.now() < until) {
            in_.universe.rest_until(std::min(until, in_.universe.now() + 20ms));
            if (!several_.over()) believe_in_members(mine);
        }
    }

    /// It is held, and sure of that, for as long as the majority of its members is.
    void judge_whole(multi_hold const& mine, std::size_t needed) {
        std::vector<lease_clock::time_point> ends;
        for (auto const& one : mine.members()) ends.push_back(one.valid_until());
        std::sort(ends.begin(), ends.end(), std::greater<>());
        bool const majority = ends.size() >= needed;
        bool const is_so = static_cast<bool>(mine) == majority && (!majority || mine.valid_until() == ends[needed - 1]);
        bool const lost_for_nothing = majority && mine.lost().stop_requested();
        if (!is_so || lost_for_nothing)
            in_.write({.what = kind::unfinished, .text = "a red lock is not what the majority of its members is"});
    }

    stage& in_;
    int const number_;
    int const process_;
    job const& what_;
    actor& me_;
    owner const owner_{};
    several_locks several_;
};

} // namespace

void take_majority(stage& in, int number, int process, job const& what) {
    taking_majority(in, number, process, what).run();
}

void tell_majorities(stage& in, int worker, std::int64_t locks) {
    for (auto const& other : in.majorities) {
        if (other.locks != locks || other.worker == worker) continue;
        fact seen{.what = kind::believes_majority, .process = other.process, .worker = other.worker};
        seen.amount = other.locks;
        in.universe.as(in.actors.at(static_cast<std::size_t>(other.process)).who, nullptr, [&] {
            seen.believed = belief_of(other.status());
            seen.yes = other.lost().stop_requested();
            seen.taken = other.has();
        });
        in.write(std::move(seen));
    }
}

void probe_majorities(stage& in) {
    for (auto const& one : in.majorities) {
        bool believed = false;
        in.universe.as(in.actors.at(static_cast<std::size_t>(one.process)).who, nullptr,
                       [&] { believed = one.status() != hold_status::lost; });
        if (!believed) continue;
        fact seen{.what = kind::probe_majority, .process = one.process, .worker = one.worker, .yes = one.renewed};
        seen.amount = one.locks;
        for (auto const& of : in.holds)
            if (of.worker % between_members == one.worker && (one.locks >> of.lock & 1) != 0
                && in.has_in_key(of.lock, of.owner))
                seen.taken |= std::int64_t{1} << of.lock;
        in.write(std::move(seen));
    }
}

} // namespace redlatch::sim
