// Count-down latches.
#include "sim/check/promises.hpp"

#include <map>
#include <utility>

namespace redlatch::sim {
namespace {

using kind = fact::kind;

/// Of one latch: requests to change it, and what became of them.
struct requests {
    std::int64_t begun = 0;
    std::int64_t done = 0; ///< who asked was told so
    std::int64_t refused = 0;
    std::int64_t seen = 0; ///< on the server
};

struct waiter {
    int process;
    moment since;
    moment until;
    bool was_zero; ///< at some moment since it began
};

struct latch {
    std::int64_t count = 0;
    moment zero_since{0};
    requests steps{};
    requests sets{};
    std::map<int, waiter> waiting{}; ///< by worker
};

class gates {
public:
    explicit gates(latch_rules const& rules) : rules_(rules) {}

    /// What it shows to be wrong; empty: nothing.
    std::string see(fact const& one) {
        auto& of = latches_[one.lock];
        if (one.what == kind::stopped) slow_until_[one.process] = never;
        if (one.what == kind::went_on) slow_until_[one.process] = one.when + rules_.slack;
        if (one.what == kind::quiet) quiet_ = true;
        if (one.what == kind::unpromised || one.what == kind::missed) trusted_ = false;
        if (one.what == kind::left) on_death(one.process);
        if (one.what == kind::awaits_zero) of.waiting[one.worker] = {one.process, one.when, one.until, of.count == 0};
        if (one.what == kind::went_through) return on_end_of_wait(one, of);
        if (one.what == kind::outdated && one.amount == 0)
            for (auto& [worker, who] : of.waiting)
                who.was_zero = who.was_zero || who.process == one.process; // by what it was told
        if (one.what == kind::counts_down) ++of.steps.begun;
        if (one.what == kind::counted_down) return on_answer(one, of.steps, "a step");
        if (one.what == kind::sets_count) ++of.sets.begun;
        if (one.what == kind::has_set_count) return on_answer(one, of.sets, "a count");
        if (one.what == kind::count_there) return on_count(one, of);
        return {};
    }

private:
    void on_death(int process) {
        for (auto& [number, each] : latches_)
            std::erase_if(each.waiting, [&](auto const& who) { return who.second.process == process; });
    }

    std::string on_end_of_wait(fact const& one, latch& of) {
        auto const mine = of.waiting.extract(one.worker);
        if (mine.empty()) return "ends a wait that it has not begun";
        auto const& how = mine.mapped();
        if (one.said == answer::done && !how.was_zero) return "was let through, and the count was never zero";
        auto const slow = slow_until_.find(one.process);
        bool const excused = slow != slow_until_.end() && slow->second >= how.until;
        if (one.said == answer::done || how.until == never || excused || one.when <= how.until + rules_.slack)
            return {};
        return "waits beyond its deadline";
    }

    std::string on_answer(fact const& one, requests& of, char const* what) const {
        bool const unknown = one.said == answer::outcome_unknown || one.said == answer::closed;
        if (one.said == answer::done && one.yes)
            ++of.done;
        else if (!unknown)
            ++of.refused;
        if (!trusted_ || of.done <= of.seen) return {};
        return std::string("was told of ") + what + " that the server has not made";
    }

    std::string on_count(fact const& one, latch& of) {
        auto const before = std::exchange(of.count, one.amount);
        if (before != 0 && one.amount == 0) of.zero_since = one.when;
        if (one.amount == 0)
            for (auto& [worker, who] : of.waiting) who.was_zero = true;
        bool const by_ours = one.process >= 0 && before != one.amount;
        if (by_ours && trusted_) {
            bool const is_step = one.amount == before - 1;
            bool const is_set = before == 0 && one.amount > 0;
            if (!is_step && !is_set)
                return "went from " + std::to_string(before) + " to " + std::to_string(one.amount) + " at once";
            auto& made = is_step ? of.steps : of.sets;
            ++made.seen;
            if (made.seen > made.begun - made.refused)
                return std::string(is_step ? "was counted down" : "was set") + " more often than was asked for";
        }
        return one.amount == 0 ? on_zero(one, of) : std::string();
    }

    std::string on_zero(fact const& one, latch const& of) const {
        if (!quiet_ || one.when - of.zero_since <= rules_.wakeup) return {};
        for (auto const& [worker, who] : of.waiting)
            if (one.when - who.since > rules_.wakeup)
                return "worker " + std::to_string(worker) + " waits although the count has been zero for a while";
        return {};
    }

    latch_rules const& rules_;
    std::map<int, latch> latches_;
    std::map<int, moment> slow_until_;
    bool quiet_ = false;
    bool trusted_ = true; ///< nothing but requests changes the counts
};

} // namespace

std::optional<violation> check_latches(history const& all, latch_rules const& rules) {
    if (!rules.judged) return std::nullopt;
    gates seen(rules);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (auto const wrong = seen.see(all[i]); !wrong.empty())
            return make("latches", i,
                        (all[i].worker >= 0 ? "worker " + std::to_string(all[i].worker) + " " : std::string("a latch "))
                            + wrong);
    return std::nullopt;
}

} // namespace redlatch::sim
