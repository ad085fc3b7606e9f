// Any order of acquisitions, re-entries, releases, timers, answers, errors and jumps of time, with a server whose word may be
// wrong: validity is what was acknowledged and no more, a loss is told once and not later than validity ends, renewal is asked
// for a third of the timeout after the last one, and the timer is never set too late.
#include "check.hpp"
#include "decisions.hpp"
#include "locking/lease_keeper.hpp"
#include "locking/lock_record.hpp"
#include "locking/recipes/recipes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::fuzz {
namespace {

using namespace std::chrono_literals;
using locking::lease_keeper;
using locking::level;
using locking::tenure;
using locking::tenure_ptr;

constexpr base::milliseconds watchdog = 30s;
constexpr std::size_t most_in_a_batch = 3;

class many_holds {
public:
    explicit many_holds(decisions from) : next_(from) {}

    void run() {
        while (next_.more()) {
            step();
            look();
        }
        while (!held_.empty()) release(held_.begin()->second.who);
        while (!asked_.empty()) answer();
        look();
    }

private:
    /// What is known of a hold, from the outside.
    struct hold {
        tenure_ptr who;
        base::instant valid_until = base::instant::min();
        base::instant last_renewed = base::never; ///< when the last acknowledged renewal was sent
        base::instant renewal_due = base::never;  ///< at the latest
        bool suspect = false;
        bool in_flight = false;
    };
    struct batch {
        lease_keeper::batch who;
        base::milliseconds lease;
        base::instant sent_at;
    };

    void step() {
        switch (next_.below(14)) {
        case 0:
        case 1: return acquire();
        case 2: return enter_again();
        case 3: return leave_a_level();
        case 4: return release(some());
        case 5:
        case 6:
        case 7: return answer();
        case 8:
            if (next_.one_in(3)) return refuse();
            return next_.one_in(2) ? fail() : interrupt();
        case 9: return verify();
        case 10: now_ += next_.span(); return;
        case 11: return timer();
        default: return to_the_next();
        }
    }

    tenure_ptr some() {
        if (held_.empty()) return nullptr;
        return std::next(held_.begin(), static_cast<std::ptrdiff_t>(next_.below(held_.size())))->second.who;
    }

    // --- holds come and go

    level some_level() {
        bool const renewed = !next_.one_in(3);
        level out{1, renewed ? watchdog : next_.span_ms() + 1ms, renewed, false};
        if (renewed && next_.one_in(4)) out.max_hold_until = now_ + next_.span();
        return out;
    }
    void acquire() {
        auto one = std::make_shared<tenure>();
        one->record = record_;
        one->serial = ++last_;
        record_->tenures.add(one);
        held_[last_].who = one;
        enter(one);
    }
    void enter_again() {
        if (auto const one = some(); one && one->holds(now_)) enter(one);
    }
    void enter(tenure_ptr const& one) {
        auto const what = some_level();
        one->levels.push_back(what);
        one->now_in = tenure::phase::held;
        acknowledge(one, what.lease, sent_before_now());
    }
    /// Of several levels one ends; the answer to its release may come, or not.
    void leave_a_level() {
        auto const one = some();
        if (!one || one->levels.size() < 2 || !one->holds(now_)) return;
        auto const which = one->levels.begin() + static_cast<std::ptrdiff_t>(next_.below(one->levels.size()));
        bool const capped = which->max_hold_until != base::never;
        one->levels.erase(which);
        auto& its = held_.at(one->serial);
        bool const was_suspect = its.suspect && !one->renewed();
        check(keeper_.level_ended(one, capped, now_) == was_suspect, "a fixed lease is not overdue");
        if (was_suspect) its.suspect = false;
        if (capped && one->renewed() && its.last_renewed != base::never)
            its.renewal_due = std::min(its.renewal_due, now_);
        if (!one->renewed()) its.renewal_due = its.last_renewed = base::never;
        if (next_.one_in(2)) acknowledge(one, one->longest_lease(), sent_before_now());
    }
    void release(tenure_ptr const one) { // by value: it is removed from where it may be kept
        if (!one) return;
        keeper_.forget(one);
        one->now_in = tenure::phase::releasing;
        record_->tenures.remove(*one);
        held_.erase(one->serial);
    }
    base::instant sent_before_now() { return now_ - std::min(next_.span(), base::nanoseconds(20s)); }

    void acknowledge(tenure_ptr const& one, base::milliseconds lease, base::instant sent_at) {
        keeper_.acknowledged(one, lease, sent_at);
        acknowledged(held_.at(one->serial), lease, sent_at);
    }
    void acknowledged(hold& its, base::milliseconds lease, base::instant sent_at) {
        auto const margin = std::min(std::max(lease / 100, 20ms), lease / 2);
        its.valid_until = std::min(std::max(its.valid_until, sent_at + lease - margin), its.who->max_hold_until());
        if (!its.who->renewed()) return;
        if (lease >= watchdog) {
            its.last_renewed = sent_at;
            its.renewal_due = sent_at + watchdog / 3;
            its.suspect = false;
        } else if (its.last_renewed == base::never) { // a level that is renewed joined one that is not
            its.last_renewed = its.renewal_due = sent_at;
        }
    }

    // --- the keeper's work

    void to_the_next() {
        if (keeper_.next() != base::never) now_ = std::max(now_, keeper_.next());
        timer();
    }
    void timer() {
        lease_keeper::effects found;
        keeper_.on_timer(now_, found);
        check(keeper_.next() > now_, "the timer does not find the same thing again");
        check(found.recovered.empty(), "only an answer makes a hold recover");
        for (auto const& one : found.suspect) {
            auto& its = held_.at(one->serial);
            check(!its.suspect && its.last_renewed + watchdog / 2 <= now_,
                  "suspect is who was not renewed for long, once");
            its.suspect = true;
        }
        for (auto const& one : found.lost)
            check(one->validity() <= now_, "a timer finds lost what is not valid any more");
        take(found);
        for (auto const& [serial, one] : held_) {
            check(now_ < one.valid_until, "a loss is told when validity ends");
            if (!can_be_renewed(one)) continue;
            check(one.in_flight || now_ < one.renewal_due, "renewal is asked for in time");
            check(one.suspect || now_ < one.last_renewed + watchdog / 2, "an overdue renewal is told");
        }
    }
    static bool can_be_renewed(hold const& one) {
        return one.who->renewed() && one.last_renewed != base::never && one.valid_until < one.who->max_hold_until();
    }

    void verify() {
        lease_keeper::effects found;
        keeper_.verify_all(now_, found);
        check(found.lost.empty() && found.suspect.empty() && found.recovered.empty(), "a question decides nothing");
        take(found);
        for (auto const& [serial, one] : held_)
            check(one.in_flight || one.valid_until <= now_, "on a new connection everything is asked about");
    }

    void take(lease_keeper::effects const& found) {
        for (auto const& one : found.lost) {
            check(held_.erase(one->serial) == 1, "a loss is told once, and not after the release");
            one->now_in = tenure::phase::lost;
            record_->tenures.remove(*one);
        }
        for (auto const& some : found.renew) {
            check(!some.empty() && some.size() <= most_in_a_batch, "a batch has its bounds");
            auto const lease = keeper_.lease_of(some);
            check(lease == watchdog || lease == 1ms, "a renewal is for the timeout, a question changes nothing");
            for (auto const& one : some) {
                check((one->is_only_asked ? 1ms : watchdog) == lease, "a batch has one lease");
                auto& its = held_.at(one->serial); // nothing lost or released is asked about
                check(!std::exchange(its.in_flight, true), "nothing is asked twice at once");
                check((lease == watchdog) == one->renewed(), "what the watchdog renews is renewed, and nothing else");
            }
            asked_.push_back({some, lease, now_});
        }
    }

    batch take_batch() {
        auto const at = asked_.begin() + static_cast<std::ptrdiff_t>(next_.below(asked_.size()));
        auto out = std::move(*at);
        asked_.erase(at);
        for (auto const& one : out.who)
            if (auto const found = held_.find(one->serial); found != held_.end()) found->second.in_flight = false;
        return out;
    }
    void answer() {
        if (asked_.empty()) return;
        auto const which = take_batch();
        std::vector<std::int64_t> named; // also positions that are none
        for (auto left = next_.below(4); left > 0; --left)
            named.push_back(static_cast<std::int64_t>(next_.below(6)) - 1);
        std::set<std::uint64_t> to_lose;
        std::set<std::uint64_t> to_recover;
        for (std::size_t i = 0; i < which.who.size(); ++i) {
            auto const found = held_.find(which.who[i]->serial);
            if (found == held_.end()) continue; // released or lost meanwhile: the answer does not count
            auto& its = found->second;
            if (std::count(named.begin(), named.end(), static_cast<std::int64_t>(i) + 1) > 0) {
                to_lose.insert(found->first);
                continue;
            }
            if (which.lease != watchdog) continue;
            bool const was_suspect = its.suspect;
            acknowledged(its, which.lease, which.sent_at);
            if (was_suspect && !its.suspect) to_recover.insert(found->first);
        }
        lease_keeper::effects found;
        keeper_.on_answer(which.who, named, which.lease, which.sent_at, found);
        check(serials(found.lost) == to_lose, "lost is what the server named, and is still held");
        check(serials(found.recovered) == to_recover, "recovered is what was suspect and is renewed");
        check(found.suspect.empty() && found.renew.empty(), "an answer asks for nothing");
        take(found);
    }
    static std::set<std::uint64_t> serials(std::vector<tenure_ptr> const& of) {
        std::set<std::uint64_t> out;
        for (auto const& one : of) check(out.insert(one->serial).second, "nothing is told twice");
        return out;
    }
    void fail() {
        if (asked_.empty()) return;
        auto const which = take_batch();
        keeper_.on_failure(which.who, now_);
        for (auto const& one : which.who) {
            auto const found = held_.find(one->serial);
            if (found == held_.end() || found->second.last_renewed == base::never) continue;
            found->second.renewal_due = now_ + 1'250ms;
        }
    }

    void refuse() {
        if (asked_.empty()) return;
        auto const which = take_batch();
        lease_keeper::effects found;
        keeper_.on_refusal(which.who, now_, found);
        check(found.lost.empty() && found.suspect.empty() && found.recovered.empty(), "a refusal decides nothing");
        bool const alone = which.who.size() == 1;
        check(found.refused.size() <= (alone ? 1U : 0U), "who is refused with others may be allowed alone");
        take(found);
        for (auto const& one : which.who) {
            auto const its = held_.find(one->serial);
            if (its == held_.end()) continue;
            check(alone || its->second.in_flight || its->second.valid_until <= now_,
                  "what is held still is asked about again");
            if (alone && its->second.last_renewed != base::never) its->second.renewal_due = now_ + 3'750ms;
        }
    }

    void interrupt() {
        if (asked_.empty()) return;
        auto const which = take_batch();
        lease_keeper::effects found;
        keeper_.on_interruption(which.who, now_, found);
        check(found.lost.empty() && found.suspect.empty() && found.recovered.empty(),
              "an interruption decides nothing");
        take(found);
        for (auto const& one : which.who) {
            auto const its = held_.find(one->serial);
            check(its == held_.end() || its->second.in_flight || its->second.valid_until <= now_,
                  "what is held still is asked about again");
        }
    }

    void look() const {
        auto const timers = keeper_.timers();
        check(keeper_.size() == held_.size() && timers.size() == held_.size(),
              "it looks after what is held and nothing else");
        auto earliest = base::never;
        for (std::size_t i = 0; i < timers.size(); ++i) {
            auto const& who = *timers[i].whose;
            auto const found = held_.find(who.serial);
            check(found != held_.end() && found->second.who.get() == timers[i].whose && who.timer_index == i,
                  "a hold knows its place");
            auto const& one = found->second;
            check(who.validity() == one.valid_until, "validity is what was acknowledged, within max_hold");
            check(who.suspect.load() == one.suspect, "suspect is who was told to be");
            check(keeper_.next() <= one.valid_until, "the end of validity is not overslept");
            if (can_be_renewed(one)) {
                check(one.in_flight || keeper_.next() <= one.renewal_due, "no renewal is overslept");
                check(one.suspect || keeper_.next() <= one.last_renewed + watchdog / 2, "no suspicion is overslept");
            }
            earliest = std::min(earliest, timers[i].when);
        }
        check(keeper_.next() == earliest, "the timer is set for what comes first");
    }

    decisions next_;
    lease_keeper keeper_{{watchdog, 0ms, most_in_a_batch}, 1};
    locking::record_settings const settings_{.owner_prefix = "client:"};
    locking::record_ptr record_ =
        std::make_shared<locking::lock_record>("orders", locking::reentrant_recipe, settings_);
    base::instant now_ = beginning;
    std::map<std::uint64_t, hold> held_; ///< by serial: the same input gives the same history
    std::vector<batch> asked_;
    std::uint64_t last_ = 0;
};

} // namespace
} // namespace redlatch::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    redlatch::fuzz::many_holds(redlatch::fuzz::decisions(data, size)).run();
    return 0;
}
