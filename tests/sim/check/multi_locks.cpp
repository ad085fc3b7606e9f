// Several locks that are taken as one, and values of a group that one script takes.
#include "sim/check/promises.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::sim {
namespace {

using kind = fact::kind;

struct waiter_for_all {
    int process;
    std::int64_t locks; ///< a bit for each
    moment since;
    moment until;
    bool in_quiet = true; ///< nothing has been wrong since then
};

/// Of one lock.
struct who_has_it {
    std::set<std::string> in_key{};
    moment free_since{0};                           ///< if nobody is in its key
    moment sleepers_until{-1};                      ///< whoever was not woken may sleep so long
    std::map<int, std::set<std::string>> at_home{}; ///< by process: who believes in a hold
    std::map<int, moment> home_since{};             ///< by process: when the last of them ceased to
};

class waits {
public:
    explicit waits(multi_rules const& rules) : rules_(rules) {}

    /// What it shows to be wrong; empty: nothing.
    std::string see(fact const& one) {
        if (one.what == kind::stopped) slow_until_[one.process] = never;
        if (one.what == kind::went_on) slow_until_[one.process] = one.when + rules_.slack;
        if (one.what == kind::quiet) quiet_since_ = one.when;
        if (one.what == kind::fault) on_fault();
        if (one.lock >= 0) change(locks_[one.lock], one);
        if (one.what == kind::left)
            std::erase_if(waiting_, [&](auto const& each) { return each.second.process == one.process; });
        if (one.what == kind::wants_all)
            waiting_[one.worker] = {one.process, one.amount, one.when, one.until, quiet_since_ != never};
        if (one.what == kind::has_all) return on_end(one);
        if (one.what == kind::probe) return on_probe(one);
        return {};
    }

private:
    void on_fault() {
        quiet_since_ = never;
        for (auto& [worker, who] : waiting_) who.in_quiet = false;
    }

    static void change(who_has_it& lock, fact const& one) {
        if (one.what == kind::in_key && one.yes) lock.in_key.insert(one.owner);
        if (one.what == kind::in_key && !one.yes) {
            lock.in_key.erase(one.owner);
            lock.free_since = std::max(lock.free_since, one.until);
        }
        if (one.what == kind::unpromised && one.until != never)
            lock.sleepers_until = std::max(lock.sleepers_until, one.until);
        if (one.what == kind::acquired) lock.at_home[one.process].insert(one.owner);
        if (one.what != kind::told_lost && one.what != kind::releasing && one.what != kind::left) return;
        if (lock.at_home[one.process].erase(one.owner) > 0) lock.home_since[one.process] = one.when;
    }

    /// Somebody has had one of its values since it asked, or its process believed so.
    bool met_somebody(waiter_for_all const& who) {
        constexpr moment end_of_a_lease{
            2'000'000}; // written down in whole milliseconds, too early rather than too late
        for (int i = 0; who.locks >> i != 0; ++i) {
            if ((who.locks >> i & 1) == 0) continue;
            auto const& lock = locks_[i];
            if (!lock.in_key.empty() || lock.free_since + end_of_a_lease >= who.since) return true;
            auto const home = lock.at_home.find(who.process);
            if (home != lock.at_home.end() && !home->second.empty()) return true;
            auto const ended = lock.home_since.find(who.process);
            if (ended != lock.home_since.end() && ended->second >= who.since) return true;
        }
        return false;
    }

    /// What an end without them must not say.
    std::string on_refusal(fact const& one, waiter_for_all const& who) {
        constexpr moment time_for_an_answer{6'000'000};
        if (!who.in_quiet) return {};
        bool const says_held =
            one.said == answer::busy || (one.said == answer::timed_out && one.when - who.since >= time_for_an_answer);
        if (says_held && rules_.hears_messages && !met_somebody(who))
            return "says that values are held, and nobody had them";
        bool const says_failed = one.said == answer::refused || one.said == answer::outcome_unknown
                                 || one.said == answer::lost || one.said == answer::other;
        return says_failed && !rules_.rights_missing ? "says: " + one.text : std::string();
    }

    std::string on_end(fact const& one) {
        auto const mine = waiting_.extract(one.worker);
        if (mine.empty()) return "ends a wait that it has not begun";
        if (one.said == answer::done)
            return enough(one.taken, one.amount) ? "" : "has acquired several locks as one, and not all of them";
        if (rules_.of_a_group)
            if (auto wrong = on_refusal(one, mine.mapped()); !wrong.empty()) return wrong;
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
            auto since = std::max({quiet_since_, who.since, enough_free_since(who), unwoken_until(who)});
            if (rules_.of_a_group || !rules_.can_ask) since = std::max(since, asks_since(who));
            if (one.when - since > rules_.wakeup)
                return "worker " + std::to_string(worker) + " waits for locks "
                       + (rules_.majority ? "the majority of which has" : "all of which have")
                       + " been free for a while";
        }
        return {};
    }

    std::size_t needed(std::int64_t locks) const {
        auto const all = static_cast<std::size_t>(std::popcount(static_cast<std::uint64_t>(locks)));
        return rules_.majority ? all / 2 + 1 : all;
    }
    bool enough(std::int64_t taken, std::int64_t locks) const {
        auto const count = static_cast<std::size_t>(std::popcount(static_cast<std::uint64_t>(taken)));
        return (taken & ~locks) == 0 && count >= needed(locks);
    }
    /// Never: not so many are.
    moment enough_free_since(waiter_for_all const& who) const {
        std::vector<moment> free;
        for (auto const& [bit, since] : free_since_)
            if ((who.locks & bit) != 0) free.push_back(since);
        if (free.size() < needed(who.locks)) return never;
        std::sort(free.begin(), free.end());
        return free[needed(who.locks) - 1];
    }

    /// A lock that was removed by hand is free, and nobody who waits for it knows.
    moment unwoken_until(waiter_for_all const& who) {
        moment last{-1};
        for (int i = 0; who.locks >> i != 0; ++i)
            if ((who.locks >> i & 1) != 0) last = std::max(last, locks_[i].sleepers_until);
        return last;
    }

    /// Since when nothing has kept it from asking the server; never: something does.
    moment asks_since(waiter_for_all const& who) {
        moment since{-1};
        for (int i = 0; who.locks >> i != 0; ++i) {
            if ((who.locks >> i & 1) == 0) continue;
            auto& lock = locks_[i];
            if (!lock.at_home[who.process].empty()) return never;
            since = std::max(since, lock.home_since[who.process]);
        }
        return since;
    }

    multi_rules const& rules_;
    std::map<int, who_has_it> locks_;
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
