// Several locks that are taken as one in a scenario: two or three of four, in any order.
#include "sim/scenario/answer_of_call.hpp"
#include "sim/scenario/call_under_shortage.hpp"
#include "sim/scenario/several_locks.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::sim {

using kind = fact::kind;

namespace {

/// Which locks a job takes, in the order in which it names them.
std::vector<int> members_of(job const& what, int locks) {
    std::vector<int> all;
    for (int i = 0; i < locks; ++i) all.push_back(i);
    return some_of(std::move(all), what.hold % 2 == 0 ? 2 : 3, digest_of(what));
}

class taking_all {
public:
    taking_all(stage& in, int number, int process, job const& what)
        : in_(in), number_(number), process_(process), what_(what),
          me_(in.actors.at(static_cast<std::size_t>(process))),
          several_(in, number, process, what, members_of(what, in.plan.locks)) {}

    void run() {
        several_.pause();
        if (several_.over()) return;
        std::vector<basic_lock> locks;
        for (auto const one : several_.locks()) locks.push_back(me_.user().get_lock(in_.lock_name(one)));
        multi_lock all(locks, what_.pause % 3 == 0 ? multi_lock_order::by_name : multi_lock_order::none);
        auto mine = take(all);
        if (mine.status() == hold_status::none || several_.over()) return;
        std::vector<std::pair<int, hold_view>> members;
        for (auto const& view : mine.members()) members.emplace_back(several_.locks().at(members.size()), view);
        several_.acquired(members, members.size());
        for (auto const& [number, view] : members) several_.believe(number, view);
        static_cast<void>(mine.lost()); // from now on it listens to its members
        in_.universe.rest_for(std::chrono::milliseconds(what_.hold) + std::chrono::microseconds(what_.hold_us));
        if (!several_.over()) judge_whole(mine);
        several_.release(mine);
    }

private:
    multi_hold take(multi_lock& all) {
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
        std::int64_t taken = 0;
        for (auto const& one : got.members())
            for (int i = 0; i < in_.plan.locks; ++i)
                if (one.lock_name() == in_.lock_name(i)) taken |= std::int64_t{1} << i;
        bool const whole = static_cast<bool>(got);
        if (!ec && !whole) taken = several_.all(); // lost before it was seen
        several_.end_of_wait(ec, taken);
        return whole ? std::move(got) : multi_hold();
    }

    /// It is held, and sure of that, for as long as all of its members are.
    void judge_whole(multi_hold const& mine) {
        auto until = lease_clock::time_point::max();
        bool all_held = true;
        for (auto const& one : several_.views()) {
            until = std::min(until, one.valid_until());
            all_held = all_held && belief_of(one) != belief::lost;
        }
        bool const is_so = static_cast<bool>(mine) == all_held && (!all_held || mine.valid_until() == until);
        bool const lost_for_nothing = all_held && mine.lost().stop_requested();
        if (!is_so || lost_for_nothing)
            in_.write({.what = kind::unfinished, .text = "a hold of several locks is not what its members are"});
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

void take_several(stage& in, int number, int process, job const& what) {
    taking_all(in, number, process, what).run();
}

} // namespace redlatch::sim
