// Red locks: several servers, the majority of which has to have a lock.
#include "sim/check/promises.hpp"

#include <bit>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace redlatch::sim {
namespace {

using kind = fact::kind;

int count_of(std::int64_t bits) {
    return std::popcount(static_cast<std::uint64_t>(bits));
}

int majority_of(std::int64_t bits) {
    return count_of(bits) / 2 + 1;
}

class majorities {
public:
    explicit majorities(majority_rules const& rules) : rules_(rules) {}

    /// What it shows to be wrong; empty: nothing.
    std::string see(fact const& one) {
        sure_.see(one);
        if (one.what == kind::quiet) quiet_ = true;
        if (one.what == kind::fault) quiet_ = false;
        if (one.what == kind::stopped) slow_until_[one.process] = never;
        if (one.what == kind::went_on) slow_until_[one.process] = one.when + late_after_a_stop;
        if (one.what == kind::acquired) owners_[one.worker % between_members][one.lock] = one.owner;
        if (one.what == kind::unpromised && !one.yes) by_hand(one);
        if (one.what == kind::wants_all) {
            owners_.erase(one.worker);
            missing_since_.erase(one.worker);
        }
        if (one.what == kind::has_all && one.said == answer::done) acquires_ = one.worker;
        if (one.what == kind::believes_majority) return on_belief(one);
        if (one.what == kind::probe_majority) return on_probe(one);
        return {};
    }

private:
    static constexpr moment late_after_a_stop{20'000'000};

    /// A holder with a lease of its own asks nobody.
    void by_hand(fact const& one) {
        if (!one.owner.empty()) removed_.insert({one.lock, one.owner});
        for (auto const& [worker, owners] : owners_)
            if (auto const found = owners.find(one.lock); found != owners.end())
                removed_.insert({one.lock, found->second});
    }

    /// How many of its members no server has forgotten.
    int promised(int worker) const {
        auto const found = owners_.find(worker);
        if (found == owners_.end()) return 0;
        int count = 0;
        for (auto const& [lock, owner] : found->second)
            count += sure_.kept({.what = kind::acquired, .lock = lock, .owner = owner}) ? 1 : 0;
        return count;
    }
    int promised(int worker, std::int64_t of) const {
        auto const found = owners_.find(worker);
        if (found == owners_.end()) return 0;
        int count = 0;
        for (auto const& [lock, owner] : found->second)
            if ((of >> lock & 1) != 0)
                count += sure_.kept({.what = kind::acquired, .lock = lock, .owner = owner}) ? 1 : 0;
        return count;
    }

    std::string on_belief(fact const& one) const {
        auto const needed = majority_of(one.amount);
        bool const other_is_sure = promised(acquires_) >= needed;
        if (one.believed != belief::lost) {
            if (count_of(one.taken) < needed) return "believes that it holds the majority, and believes in fewer";
            if (other_is_sure && promised(one.worker, one.taken) >= needed)
                return "still believes that it holds the majority that worker " + std::to_string(acquires_)
                       + " acquires now";
            return {};
        }
        auto const slow = slow_until_.find(one.process);
        bool const awake = slow == slow_until_.end() || slow->second < one.when;
        if (one.yes || !awake || !other_is_sure || promised(one.worker) < needed) return {};
        return "was not told of its loss before worker " + std::to_string(acquires_) + " acquired";
    }

    std::string on_probe(fact const& one) {
        auto there = count_of(one.taken);
        if (!one.yes) // it does not ask
            for (auto const& [lock, owner] : owners_[one.worker])
                if ((one.taken >> lock & 1) == 0 && removed_.contains({lock, owner})) ++there;
        if (!quiet_ || there >= majority_of(one.amount)) {
            missing_since_.erase(one.worker);
            return {};
        }
        auto const since = missing_since_.try_emplace(one.worker, one.when).first->second;
        if (one.when - since <= rules_.silent_loss) return {};
        return "believes that it holds the majority, and " + std::to_string(count_of(one.taken)) + " know of it";
    }

    majority_rules const& rules_;
    promises sure_;
    bool quiet_ = false;
    int acquires_ = -1;                                ///< the worker that has acquired last
    std::map<int, std::map<int, std::string>> owners_; ///< by worker and lock
    std::set<place> removed_;
    std::map<int, moment> missing_since_; ///< by worker
    std::map<int, moment> slow_until_;    ///< by process
};

} // namespace

std::optional<violation> check_majorities(history const& all, majority_rules const& rules) {
    if (!rules.judged) return std::nullopt;
    majorities seen(rules);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (auto const wrong = seen.see(all[i]); !wrong.empty())
            return make("majorities", i, "worker " + std::to_string(all[i].worker) + " " + wrong);
    return std::nullopt;
}

} // namespace redlatch::sim
