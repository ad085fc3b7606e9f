// First come, first served, among the waiters of one process.
#include "sim/check/promises.hpp"

#include <map>
#include <optional>

namespace redlatch::sim {
namespace {

using kind = fact::kind;

struct in_queue {
    moment asked{0};
    moment entered = never; ///< by then; never: it does not wait in the queue
    moment until = never;
};

/// Of one lock in one process.
class queue {
public:
    void asks(fact const& one) { waiting_[one.worker] = {one.when, one.most, one.until}; }
    void leaves(fact const& one) { waiting_.erase(one.worker); }
    void gives_back(fact const& one) { given_back_[one.worker] = one.when; }

    /// The worker that has waited longer and is overtaken, and should not be.
    std::optional<int> takes(fact const& one, order_rules const& rules) {
        auto const mine = waiting_.extract(one.worker);
        bool const again = last_ == one.worker;
        last_ = one.worker;
        if (!mine || mine.mapped().entered == never) return std::nullopt; // a try may overtake
        auto const asked = mine.mapped().asked;
        auto const given_back = given_back_.find(one.worker);
        bool const barges = again && given_back != given_back_.end() && asked - given_back->second <= rules.barging
                            && one.when - asked <= rules.barging;
        retakes_ = barges ? retakes_ + 1 : 0;
        if (barges && retakes_ <= rules.most_retakes) return std::nullopt;
        for (auto const& [worker, what] : waiting_)
            if (what.entered < asked && what.until > one.when + rules.leaving) return worker;
        return std::nullopt;
    }

private:
    std::map<int, in_queue> waiting_; ///< by worker
    std::map<int, moment> given_back_;
    int last_ = -1;
    int retakes_ = 0;
};

/// Its wait ends without the lock, soon after all[at]: its attempt has failed, and its thread is about to see that.
bool leaves_soon(history const& all, std::size_t at, int worker, order_rules const& rules) {
    auto const& taken = all[at];
    for (auto i = at + 1; i < all.size() && all[i].when <= taken.when + rules.leaving; ++i) {
        auto const& one = all[i];
        if (one.process != taken.process || one.lock != taken.lock || one.worker != worker) continue;
        if (one.what == kind::acquired) return false;
        if (one.what == kind::not_acquired) return true;
    }
    return false;
}

} // namespace

std::optional<violation> check_order(history const& all, order_rules const& rules) {
    std::map<std::pair<int, int>, queue> queues; // by process and lock
    bool quiet = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        if (one.what == kind::quiet) quiet = true;
        if (one.what == kind::fault) quiet = false;
        auto& here = queues[{one.process, one.lock}];
        if (one.what == kind::asked) here.asks(one);
        if (one.what == kind::not_acquired) here.leaves(one);
        if (one.what == kind::released || one.what == kind::releasing) here.gives_back(one);
        if (one.what != kind::acquired) continue;
        auto const overtaken = here.takes(one, rules);
        if (quiet && overtaken && !leaves_soon(all, i, *overtaken, rules))
            return make("order", i,
                        "worker " + std::to_string(one.worker) + " of process " + std::to_string(one.process)
                            + " has the lock before worker " + std::to_string(*overtaken)
                            + ", which has waited for longer");
    }
    return std::nullopt;
}

} // namespace redlatch::sim
