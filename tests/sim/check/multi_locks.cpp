// Several locks that are taken as one.
#include "sim/check/promises.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace redlatch::sim {
namespace {

using kind = fact::kind;

struct waiter_for_all {
    int process;
    std::int64_t locks; ///< a bit for each
    moment since;
    moment until;
};

class waits {
public:
    explicit waits(multi_rules const& rules) : rules_(rules) {}

    /// What it shows to be wrong; empty: nothing.
    std::string see(fact const& one) {
        if (one.what == kind::stopped) slow_until_[one.process] = never;
        if (one.what == kind::went_on) slow_until_[one.process] = one.when + rules_.slack;
        if (one.what == kind::quiet) quiet_since_ = one.when;
        if (one.what == kind::fault) quiet_since_ = never;
        if (one.what == kind::left)
            std::erase_if(waiting_, [&](auto const& each) { return each.second.process == one.process; });
        if (one.what == kind::wants_all) waiting_[one.worker] = {one.process, one.amount, one.when, one.until};
        if (one.what == kind::has_all) return on_end(one);
        if (one.what == kind::probe) return on_probe(one);
        return {};
    }

private:
    std::string on_end(fact const& one) {
        auto const mine = waiting_.extract(one.worker);
        if (mine.empty()) return "ends a wait that it has not begun";
        if (one.said == answer::done)
            return one.taken == one.amount ? "" : "has acquired several locks as one, and not all of them";
        auto const until = mine.mapped().until;
        auto const slow = slow_until_.find(one.process);
        bool const excused = slow != slow_until_.end() && slow->second >= until;
        constexpr moment clocks_differ{15'000'000};
        if (one.said == answer::timed_out && one.when + clocks_differ < until)
            return "says before its deadline that it is over";
        return until == never || excused || one.when <= until + rules_.slack ? "" : "waits beyond its deadline";
    }

    std::string on_probe(fact const& one) {
        auto const bit = std::int64_t{1} << one.lock;
        if (one.yes)
            free_since_.erase(bit);
        else
            free_since_.try_emplace(bit, one.when);
        if (quiet_since_ == never) return {};
        for (auto const& [worker, who] : waiting_) {
            auto since = std::max(quiet_since_, who.since);
            bool all_free = true;
            for (std::int64_t each = 1; each <= who.locks; each <<= 1)
                if ((who.locks & each) != 0) {
                    auto const found = free_since_.find(each);
                    all_free = all_free && found != free_since_.end();
                    if (found != free_since_.end()) since = std::max(since, found->second);
                }
            if (all_free && one.when - since > rules_.wakeup)
                return "worker " + std::to_string(worker) + " waits for locks all of which have been free for a while";
        }
        return {};
    }

    multi_rules const& rules_;
    std::map<int, waiter_for_all> waiting_; ///< by worker
    std::map<int, moment> slow_until_;
    std::map<std::int64_t, moment> free_since_; ///< by lock
    moment quiet_since_ = never;
};

} // namespace

std::optional<violation> check_multi_locks(history const& all, multi_rules const& rules) {
    if (!rules.judged) return std::nullopt;
    waits seen(rules);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (auto const wrong = seen.see(all[i]); !wrong.empty())
            return make("multi locks", i,
                        (all[i].worker >= 0 ? "worker " + std::to_string(all[i].worker) + " " : std::string()) + wrong);
    return std::nullopt;
}

} // namespace redlatch::sim
