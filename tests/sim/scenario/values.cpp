// Locks on values of a group in a scenario: one to three of four, in any order, by owners who may enter again and may not ask
// for more of the group. Each value is written down as a lock.
#include "sim/scenario/answer_of_call.hpp"
#include "sim/scenario/call_under_shortage.hpp"
#include "sim/scenario/several_locks.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace redlatch::sim {

using namespace std::chrono_literals;
using kind = fact::kind;

namespace {

std::vector<int> values_of(job const& what, int locks) {
    std::vector<int> all;
    for (int i = 0; i < locks; ++i) all.push_back(i);
    auto const digest = digest_of(what);
    return some_of(std::move(all), 1 + digest % 3, digest);
}

class taking_values {
public:
    taking_values(stage& in, int number, int process, job const& what)
        : in_(in), what_(what), me_(in.actors.at(static_cast<std::size_t>(process))),
          several_(in, number, process, what, values_of(what, in.plan.locks)) {}

    void run() {
        several_.pause();
        if (several_.over()) return;
        auto lock = lock_on(several_.locks());
        auto mine = take(lock);
        if (mine.status() == hold_status::none || several_.over()) return;
        std::vector<std::pair<int, hold_view>> values;
        for (auto const one : several_.locks()) values.emplace_back(one, mine);
        several_.acquired(values, values.size());
        for (auto const& [number, view] : values) several_.believe(number, view);
        std::optional<hold> inner;
        if (what_.entries > 1) inner = enter_again(lock, mine);
        if (what_.entries > 2 && !several_.over()) ask_for_more(mine);
        in_.universe.rest_for(std::chrono::milliseconds(what_.hold) + std::chrono::microseconds(what_.hold_us));
        if (inner) {
            std::error_code ignored;
            call(ignored, [&] { inner->release(ignored); });
        }
        leave(std::move(mine));
    }

private:
    template <class Call> bool call(std::error_code& ec, Call const& what) {
        return call_under_shortage(in_, me_, ec, what);
    }

    faster_multi_lock lock_on(std::vector<int> const& values) const {
        std::vector<std::string> names;
        for (auto const one : values) names.push_back(stage::value_name(one));
        return me_.user().get_faster_multi_lock(stage::group_name, names);
    }

    hold take(faster_multi_lock& lock) {
        auto const how = several_.ask(owner_);
        std::error_code ec;
        hold got;
        if (what_.asks == job::how::asynchronous) {
            answer_of_call<hold> answer;
            if (call(ec, [&] { lock.async_acquire(how, {}, answer.handler()); }))
                ec = answer.wait(in_.universe), got = answer.take();
        } else {
            call(ec, [&] { got = lock.acquire(how, ec); });
        }
        if (!several_.over()) several_.end_of_wait(ec, ec ? 0 : several_.all());
        return got;
    }

    /// The server has all of these for this hold.
    bool is_there(hold const& mine) const {
        auto const& all = several_.locks();
        return std::all_of(all.begin(), all.end(), [&](int one) { return in_.has_in_key(one, mine.owner_id()); });
    }
    bool is_whole(hold const& mine) const { return mine.status() == hold_status::held && is_there(mine); }

    std::optional<hold> enter_again(faster_multi_lock& lock, hold const& mine) {
        acquire_options how{.wait = duration(in_.plan.timeout), .owner = owner_};
        if (what_.inner_lease && *what_.inner_lease > 0) how.lease = duration(*what_.inner_lease);
        bool const before = is_there(mine);
        std::error_code ec;
        std::optional<hold> got;
        call(ec, [&] { got = lock.try_acquire(how, ec); });
        if (!got || several_.over()) return got;
        bool const same = got->owner_id() == mine.owner_id();
        if (same) {
            several_.entered_again(before || is_there(mine));
            return got;
        }
        if (mine.status() == hold_status::held)
            in_.write({.what = kind::unfinished, .text = "an owner has values twice, with two ids"});
        std::error_code ignored; // after a loss it was acquired anew
        got->release(ignored);
        return std::nullopt;
    }

    /// It would wait for itself.
    void ask_for_more(hold const& mine) {
        auto const& all = several_.locks();
        std::vector<int> other{all.front(), (*std::max_element(all.begin(), all.end()) + 1) % in_.plan.locks};
        if (all.size() == 2 && std::is_permutation(all.begin(), all.end(), other.begin())) other.pop_back();
        auto lock = lock_on(other);
        bool const before = is_whole(mine);
        std::error_code ec;
        std::optional<hold> got;
        bool const answered = call(ec, [&] { got = lock.try_acquire({.wait = 0ms, .owner = owner_}, ec); });
        if (answered && before && is_whole(mine) && !several_.over() && ec != errc::would_deadlock)
            in_.write({.what = kind::unfinished, .text = "an owner was not told that it would wait for itself"});
        std::error_code ignored;
        if (got) got->release(ignored);
    }

    void leave(hold mine) {
        several_.begin_release();
        std::error_code ec;
        auto said = answer::untold;
        switch (what_.ends) {
        case job::ending::release:
            call(ec, [&] { mine.release(ec); });
            said = answer_of(ec);
            break;
        case job::ending::detached: call(ec, [&] { mine.release_detached(); }); break;
        case job::ending::destroyed: call(ec, [&] { mine = hold(); }); break;
        case job::ending::asynchronous: {
            answer_of_call<int> told;
            if (call(ec, [&] { mine.async_release({}, told.handler()); })) ec = told.wait(in_.universe);
            said = answer_of(ec);
            break;
        }
        }
        several_.end_release(said, ec);
    }

    stage& in_;
    job const& what_;
    actor& me_;
    owner const owner_{};
    several_locks several_;
};

} // namespace

void take_values(stage& in, int number, int process, job const& what) {
    taking_values(in, number, process, what).run();
}

} // namespace redlatch::sim
