// What observers of an election are told, by the server's own history of who leads.
#include "sim/check/promises.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace redlatch::sim {
namespace {

using kind = fact::kind;

struct observer {
    int process;
    int lock;
    std::string known;
    bool asks; ///< and does not wait for a change
    moment since;
    moment until;
    std::set<std::string> led{};    ///< since it began; empty: nobody
    bool without_a_message = false; ///< a term has ended since so that it may not have heard of it
};

struct election {
    std::string leader{};
    moment since{0};
};

class watch {
public:
    explicit watch(observer_rules const& rules) : rules_(rules) {}

    /// What it shows to be wrong; empty: nothing.
    std::string see(fact const& one) {
        if (one.what == kind::stopped) slow_until_[one.process] = never;
        if (one.what == kind::went_on) slow_until_[one.process] = one.when + rules_.slack;
        if (one.what == kind::quiet) quiet_since_ = one.when;
        if (one.what == kind::fault) quiet_since_ = never;
        if (one.what == kind::left)
            std::erase_if(watching_, [&](auto const& each) { return each.second.process == one.process; });
        if (one.what == kind::unpromised || one.what == kind::missed)
            for (auto& [worker, who] : watching_) who.without_a_message = true;
        if (one.what == kind::outdated)
            for (auto& [worker, who] : watching_)
                if (who.process == one.process && who.lock == one.lock) who.led.insert(one.owner);
        if (one.what == kind::in_key) on_change(one);
        if (one.what == kind::watches)
            watching_[one.worker] = {
                one.process, one.lock, one.owner, one.yes, one.when, one.until, {elections_[one.lock].leader}};
        if (one.what == kind::sees_leader) return on_answer(one);
        if (one.what == kind::probe) return late(one);
        return {};
    }

private:
    void on_change(fact const& one) {
        auto& of = elections_[one.lock];
        if (one.yes)
            of = {one.owner, one.when};
        else if (of.leader == one.owner)
            of = {{}, one.when};
        for (auto& [worker, who] : watching_) {
            if (who.lock != one.lock) continue;
            who.led.insert(of.leader);
            who.without_a_message = who.without_a_message || (!one.yes && one.process < 0);
        }
    }

    std::string on_answer(fact const& one) {
        auto const mine = watching_.extract(one.worker);
        if (mine.empty()) return " is told what it has not asked for";
        auto const& how = mine.mapped();
        if (one.said == answer::done) {
            if (!how.led.contains(one.owner)) return " is told of a leader who did not lead meanwhile: " + one.owner;
            if (!how.asks && one.owner == how.known) return " is told of the leader that it knows";
            return {};
        }
        auto const slow = slow_until_.find(one.process);
        bool const excused = slow != slow_until_.end() && slow->second >= how.until;
        return how.until == never || excused || one.when <= how.until + rules_.slack ? ""
                                                                                     : " waits beyond its deadline";
    }

    std::string late(fact const& one) const {
        if (quiet_since_ == never) return {};
        for (auto const& [worker, who] : watching_) {
            if (who.lock != one.lock || who.asks) continue;
            auto const& of = elections_.at(one.lock);
            auto const since = std::max({of.since, quiet_since_, who.since});
            auto const patience = rules_.patience + (who.without_a_message ? rules_.longest_lease : moment(0));
            if (of.leader != who.known && one.when - since > patience)
                return " of process " + std::to_string(who.process) + " (worker " + std::to_string(worker)
                       + ") has not been told of another leader for a while";
        }
        return {};
    }

    observer_rules const& rules_;
    mutable std::map<int, election> elections_;
    std::map<int, observer> watching_; ///< by worker
    std::map<int, moment> slow_until_;
    moment quiet_since_ = never;
};

} // namespace

std::optional<violation> check_observers(history const& all, observer_rules const& rules) {
    if (!rules.judged) return std::nullopt;
    watch seen(rules);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (auto const wrong = seen.see(all[i]); !wrong.empty())
            return make("observers", i,
                        (all[i].worker >= 0 ? "worker " + std::to_string(all[i].worker) : std::string("somebody"))
                            + wrong);
    return std::nullopt;
}

} // namespace redlatch::sim
