#include "sim/check/checkers.hpp"

#include "sim/check/promises.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace redlatch::sim {
namespace {

using kind = fact::kind;

} // namespace

std::optional<violation> check_exclusion(history const& all) {
    promises sure;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        if (one.what == kind::believes && one.believed != belief::lost && sure.kept(one))
            return make("exclusion", i,
                        one.owner + " still believes that it holds the lock that somebody else acquires now");
        sure.see(one);
    }
    return std::nullopt;
}

std::optional<violation> check_notice(history const& all) {
    promises sure;
    std::set<int> stopped;
    std::map<int, moment> went_on;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        if (one.what == kind::stopped) stopped.insert(one.process);
        if (one.what == kind::went_on) {
            stopped.erase(one.process);
            went_on[one.process] = one.when;
        }
        // A process that was stopped until a moment ago may not have come to it.
        auto const looked = went_on.find(one.process);
        bool const awake = !stopped.contains(one.process)
                           && (looked == went_on.end() || one.when - looked->second > moment(20'000'000));
        if (one.what == kind::believes && one.believed == belief::lost && !one.yes && awake && sure.kept(one))
            return make("notice", i, one.owner + " was not told of its loss before somebody else acquired the lock");
        sure.see(one);
    }
    return std::nullopt;
}

std::optional<violation> check_deadlines(history const& all, moment slack) {
    struct deadline {
        moment when;
        moment confirming;
    };
    std::map<std::pair<int, int>, deadline> deadlines;
    std::map<int, moment> went_on;
    std::set<int> stopped;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        auto const who = std::pair(one.process, one.worker);
        if (one.what == kind::stopped) stopped.insert(one.process);
        if (one.what == kind::went_on) {
            stopped.erase(one.process);
            went_on[one.process] = one.when;
        }
        if (one.what == kind::asked) deadlines[who] = {one.until, one.confirming};
        if (one.what != kind::not_acquired && one.what != kind::acquired) continue;
        auto const found = deadlines.find(who);
        // A stopped process returns from nothing; if it dies so, it never will.
        if (found == deadlines.end() || found->second.when == never || stopped.contains(one.process)) continue;
        auto allowed = found->second.when;
        if (auto const again = went_on.find(one.process); again != went_on.end())
            allowed = std::max(allowed, again->second + found->second.confirming);
        if (one.when > allowed + slack)
            return make("deadlines", i,
                        "a wait ended " + std::to_string((one.when - allowed).count() / 1'000'000)
                            + " ms after its deadline");
        deadlines.erase(found);
    }
    return std::nullopt;
}

std::optional<violation> check_wakeups(history const& all, moment patience, moment after_expiry) {
    bool quiet = false;
    std::map<int, moment> free_since;
    std::map<int, moment> readable_since; // free, or held by those who share it
    std::set<std::pair<int, int>> readers;
    std::map<int, moment> excused;
    std::map<std::pair<int, int>, std::pair<int, moment>> waiting; // who -> lock, since
    // While somebody of one's own process believes in a hold, one waits for that one's release.
    std::map<std::pair<int, int>, std::set<std::string>> at_home; // process and lock -> owners
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        auto const who = std::pair(one.process, one.worker);
        switch (one.what) {
        case kind::quiet: quiet = true; break;
        case kind::fault: quiet = false; break;
        case kind::asked:
            waiting[who] = {one.lock, one.when};
            if (one.shared) readers.insert(who);
            break;
        case kind::acquired: at_home[{one.process, one.lock}].insert(one.owner); [[fallthrough]];
        case kind::not_acquired:
            waiting.erase(who);
            readers.erase(who);
            break;
        case kind::told_lost:
        case kind::releasing:
        case kind::left:
            if (at_home[{one.process, one.lock}].erase(one.owner) > 0) // from here on the others of this process ask
                for (auto& [waiter, what] : waiting)
                    if (waiter.first == one.process && what.first == one.lock) what.second = one.when;
            break;
        case kind::unpromised:
            if (one.until != never) excused[one.lock] = std::max(excused[one.lock], one.until);
            break;
        case kind::in_key:
            if (!one.yes && one.text == "expired" && after_expiry > moment(0))
                excused[one.lock] = std::max(excused[one.lock], one.when + after_expiry);
            break;
        case kind::probe: {
            if ((one.yes && !one.shared) || !quiet)
                readable_since.erase(one.lock);
            else
                readable_since.try_emplace(one.lock, one.when);
            for (auto const& reader : readers)
                if (waiting[reader].first == one.lock && readable_since.contains(one.lock)
                    && one.when - std::max(readable_since[one.lock], waiting[reader].second) > patience
                    && (!excused.contains(one.lock) || one.when >= excused[one.lock] + patience))
                    return make("wake-ups", i,
                                "worker " + std::to_string(reader.second) + " of process "
                                    + std::to_string(reader.first) + " waits to read a lock that nobody writes");
            if (one.yes || !quiet) {
                free_since.erase(one.lock);
                break;
            }
            auto const since = free_since.try_emplace(one.lock, one.when).first->second;
            if (excused.contains(one.lock) && one.when < excused[one.lock] + patience) break;
            for (auto const& [waiter, what] : waiting)
                if (what.first == one.lock && one.when - since > patience && one.when - what.second > patience
                    && at_home[{waiter.first, one.lock}].empty())
                    return make("wake-ups", i,
                                "worker " + std::to_string(waiter.second) + " of process "
                                    + std::to_string(waiter.first)
                                    + " waits for a lock that has been free for a while");
            break;
        }
        case kind::missed:
        case kind::returned:
        case kind::forced:
        case kind::believes:
        case kind::released:
        case kind::probe_hold:
        case kind::orphan:
        case kind::stopped:
        case kind::went_on:
        case kind::leftover:
        case kind::unfinished:
        case kind::renewal:
        case kind::reentered:
        case kind::answered:
        case kind::closing:
        case kind::wants_permits:
        case kind::took_permits:
        case kind::took_none:
        case kind::gives_permits:
        case kind::gave_permits:
        case kind::permits_there:
        case kind::awaits_zero:
        case kind::went_through:
        case kind::counts_down:
        case kind::counted_down:
        case kind::sets_count:
        case kind::has_set_count:
        case kind::count_there:
        case kind::watches:
        case kind::sees_leader:
        case kind::wants_all:
        case kind::has_all:
        case kind::believes_majority:
        case kind::probe_majority:
        case kind::confirmed:
        case kind::too_few:
        case kind::outdated:
        case kind::traffic: break;
        }
    }
    return std::nullopt;
}

std::optional<violation> check_silent_loss(history const& all, moment patience) {
    std::map<place, moment> missing_since;
    std::set<place> fixed;
    std::set<place> excused;
    bool quiet = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        if (one.what == kind::quiet) quiet = true;
        if (one.what == kind::fault) quiet = false;
        auto const key = place(one.lock, one.owner);
        if (one.what == kind::acquired && !one.yes) fixed.insert(key);
        if (one.what == kind::unpromised && !one.yes) {
            excused.insert(key); // it may be about to learn that it acquired
            for (auto const& each : fixed)
                if (each.first == one.lock) excused.insert(each);
        }
        if (one.what == kind::released || one.what == kind::left || one.what == kind::told_lost)
            missing_since.erase(key);
        if (one.what != kind::probe_hold) continue;
        if (one.yes || !quiet || (fixed.contains(key) && excused.contains(key))) {
            missing_since.erase(key);
            continue;
        }
        auto const since = missing_since.try_emplace(key, one.when).first->second;
        if (one.when - since > patience)
            return make("silent loss", i, one.owner + " believes in a hold that the server does not know");
    }
    return std::nullopt;
}

std::optional<violation> check_orphans(history const& all, moment patience) {
    std::map<place, std::pair<moment, moment>> seen; // first and last time
    std::set<place> excused;
    bool quiet = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        if (one.what == kind::quiet) quiet = true;
        if (one.what == kind::fault) quiet = false;
        if (one.what == kind::returned && !one.yes) excused.insert({one.lock, one.owner});
        if (one.what != kind::orphan || !quiet || excused.contains({one.lock, one.owner})) continue;
        auto const [at, fresh] = seen.try_emplace({one.lock, one.owner}, one.when, one.when);
        auto& [first, last] = at->second;
        if (!fresh && one.when - last > moment(300'000'000)) first = one.when; // it was gone in between
        last = one.when;
        if (last - first > patience)
            return make("orphans", i, one.owner + " holds the lock on the server, and nobody knows of it");
    }
    return std::nullopt;
}

std::optional<violation> check_freshness(history const& all, moment slack) {
    std::map<int, moment> went_on;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        if (one.what == kind::went_on) went_on[one.process] = one.when;
        if (one.what != kind::acquired || one.until == never) continue;
        // A process that was stopped may have had the hold before.
        auto const again = went_on.find(one.process);
        if (again != went_on.end() && one.when - again->second <= slack) continue;
        if (one.when > one.until + slack)
            return make("freshness", i,
                        one.owner + " was given a hold that had ended "
                            + std::to_string((one.when - one.until).count() / 1'000'000) + " ms before");
    }
    return std::nullopt;
}

std::optional<violation> check_renewals(history const& all, moment patience) {
    struct end {
        int process;
        moment when;
    };
    std::map<std::string, end> ended;
    std::map<std::string, std::set<int>>
        holders; // one after the other; the next may be noted before the former has returned
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        if (one.what == kind::acquired) {
            holders[one.owner].insert(one.worker);
            ended.erase(one.owner);
        }
        if (one.what == kind::released || one.what == kind::told_lost) {
            holders[one.owner].erase(one.worker);
            if (holders[one.owner].empty()) ended.try_emplace(one.owner, end{one.process, one.when});
        }
        if (one.what == kind::went_on) // with bytes that it could not write before it was stopped
            for (auto& [owner, former] : ended)
                if (former.process == one.process) former.when = one.when;
        if (one.what != kind::renewal) continue;
        auto const found = ended.find(one.owner);
        if (found != ended.end() && one.when - found->second.when > patience)
            return make("renewals", i, one.owner + " is renewed although its hold has ended");
    }
    return std::nullopt;
}

std::optional<violation> check_renewal_rate(history const& all, std::size_t most) {
    constexpr moment window{100'000'000};
    std::map<std::pair<place, int>, std::deque<moment>> latest; // one after the other have the same owner
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        if (one.what != kind::renewal) continue;
        auto& of_hold = latest[{{one.lock, one.owner}, one.process}];
        of_hold.push_back(one.when);
        while (one.when - of_hold.front() > window) of_hold.pop_front();
        if (of_hold.size() > most)
            return make("renewal_rate", i,
                        one.owner + " is renewed more than " + std::to_string(most) + " times in 100 ms");
    }
    return std::nullopt;
}

std::optional<violation> check_max_hold(history const& all, moment slack) {
    std::map<place, moment> ends;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        if (one.what == kind::acquired) ends[{one.lock, one.owner}] = one.most;
        bool const believed =
            one.what == kind::probe_hold || (one.what == kind::believes && one.believed != belief::lost);
        if (!believed) continue;
        auto const found = ends.find({one.lock, one.owner});
        if (found != ends.end() && found->second != never && one.when > found->second + slack)
            return make("max_hold", i, one.owner + " believes in its hold beyond max_hold");
    }
    return std::nullopt;
}

std::optional<violation> check_tokens(history const& all) {
    std::map<int, std::uint64_t> greatest;
    std::map<place, std::uint64_t> first;
    std::set<place> ended; // by force or with its server, perhaps before it is known here that it was acquired
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        if (one.what == kind::unpromised || one.what == kind::missed) greatest.clear();
        if ((one.what == kind::unpromised || one.what == kind::missed) && !one.owner.empty())
            ended.insert({one.lock, one.owner});
        if (!one.token) continue;
        if (one.what == kind::reentered && first.contains({one.lock, one.owner})
            && *one.token != first[{one.lock, one.owner}])
            return make("tokens", i, one.owner + " enters again with another token, " + std::to_string(*one.token));
        if (one.what != kind::acquired) continue;
        first[{one.lock, one.owner}] = *one.token;
        if (ended.contains({one.lock, one.owner})) continue;
        auto& before = greatest[one.lock];
        if (*one.token <= before)
            return make("tokens", i,
                        one.owner + " acquires with token " + std::to_string(*one.token) + ", and there was "
                            + std::to_string(before));
        before = *one.token;
    }
    return std::nullopt;
}

std::optional<violation> check_needless_loss(history const& all, moment patience, bool always) {
    promises sure;
    std::set<place> renewed;
    moment calm_since = never;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        auto const key = place(one.lock, one.owner);
        if (one.what == kind::quiet) calm_since = one.when;
        if (one.what == kind::fault) calm_since = never;
        if (one.what == kind::acquired) one.yes ? void(renewed.insert(key)) : void(renewed.erase(key));
        if (one.what == kind::told_lost && renewed.contains(key) && sure.kept(one)
            && (always || (calm_since != never && one.when > calm_since + patience)))
            return make("needless loss", i, one.owner + " has lost a hold although it could be renewed");
        sure.see(one);
    }
    return std::nullopt;
}

std::optional<violation> check_reentry(history const& all) {
    std::set<place> missed; // they are where nobody else looks
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        if (one.what == kind::missed) missed.insert({one.lock, one.owner});
        if (one.what == kind::reentered && !one.yes && !missed.contains({one.lock, one.owner}))
            return make("re-entry", i, one.owner + " entered again a lock that it does not hold");
    }
    return std::nullopt;
}

std::optional<violation> check_turns(history const& all, moment window) {
    // For the server, all who handed the lock off to each other are one owner.
    std::map<place, std::optional<moment>> passed_since;
    bool quiet = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        if (one.what == kind::quiet) quiet = true;
        if (one.what == kind::fault) quiet = false;
        if (one.what != kind::acquired) continue;
        auto const [at, first] = passed_since.try_emplace({one.lock, one.owner});
        if (first) continue;
        if (!at->second) at->second = one.when;
        if (quiet && one.when - *at->second > window)
            return make("turns", i,
                        one.owner + " has been handed off for "
                            + std::to_string((one.when - *at->second).count() / 1'000'000)
                            + " ms without a turn for other processes");
    }
    return std::nullopt;
}

std::optional<violation> check_progress(history const& all) {
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].what == kind::unfinished) return make("progress", i, all[i].text);
    return std::nullopt;
}

std::optional<violation> check_leftovers(history const& all) {
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].what == kind::leftover) return make("leftovers", i, all[i].text);
    return std::nullopt;
}

std::optional<violation> check_honesty(history const& all) {
    promises sure;
    using holder =
        std::pair<place, int>;   // and its worker: those who hand a lock off to each other have one owner in turn
    std::set<holder> taken_over; // somebody else has had the lock since, while this hold was not released
    struct hold {
        bool releasing = false;
        bool shared = false;
    };
    std::map<holder, hold> open;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        auto const key = holder(place(one.lock, one.owner), one.worker);
        if (one.what == kind::acquired) {
            for (auto const& [other, had] : open) {
                auto const& [where, worker] = other;
                bool const both = one.shared && (had.shared || worker == one.worker);
                if (where.first == one.lock && where != key.first && !had.releasing && !both
                    && one.believed != belief::lost && sure.kept(one))
                    taken_over.insert(other);
            }
            open[key] = {.shared = one.shared};
        }
        if (one.what == kind::releasing) open[key].releasing = true;
        if (one.what == kind::released && one.text.empty() && taken_over.contains(key) && sure.kept(one))
            return make("honesty", i, one.owner + " was told that it released a lock that somebody else had meanwhile");
        if (one.what == kind::released || one.what == kind::left) {
            open.erase(key);
            taken_over.erase(key);
        }
        sure.see(one);
    }
    return std::nullopt;
}

std::optional<violation> check(history const& all, patience const& how) {
    if (auto found = check_exclusion(all)) return found;
    if (auto found = check_notice(all)) return found;
    if (auto found = check_deadlines(all, how.deadline_slack)) return found;
    if (auto found = check_wakeups(all, how.wakeup, how.after_expiry)) return found;
    if (auto found = check_silent_loss(all, how.silent_loss)) return found;
    if (auto found = check_orphans(all, how.orphan)) return found;
    if (auto found = check_honesty(all)) return found;
    if (auto found = check_releases(all, how.releases)) return found;
    if (auto found = check_refusals(all, how.refusals)) return found;
    if (auto found = check_order(all, how.order)) return found;
    if (auto found = check_forced(all, how.forced)) return found;
    if (auto found = check_fairness(all, how.fair)) return found;
    if (auto found = check_freshness(all, how.deadline_slack)) return found;
    if (auto found = check_renewals(all, how.renewal)) return found;
    if (auto found = check_renewal_rate(all, how.renewals_in_a_row)) return found;
    if (auto found = check_max_hold(all, how.deadline_slack * 2)) return found;
    if (auto found = check_minimum_holds(all)) return found;
    if (auto found = check_needless_loss(all, how.needless_loss, how.nothing_is_lost)) return found;
    if (auto found = check_reentry(all)) return found;
    if (auto found = check_turns(all, how.turns)) return found;
    if (auto found = check_tokens(all)) return found;
    if (auto found = check_permits(all, how.permits)) return found;
    if (auto found = check_multi_locks(all, how.multi)) return found;
    if (auto found = check_majorities(all, how.majorities)) return found;
    if (auto found = check_latches(all, how.latches)) return found;
    if (auto found = check_observers(all, how.observers)) return found;
    if (auto found = check_confirmations(all, how.confirmations)) return found;
    if (auto found = check_progress(all)) return found;
    return check_leftovers(all);
}

} // namespace redlatch::sim
