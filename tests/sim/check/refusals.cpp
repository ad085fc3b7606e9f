// What an acquisition that did not bring the lock may say, by who has had the lock, and by what the server has answered.
#include "sim/check/promises.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace redlatch::sim {
namespace {

using kind = fact::kind;

constexpr moment longest_yield = std::chrono::milliseconds(5);

/// Since when nobody has had a lock; never: somebody has it.
struct possession {
    std::set<std::string> in_key{};
    std::map<int, int> at_home{};          ///< how many of a process believe in a hold
    moment free_since = moment::min() / 2; // never held
    std::map<int, moment> home_since{};    ///< since when nobody of a process has had it
    /// By owner, the process that has released it without waiting for the answer, and has the lock until that is executed.
    std::map<std::string, int> being_released{};
    moment asleep_until{0}; ///< removed by hand, which wakes nobody: waiters sleep until then

    bool is_being_released_by(int process) const {
        return std::any_of(being_released.begin(), being_released.end(),
                           [process](auto const& one) { return one.second == process; });
    }
    bool held_since(moment when) const { return !in_key.empty() || free_since >= when; }
    bool held_at_home_since(int process, moment when) const {
        auto const now = at_home.find(process);
        if (now != at_home.end() && now->second > 0) return true;
        auto const ended = home_since.find(process);
        return ended != home_since.end() && ended->second > when;
    }
};

struct wait {
    moment asked{0};
    moment until = never;
    bool in_quiet = false;
};

class judging {
public:
    explicit judging(refusal_rules const& rules) : rules_(rules) {}

    void see(fact const& one) {
        auto const who = std::pair(one.process, one.worker);
        if (one.what == kind::quiet) quiet_ = true;
        if (one.what == kind::closing) closing_.insert(one.process);
        if (one.what == kind::asked) waits_[who] = {one.when, one.until, quiet_};
        if (one.what == kind::unpromised && one.until != never) {
            auto& asleep = locks_[one.lock].asleep_until;
            asleep = std::max(asleep, one.until);
        }
        if (one.what == kind::answered) answered_[{one.process, one.lock}].emplace_back(one.when, one.yes);
        if (one.what == kind::in_key || one.what == kind::acquired || one.what == kind::released
            || one.what == kind::told_lost || one.what == kind::left)
            change(locks_[one.lock], one);
        if (one.what != kind::fault) return;
        quiet_ = false;
        for (auto& [waiter, what] : waits_) what.in_quiet = false;
    }

    std::string judge(fact const& one) {
        auto const found = waits_.find({one.process, one.worker});
        if (found == waits_.end() || one.said == answer::done) return {};
        auto const& what = found->second;
        auto const& lock = locks_[one.lock];
        bool const held_here = lock.held_at_home_since(one.process, what.asked);
        switch (one.said) {
        case answer::busy:
        case answer::timed_out:
            // Another connection may have failed, and the one that is asked does not know yet.
            if (one.until < what.asked && !held_here && !lock.is_being_released_by(one.process)
                && (one.said == answer::busy || one.when - what.asked >= rules_.long_wait))
                return "says that the lock was held, though its process was cut off all the time";
            if (one.said == answer::timed_out && one.when - what.asked < rules_.hearing) return {}; // too short
            if (one.said == answer::timed_out && one.when < lock.asleep_until + rules_.long_wait)
                return {}; // it waits behind one who sleeps
            // For that long a process leaves a free lock to others after its turn, and its waiters wait.
            if (!what.in_quiet || !rules_.hears_messages || held_here || lock.held_since(what.asked - longest_yield))
                return {};
            return "says that the lock was held, and nobody had it";
        case answer::disconnected:
            if (!what.in_quiet) return {};
            if (held_here) return "says that the server did not answer, while its own process had the lock";
            if (was_answered(one, what.asked)) return "says that the server did not answer, which did";
            if (one.when - what.asked > rules_.long_wait) return "says that the server did not answer, in quiet times";
            return {};
        case answer::cancelled:
            if (one.when >= what.until) return {};
            return "says that it was cancelled, and nobody did that";
        case answer::closed:
            if (closing_.contains(one.process)) return {};
            return "says that its client was closed, and nobody did that";
        case answer::refused:
            if (rules_.nothing_refused) return "says: " + one.text;
            [[fallthrough]];
        case answer::outcome_unknown:
        case answer::lost:
        case answer::other:
            if (!what.in_quiet || rules_.rights_missing) return {};
            return "says: " + one.text;
        case answer::done:
        case answer::not_replicated: // see check_confirmations
        case answer::untold: break;
        }
        return {};
    }

private:
    void change(possession& lock, fact const& one) {
        auto const who = std::pair(one.process, one.worker);
        if (one.what == kind::in_key && one.yes) lock.in_key.insert(one.owner);
        if (one.what == kind::in_key && !one.yes) {
            lock.in_key.erase(one.owner);
            lock.being_released.erase(one.owner);
            lock.free_since = std::max(lock.free_since, one.until);
        }
        if (one.what == kind::released && one.said == answer::untold) lock.being_released[one.owner] = one.process;
        if (one.what == kind::acquired && holders_.insert(who).second) ++lock.at_home[one.process];
        if (one.what != kind::in_key && one.what != kind::acquired && holders_.erase(who) > 0) {
            --lock.at_home[one.process];
            lock.home_since[one.process] = one.when;
        }
    }

    /// In time for the waiter to hear of it.
    bool was_answered(fact const& one, moment since) {
        auto const& all = answered_[{one.process, one.lock}];
        return std::any_of(all.begin(), all.end(), [&](auto const& each) {
            return each.second && each.first >= since && each.first + rules_.hearing <= one.when;
        });
    }

    refusal_rules const rules_;
    bool quiet_ = false;
    std::map<int, possession> locks_;
    std::set<std::pair<int, int>> holders_; ///< processes and workers
    std::map<std::pair<int, int>, wait> waits_;
    std::map<std::pair<int, int>, std::vector<std::pair<moment, bool>>> answered_;
    std::set<int> closing_;
};

} // namespace

std::optional<violation> check_refusals(history const& all, refusal_rules const& rules) {
    judging by(rules);
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        if (one.what == kind::not_acquired)
            if (auto text = by.judge(one); !text.empty())
                return make("refusals", i,
                            "worker " + std::to_string(one.worker) + " of process " + std::to_string(one.process) + " "
                                + text);
        by.see(one);
    }
    return std::nullopt;
}

} // namespace redlatch::sim
