// Fairness between processes, and what waiting costs: figures of the quiet times of a history, and their bounds.
#include "sim/check/promises.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace redlatch::sim {
namespace {

using kind = fact::kind;

/// One lock, as the processes have it one after the other.
class turns {
public:
    void asks(fact const& one) {
        if (one.most == never && !one.waits) return; // a try does not wait for its turn
        auto& mine = waiting_[one.process];
        if (mine.workers.empty()) mine = {one.when, turns_, {}};
        mine.workers.insert(one.worker);
    }
    void leaves(fact const& one) {
        auto const found = waiting_.find(one.process);
        if (found != waiting_.end() && found->second.workers.erase(one.worker) > 0 && found->second.workers.empty())
            waiting_.erase(found);
    }
    void takes(fact const& one, moment slice, fairness& into, std::size_t at) {
        leaves(one);
        bool const others_wait = std::any_of(waiting_.begin(), waiting_.end(), [&](auto const& other) {
            return other.first != one.process && other.second.since < last_;
        });
        if (one.process != runs_) {
            auto const contenders = waiting_.size() + (waiting_.contains(one.process) ? 0 : 1);
            turns_ += 1 / static_cast<double>(contenders); // how many contend may change from turn to turn
            runs_ = one.process;
            run_began_ = one.when;
            beyond_ = 0;
        } else if (!others_wait) {
            run_began_ = one.when;
            beyond_ = 0;
        } else if (one.when - run_began_ > slice) {
            ++beyond_;
        }
        last_ = one.when;
        into.beyond_slice.see(static_cast<double>(beyond_), at);
        if (auto const mine = waiting_.find(one.process); mine != waiting_.end()) { // others of it go on waiting
            mine->second.since = one.when;
            mine->second.turns_before = turns_;
        }
        for (auto const& [process, what] : waiting_)
            if (process != one.process) into.turns_missed.see(turns_ - what.turns_before, at);
    }
    bool anybody_waits() const { return !waiting_.empty(); }
    void forget() { *this = turns(); }

private:
    struct waiters {
        moment since{0};
        double turns_before = 0;
        std::set<int> workers{};
    };
    std::map<int, waiters> waiting_; ///< by process
    int runs_ = -1;
    moment run_began_{0};
    moment last_{0};
    double turns_ = 0;         ///< each divided by how many contended
    std::uint64_t beyond_ = 0; ///< acquisitions of this run that came after its slice
};

/// How long a lock is free although somebody waits for it.
class idleness {
public:
    void change(fact const& one, bool anybody_waits, fairness& into) {
        if (one.what == kind::in_key) {
            one.yes ? void(owners_.insert(one.owner)) : void(owners_.erase(one.owner));
            if (!one.yes && owners_.empty()) ++into.times_freed;
        }
        bool const idle = owners_.empty() && anybody_waits;
        if (idle_since_ && !idle) into.idle += one.when - *idle_since_;
        if (!idle) idle_since_.reset();
        if (idle && !idle_since_) idle_since_ = one.when;
    }
    void forget() { idle_since_.reset(); }

private:
    std::set<std::string> owners_;
    std::optional<moment> idle_since_;
};

/// How often a lock is acquired in each window of time in which somebody waits for it all the time.
class windows {
public:
    explicit windows(moment length) : length_(length) {}

    void change(fact const& one, bool anybody_waits, fairness& into, std::size_t at) {
        for (; began_ && one.when - *began_ >= length_; *began_ += length_)
            into.in_window.see(std::exchange(count_, 0), at);
        if (one.what == kind::acquired) ++count_;
        if (!anybody_waits) return forget();
        if (!began_) began_ = one.when;
    }
    void forget() {
        began_.reset();
        count_ = 0;
    }

private:
    moment const length_;
    std::optional<moment> began_;
    std::uint64_t count_ = 0;
};

/// What a process sends and how often it wakes while nobody takes, asks for or gives back anything.
class blocked {
public:
    void something_happens() { since_.reset(); }
    void see(fact const& one, bool waits, fairness& into, std::size_t at) {
        if (!waits) return since_.reset();
        if (!since_) {
            since_ = one;
            return;
        }
        auto const passed = one.when - since_->when;
        if (passed < moment(1'000'000'000)) return;
        auto const seconds = static_cast<double>(passed.count()) * 1e-9;
        into.blocked_commands.see(static_cast<double>(one.commands - since_->commands) / seconds, at);
        into.blocked_wakes.see(static_cast<double>(one.wakes - since_->wakes) / seconds, at);
        since_ = one;
    }

private:
    std::optional<fact> since_;
};

} // namespace

fairness fairness_of(history const& all, moment slice, moment window) {
    fairness seen;
    std::map<int, turns> locks;
    std::map<int, idleness> idle;
    std::map<int, windows> rates;
    std::map<int, blocked> processes;
    std::map<int, int> waits;
    std::map<int, std::uint64_t> commands;
    bool quiet = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& one = all[i];
        if (one.what == kind::quiet) quiet = true;
        if (one.what == kind::fault) {
            quiet = false;
            for (auto& [number, lock] : locks) lock.forget();
            for (auto& [number, lock] : idle) lock.forget();
            for (auto& [number, lock] : rates) lock.forget();
        }
        if (one.what == kind::traffic) commands[one.process] = one.commands;
        if (one.what == kind::traffic) processes[one.process].see(one, quiet && waits[one.process] > 0, seen, i);
        if (one.what != kind::asked && one.what != kind::acquired && one.what != kind::not_acquired
            && one.what != kind::released && one.what != kind::in_key)
            continue;
        for (auto& [number, process] : processes) process.something_happens();
        if (one.what == kind::asked) ++waits[one.process];
        if (one.what == kind::acquired || one.what == kind::not_acquired) --waits[one.process];
        auto& lock = locks[one.lock];
        if (one.what == kind::asked) lock.asks(one);
        if (one.what == kind::not_acquired) lock.leaves(one);
        if (one.what == kind::acquired) {
            quiet ? lock.takes(one, slice, seen, i) : lock.leaves(one);
            if (quiet) ++seen.acquired;
        }
        if (!quiet) continue;
        idle[one.lock].change(one, lock.anybody_waits(), seen);
        rates.try_emplace(one.lock, window).first->second.change(one, lock.anybody_waits(), seen, i);
    }
    for (auto const& [process, count] : commands) seen.commands += count;
    return seen;
}

std::optional<violation> check_fairness(history const& all, fairness_rules const& rules) {
    auto const seen = fairness_of(all, rules.slice, rules.window);
    auto const above = [](figure const& of, double most) { return of.most > most; };
    auto const text = [](double value) { return std::to_string(value); };
    if (above(seen.turns_missed, rules.turns_missed))
        return make("fairness", seen.turns_missed.at,
                    "a process that waits has seen " + text(seen.turns_missed.most)
                        + " turns of others for each contender pass");
    if (above(seen.beyond_slice, rules.beyond_slice))
        return make("fairness", seen.beyond_slice.at,
                    "a process has taken the lock " + text(seen.beyond_slice.most)
                        + " times after its slice while others waited");
    if (seen.in_window.least < rules.least_in_window)
        return make("fairness", seen.in_window.at,
                    "a lock was acquired " + std::to_string(seen.in_window.least) + " times in a window of "
                        + text(static_cast<double>(rules.window.count()) / 1e6) + " ms in which somebody waited");
    if (above(seen.blocked_commands, rules.blocked_commands))
        return make("cost of waiting", seen.blocked_commands.at,
                    "a process that only waits sends " + text(seen.blocked_commands.most) + " commands a second");
    if (above(seen.blocked_wakes, rules.blocked_wakes))
        return make("cost of waiting", seen.blocked_wakes.at,
                    "a process that only waits wakes " + text(seen.blocked_wakes.most) + " times a second");
    constexpr std::uint64_t enough = 100;
    if (seen.acquired >= enough
        && static_cast<double>(seen.commands) > rules.commands_each * static_cast<double>(seen.acquired))
        return make("cost of waiting", all.size() - 1,
                    std::to_string(seen.commands) + " commands were sent for " + std::to_string(seen.acquired)
                        + " acquisitions");
    if (seen.idle > rules.idle_once + rules.idle_each * static_cast<int>(seen.times_freed))
        return make("cost of waiting", all.size() - 1,
                    "locks were free for " + text(static_cast<double>(seen.idle.count()) / 1e6) + " ms, after "
                        + std::to_string(seen.times_freed) + " releases, while somebody waited");
    return std::nullopt;
}

} // namespace redlatch::sim
