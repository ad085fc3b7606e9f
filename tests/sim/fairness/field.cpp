#include "sim/fairness/field.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace redlatch::sim {
namespace {

using kind = fact::kind;

double ms(moment of) {
    return static_cast<double>(of.count()) / 1e6;
}

std::string number(char const* format, double value) {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

/// Of one lock: who waits for it since when, and who has had it.
class line_up {
public:
    explicit line_up(shares& into) : into_(into) {}

    void asked(int process, int worker, moment when) { waiting_[{process, worker}] = {when, others_of(process)}; }

    void acquired(int process, int worker, moment when, bool counts) {
        if (auto const mine = waiting_.extract({process, worker}); mine && counts) ended(process, mine.mapped(), when);
        bool const others_wait =
            std::any_of(waiting_.begin(), waiting_.end(), [&](auto const& one) { return one.first.first != process; });
        if (process != runs_ || !others_wait) {
            runs_ = process;
            run_ = 0;
            run_began_ = when;
        }
        ++run_;
        ++taken_;
        ++taken_by_[process];
        if (!counts) return;
        into_.longest_run = std::max(into_.longest_run, run_);
        into_.longest_slice = std::max(into_.longest_slice, when - run_began_);
    }

    void end(moment when) {
        for (auto const& [who, since] : waiting_) ended(who.first, since, when);
    }

private:
    struct start {
        moment when{0};
        std::uint64_t others = 0; ///< acquisitions by other processes until then
    };

    std::uint64_t others_of(int process) { return taken_ - taken_by_[process]; }

    void ended(int process, start const& since, moment when) {
        auto const wait = when - since.when;
        into_.waits.push_back(wait);
        auto& longest = into_.longest_waits.at(static_cast<std::size_t>(process));
        longest = std::max(longest, wait);
        into_.most_passed_over = std::max(into_.most_passed_over, others_of(process) - since.others);
    }

    shares& into_;
    std::map<std::pair<int, int>, start> waiting_;
    std::uint64_t taken_ = 0;
    std::map<int, std::uint64_t> taken_by_;
    int runs_ = -1;
    std::uint64_t run_ = 0;
    moment run_began_{0};
};

} // namespace

scenario generate(field const& what, std::uint64_t seed) {
    scenario made;
    made.seed = seed;
    made.processes = what.processes;
    made.locks = what.locks;
    made.watchdog = 30'000;
    made.timeout = 3'000;
    made.scripts_only = what.scripts_only;
    made.hands_over = what.hands_over;
    made.strictly = what.strictly;
    made.detached_unlock = what.detached_unlock;
    for (int i = what.processes - what.redisson; i < what.processes; ++i) made.redisson.insert(i);
    made.drifts.assign(static_cast<std::size_t>(what.processes), 0);
    made.how_fast = what.how_fast;
    contention const all{.until = what.lasts, .hold_us = what.hold_us, .pause_us = what.pause_us, .zipf = what.zipf};
    for (int i = 0; i < what.processes; ++i)
        for (int t = 0; t < what.threads; ++t) made.workers.push_back({.process = i, .then = all});
    return made;
}

std::uint64_t shares::total() const {
    return std::accumulate(acquired.begin(), acquired.end(), std::uint64_t{0});
}

double shares::most_by_least() const {
    auto const [least, most] = std::minmax_element(acquired.begin(), acquired.end());
    if (least == acquired.end() || *least == 0) return std::numeric_limits<double>::infinity();
    return static_cast<double>(*most) / static_cast<double>(*least);
}

moment shares::wait_of(double part) const {
    if (waits.empty()) return moment(0);
    return waits.at(static_cast<std::size_t>(part * static_cast<double>(waits.size() - 1)));
}

shares shares_of(history const& all, int processes, moment from, moment until) {
    shares seen;
    seen.acquired.resize(static_cast<std::size_t>(processes));
    seen.longest_waits.resize(static_cast<std::size_t>(processes));
    seen.lasted = until - from;
    std::map<int, line_up> locks;
    struct counts {
        std::uint64_t before = 0;
        std::uint64_t after = 0;
    };
    std::map<int, counts> commands;
    std::map<int, counts> wakes;
    for (auto const& one : all) {
        if (one.when >= until) break;
        bool const in_time = one.when >= from;
        if (one.what == kind::traffic) {
            (in_time ? commands[one.process].after : commands[one.process].before) = one.commands;
            (in_time ? wakes[one.process].after : wakes[one.process].before) = one.wakes;
        }
        if (one.what != kind::asked && one.what != kind::acquired) continue;
        auto& line = locks.try_emplace(one.lock, seen).first->second;
        if (one.what == kind::asked) {
            line.asked(one.process, one.worker, one.when);
            continue;
        }
        line.acquired(one.process, one.worker, one.when, in_time);
        if (in_time) ++seen.acquired.at(static_cast<std::size_t>(one.process));
    }
    for (auto& [lock, line] : locks) line.end(until);
    std::sort(seen.waits.begin(), seen.waits.end());
    auto const each = [&](std::map<int, counts> const& of) {
        std::uint64_t sum = 0;
        for (auto const& [process, one] : of) sum += one.after > one.before ? one.after - one.before : 0;
        return static_cast<double>(sum) / static_cast<double>(std::max<std::uint64_t>(seen.total(), 1));
    };
    seen.commands = each(commands);
    seen.wakes = each(wakes);
    return seen;
}

std::string to_text(field const& what) {
    return std::to_string(what.processes) + " processes"
           + (what.redisson > 0 ? ", " + std::to_string(what.redisson) + " of Redisson's," : "") + " of "
           + std::to_string(what.threads) + " threads on " + std::to_string(what.locks) + " locks"
           + (what.zipf > 0 ? " by Zipf " + number("%.1f", what.zipf) : "") + ", hold " + std::to_string(what.hold_us)
           + " us, pause " + std::to_string(what.pause_us) + " us, " + std::to_string(what.lasts) + " ms"
           + (what.scripts_only ? ", scripts only" : "")
           + (what.hands_over ? what.strictly ? ", strict hand-off" : "" : ", no hand-off")
           + (what.detached_unlock ? ", detached unlocking" : "") + "; bytes take "
           + std::to_string(what.how_fast.least_delay) + "-" + std::to_string(what.how_fast.most_delay)
           + " us each way, waking " + std::to_string(what.how_fast.least_wake) + "-"
           + std::to_string(what.how_fast.most_wake) + " us, "
           + (what.how_fast.stalls > 0 ? "one in " + std::to_string(what.how_fast.stalls) + " stalls" : "no stalls");
}

std::string to_text(shares const& seen) {
    auto const per_second = static_cast<double>(seen.total()) * 1e9 / static_cast<double>(seen.lasted.count());
    return number("%7.0f/s", per_second) + number("  max/min %6.2f", seen.most_by_least()) + "  wait p50"
           + number(" %.1f", ms(seen.wait_of(0.5))) + number(" p99 %.1f", ms(seen.wait_of(0.99)))
           + number(" longest %.1f ms", ms(seen.wait_of(1))) + "  passed over by "
           + std::to_string(seen.most_passed_over) + "  run of " + std::to_string(seen.longest_run)
           + number(" in %.1f ms", ms(seen.longest_slice)) + "  each: " + number("%.2f commands,", seen.commands)
           + number(" %.1f wakes", seen.wakes);
}

} // namespace redlatch::sim
