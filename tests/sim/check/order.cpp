// First come, first served: among the waiters of one process, or among all.
#include "sim/check/promises.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace redlatch::sim {
namespace {

using kind = fact::kind;
using someone = std::pair<int, int>; // process, worker

someone who(fact const& one) {
    return {one.process, one.worker};
}

struct in_queue {
    bool asks_replicas = false;
    moment asked{0};
    moment entered = never; ///< by then; never: it does not wait in the queue
    moment until = never;
};

/// Of one lock, in one process or in all.
class queue {
public:
    void asks(fact const& one) { waiting_[who(one)] = {one.yes, one.when, one.most, one.until}; }
    void leaves(fact const& one) {
        auto const mine = waiting_.extract(who(one));
        if (!mine || !mine.mapped().asks_replicas) return;
        last_ = who(one); // it may have had the lock, unconfirmed
        gives_back(one);
    }
    void gives_back(fact const& one) { given_back_[who(one)] = one.when; }

    /// The worker that has waited longer and is overtaken, and should not be.
    std::optional<someone> takes(fact const& one, order_rules const& rules) {
        auto const mine = waiting_.extract(who(one));
        bool const again = last_ == who(one);
        last_ = who(one);
        if (!mine || mine.mapped().entered == never) return std::nullopt; // a try may overtake
        auto const asked = mine.mapped().asked;
        auto const given_back = given_back_.find(who(one));
        bool const barges = again && given_back != given_back_.end() && asked - given_back->second <= rules.barging
                            && one.when - asked <= rules.barging;
        retakes_ = barges ? retakes_ + 1 : 0;
        if (barges && retakes_ <= rules.most_retakes) return std::nullopt;
        for (auto const& [other, what] : waiting_)
            if (what.entered < asked - rules.arrival && what.until > one.when + rules.leaving) return other;
        return std::nullopt;
    }

private:
    std::map<someone, in_queue> waiting_;
    std::map<someone, moment> given_back_;
    std::optional<someone> last_;
    int retakes_ = 0;
};

/// Its wait ends without the lock, soon after all[at]: its attempt has failed, and its thread is about to see that.
bool leaves_soon(history const& all, std::size_t at, someone const& waiter, order_rules const& rules) {
    auto const& taken = all[at];
    for (auto i = at + 1; i < all.size() && all[i].when <= taken.when + rules.leaving; ++i) {
        auto const& one = all[i];
        if (who(one) != waiter || one.lock != taken.lock) continue;
        if (one.what == kind::acquired) return false;
        if (one.what == kind::not_acquired) return true;
    }
    return false;
}

} // namespace

std::optional<violation> check_order(history const& all, order_rules const& rules) {
    std::map<std::pair<int, int>, queue> queues; // by process, unless all of them have one, and lock
    bool quiet = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        if (one.what == kind::quiet) quiet = true;
        if (one.what == kind::fault) quiet = false;
        // Whoever cannot ask for a while may lose its place in a queue on the server.
        if (rules.across_processes && (one.what == kind::fault || one.what == kind::quiet)) queues.clear();
        auto& here = queues[{rules.across_processes ? 0 : one.process, one.lock}];
        if (one.what == kind::asked) here.asks(one);
        if (one.what == kind::not_acquired) here.leaves(one);
        if (one.what == kind::released || one.what == kind::releasing) here.gives_back(one);
        if (one.what != kind::acquired) continue;
        auto const overtaken = here.takes(one, rules);
        if (quiet && overtaken && !leaves_soon(all, i, *overtaken, rules))
            return make("order", i,
                        "worker " + std::to_string(one.worker) + " of process " + std::to_string(one.process)
                            + " has the lock before worker " + std::to_string(overtaken->second)
                            + (rules.across_processes ? " of process " + std::to_string(overtaken->first) : "")
                            + ", which has waited for longer");
    }
    return std::nullopt;
}

} // namespace redlatch::sim
