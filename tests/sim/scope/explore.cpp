#include "sim/scope/explore.hpp"

#include "sim/scenario/stage.hpp"

#include <algorithm>
#include <deque>
#include <unordered_set>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;
using decision = world::decision;
using seen_states = std::unordered_set<std::uint64_t>;

/// Both processes are connected by then, and no worker has begun.
constexpr moment first_choice = 50ms;
/// Bytes are under way for no longer.
constexpr moment farthest = 600ms;
/// Whatever was chosen has happened by then.
constexpr moment calm = 6s;

/// Follows given choices, then takes the first of each, and notes what else could have been chosen in states not seen before.
class guide : public director {
public:
    guide(scope const& in, order_of_events const& choices, seen_states* seen)
        : scope_(in), choices_(choices), seen_(seen), early_left_(in.early) {}

    void begin(stage& in) override {
        in.net.one_by_one = scope_.one_by_one;
        in.universe.woken_after = scope_.woken_after;
        in.universe.order = [this, &in](world::pending const& all) { return decide(in, all); };
    }
    moment calm_after() const override { return calm; }

    /// How many options there were, from the end of the given choices to the first state that was known; then none.
    order_of_events const& fresh() const noexcept { return fresh_; }
    std::size_t depth() const noexcept { return depth_; }
    bool cut_off() const noexcept { return cut_off_; }

private:
    static decision usual(world::pending const& all) {
        if (!all.heads.empty()) return {decision::kind::deliver, all.heads.front().number};
        return {decision::kind::pass, 0, all.times.front()};
    }

    std::uint64_t state(stage& in, world::pending const& all) const {
        auto mix = [sum = std::uint64_t(0)](std::uint64_t what) mutable { return sum = world::mixed(sum, what); };
        for (auto const& one : in.universe.processes()) {
            mix(one->heard);
            mix(one->dead);
        }
        for (auto const& one : in.servers) {
            mix(one.node().digest());
            mix(one.run() * 2 + (one.running() ? 1 : 0));
        }
        auto bytes = all.heads;
        bytes.insert(bytes.end(), all.behind.begin(), all.behind.end());
        std::sort(bytes.begin(), bytes.end(), [](auto const& left, auto const& right) {
            return std::pair(left.channel, left.number) < std::pair(right.channel, right.number);
        });
        for (auto const& one : bytes) {
            mix(one.channel);
            mix(one.bytes);
        }
        mix(static_cast<std::uint64_t>(in.universe.now().count()));
        mix(static_cast<std::uint64_t>(early_left_));
        mix(depth_); // how much may still be chosen
        return mix(failed_);
    }

    decision decide(stage& in, world::pending const& all) {
        if (in.universe.now() < first_choice || in.all_ended()) return usual(all);
        bool const only_watching = !all.times.empty() && (all.timers.empty() || all.times.front() < all.timers.front());
        if (all.heads.empty() && only_watching) return usual(all);
        std::vector<moment> early;
        if (all.heads.empty())
            early.assign(all.times.begin(), all.times.begin() + std::min<std::ptrdiff_t>(1, std::ssize(all.times)));
        else if (early_left_ > 0)
            std::copy_if(all.timers.begin(), all.timers.end(), std::back_inserter(early),
                         [&](moment when) { return when <= in.universe.now() + farthest; });
        auto const bytes = all.heads.size();
        auto const faults = failed_ ? 0 : scope_.faults.size();
        auto const count = bytes + early.size() + faults;
        auto at = choose(in, all, count);
        if (at < bytes) return {decision::kind::deliver, all.heads[at].number};
        at -= bytes;
        if (at < early.size()) {
            if (bytes > 0) --early_left_;
            return {decision::kind::pass, 0, early[at]};
        }
        fail(in, at - early.size());
        return {decision::kind::ask_again};
    }

    std::size_t choose(stage& in, world::pending const& all, std::size_t count) {
        if (count < 2) return 0;
        if (depth_ == scope_.depth) {
            cut_off_ = true;
            return 0;
        }
        auto const number = depth_++;
        if (number < choices_.size()) return choices_[number];
        if (known_) return 0;
        if (seen_ != nullptr && !seen_->insert(state(in, all)).second) {
            known_ = true;
            return 0;
        }
        fresh_.push_back(static_cast<std::uint8_t>(count));
        return 0;
    }

    void fail(stage& in, std::size_t which) {
        failed_ = 1 + which;
        auto const& one = scope_.faults[which];
        auto& who = *in.actors.at(static_cast<std::size_t>(one.process)).who;
        auto const when = static_cast<std::uint64_t>(in.universe.now().count());
        who.heard = world::mixed(world::mixed(who.heard, failed_), when);
        ++in.faults_left;
        begin_fault(in, one);
    }

    scope const& scope_;
    order_of_events const& choices_;
    seen_states* seen_;
    order_of_events fresh_;
    std::size_t depth_ = 0;
    std::uint64_t failed_ = 0;
    int early_left_;
    bool known_ = false;
    bool cut_off_ = false;
};

} // namespace

explored explore(scope const& what, search_limits const& limits) {
    explored result;
    seen_states seen;
    std::unordered_set<std::uint64_t> ends;
    // First in, first out: what differs from the usual course in one choice comes before what differs in two.
    std::deque<order_of_events> open{{}};
    while (!open.empty()) {
        if (result.states >= limits.states) {
            result.whole = false;
            break;
        }
        auto const choices = std::move(open.front());
        open.pop_front();
        guide by(what, choices, limits.merge ? &seen : nullptr);
        auto const outcome = run(what.plan, false, &by, limits.how ? &*limits.how : nullptr);
        ++result.runs;
        result.states += by.fresh().size();
        result.deepest = std::max(result.deepest, by.depth());
        result.cut_off |= by.cut_off();
        ends.insert(outcome.digest);
        if (outcome.broken) {
            result.broken = found_order{choices, *outcome.broken};
            result.whole = false;
            break;
        }
        auto path = choices;
        for (auto const count : by.fresh()) {
            for (std::uint8_t other = 1; other < count; ++other) {
                open.push_back(path);
                open.back().push_back(other);
            }
            path.push_back(0);
        }
    }
    result.outcomes = ends.size();
    return result;
}

outcome replay(scope const& what, order_of_events const& choices) {
    guide by(what, choices, nullptr);
    return run(what.plan, true, &by);
}

} // namespace redlatch::sim
