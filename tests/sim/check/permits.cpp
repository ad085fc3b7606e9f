// Permits of semaphores.
#include "sim/check/checkers.hpp"
#include "sim/check/promises.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace redlatch::sim {
namespace {

using kind = fact::kind;

struct wish {
    int process;
    std::int64_t amount;
    moment until;
    bool asks_replicas; ///< it may have them already, and wait for these
};

/// What is known of one semaphore.
struct account {
    std::int64_t out = 0;             ///< taken, and not being given back
    std::int64_t unsure = 0;          ///< of requests of which nobody knows what became
    bool changed_by_others = false;   ///< an administrator has set it, or data were lost
    bool torn = false;                ///< another server has a part of what was taken and given, or of its keys
    std::map<int, wish> waiting{};    ///< by worker
    moment could_be_served_since{-1}; ///< all who wait, by what the server has
};

std::string in_words(std::int64_t permits) {
    return std::to_string(permits) + (permits == 1 ? " permit" : " permits");
}

class bookkeeping {
public:
    bookkeeping(permit_rules const& rules, history const& all) : rules_(rules) {
        for (auto const& one : all)
            if (one.what == kind::fault) first_fault_ = std::min(first_fault_, one.when);
    }

    /// What it shows to be wrong; empty: nothing.
    std::string see(fact const& one) {
        auto const what = one.what;
        auto& of = accounts_[one.lock];
        if (what == kind::stopped) slow_until_[one.process] = never;
        if (what == kind::went_on) slow_until_[one.process] = one.when + rules_.slack;
        if (what == kind::quiet) quiet_ = true;
        if (what == kind::left) on_death(one.process);
        if (what == kind::unpromised) on_unpromised(one.lock);
        if (what == kind::missed && one.owner.empty()) of.changed_by_others = of.torn = true;
        if (what == kind::wants_permits) of.waiting[one.worker] = {one.process, one.amount, one.until, one.yes};
        if (what == kind::took_permits) return on_taken(one, of);
        if (what == kind::took_none) return on_none(one, of);
        if (what == kind::gives_permits) give(one, of);
        if (what == kind::gave_permits) {
            giving_.erase(one.worker);
            if (one.said != answer::done && !rules_.leased) of.unsure += one.amount;
        }
        if (what == kind::permits_there) return on_count(one, of);
        return {};
    }

private:
    void on_unpromised(int lock) {
        for (auto& [number, each] : accounts_)
            if (lock < 0 || number == lock) each.changed_by_others = true;
        if (lock < 0) all_changed_ = true;
    }
    void on_death(int process) {
        for (auto& [number, each] : accounts_)
            std::erase_if(each.waiting, [&](auto const& waiter) { return waiter.second.process == process; });
    }
    bool trusted(account const& of) const { return rules_.kept && !of.changed_by_others && !all_changed_; }

    std::string late(fact const& one, account& of) {
        auto const asked = of.waiting.find(one.worker);
        if (asked == of.waiting.end()) return "ends a wait that it has not begun";
        auto const until = asked->second.until;
        of.waiting.erase(asked);
        auto const slow = slow_until_.find(one.process);
        bool const excused = slow != slow_until_.end() && slow->second >= until;
        if (until == never || excused || one.when <= until + rules_.slack) return {};
        return "waits beyond its deadline";
    }
    std::string on_taken(fact const& one, account& of) {
        late(one, of); // that it got what it wanted, a little late, is no harm
        of.could_be_served_since = moment(-1);
        if (!rules_.leased) of.out += one.amount;
        if (trusted(of) && of.out > rules_.in_all)
            return "there are " + in_words(rules_.in_all) + " in all, and " + in_words(of.out) + " are taken";
        return {};
    }
    std::string on_none(fact const& one, account& of) {
        bool const unknown = one.said == answer::outcome_unknown;
        bool const interrupted = one.said == answer::timed_out || one.said == answer::cancelled
                                 || one.said == answer::disconnected || one.said == answer::closed;
        // While nothing is wrong the answer comes after all, and what was taken is given back.
        bool const broken = first_fault_ < one.when + std::chrono::seconds(1);
        if (!rules_.leased && (unknown || (interrupted && broken && !rules_.exactly_once))) of.unsure += one.amount;
        if (unknown && rules_.exactly_once) return "a request with a record ends without an outcome";
        of.could_be_served_since = moment(-1);
        return late(one, of);
    }
    /// Again and again, until it is done.
    void give(fact const& one, account& of) {
        if (!rules_.leased && giving_[one.worker] != one.lock + 1) of.out -= one.amount;
        giving_[one.worker] = one.lock + 1;
    }
    /// Nothing changes how many there are but the server's own death.
    std::string on_leased_count(fact const& one, account const& of) const {
        bool const whole = one.amount >= 0 && one.amount + one.taken == rules_.in_all;
        if ((whole || of.torn) && (!one.yes || one.taken == 0)) return {};
        return "there are " + in_words(rules_.in_all) + " in all, and the server has " + in_words(one.amount) + " and "
               + std::to_string(one.taken) + " taken" + (one.yes ? " in the end" : "");
    }
    std::string on_count(fact const& one, account& of) {
        if (rules_.leased)
            if (auto wrong = on_leased_count(one, of); !wrong.empty() || one.yes) return wrong;
        if (trusted(of) && one.amount + of.out > rules_.in_all)
            return "there are " + in_words(rules_.in_all) + " in all, and the server has " + in_words(one.amount)
                   + " although " + in_words(of.out) + " are taken";
        if (one.yes) return on_end(one, of);
        auto const& wishes = of.waiting;
        bool const servable =
            quiet_ && !wishes.empty() && std::all_of(wishes.begin(), wishes.end(), [&](auto const& w) {
                return w.second.amount <= one.amount && !w.second.asks_replicas;
            });
        if (!servable) of.could_be_served_since = moment(-1);
        if (servable && of.could_be_served_since < moment(0)) of.could_be_served_since = one.when;
        if (servable && one.when - of.could_be_served_since > rules_.wakeup)
            return "somebody waits for permits that have been there for a while";
        return {};
    }
    std::string on_end(fact const& one, account const& of) const {
        if (!trusted(of)) return {};
        auto const least = rules_.in_all - of.unsure;
        if (one.amount >= least && one.amount <= rules_.in_all) return {};
        return "in the end the server has " + in_words(one.amount) + " of " + std::to_string(rules_.in_all)
               + ", and what became of " + std::to_string(of.unsure) + " is not known";
    }

    permit_rules const& rules_;
    std::map<int, account> accounts_;
    std::map<int, moment> slow_until_;
    std::map<int, int> giving_; ///< by worker: the semaphore, from 1
    moment first_fault_ = never;
    bool quiet_ = false;
    bool all_changed_ = false;
};

} // namespace

std::optional<violation> check_permits(history const& all, permit_rules const& rules) {
    if (rules.in_all == 0) return std::nullopt;
    bookkeeping books(rules, all);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (auto const wrong = books.see(all[i]); !wrong.empty())
            return make("permits", i,
                        (all[i].worker >= 0 ? "worker " + std::to_string(all[i].worker) + ": " : std::string())
                            + wrong);
    return std::nullopt;
}

} // namespace redlatch::sim
