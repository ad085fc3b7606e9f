// Any order of deaths, timers, answers, errors, duplicates and jumps of time: every id is released until it is answered, is
// asked about again only where a late copy may still run, and is forgotten in the end.
#include "check.hpp"
#include "decisions.hpp"
#include "locking/reaper.hpp"
#include "locking/recipes/recipes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace redlatch::fuzz {
namespace {

using namespace std::chrono_literals;
using locking::reaper;

class graveyard {
public:
    explicit graveyard(decisions from) : next_(from) {}

    void run() {
        while (next_.more()) {
            step();
            look();
        }
        end();
    }

private:
    struct grave {
        std::string owner_id;
        base::instant dug;
        base::milliseconds lease;
        bool late_copy_possible;
        base::instant due;
        base::instant not_before;
        bool asked = false;
        std::size_t good_answers = 0; ///< a sweep begins after the first
        std::size_t errors = 0;
    };

    void step() {
        switch (next_.below(8)) {
        case 0: return add(false);
        case 1: return add(true);
        case 2: now_ += next_.span(); return;
        case 3: return to_the_next();
        case 4:
        case 5: return answer(next_.one_in(3));
        case 6: return answer_nobody();
        default: return next_.one_in(8) ? all_now() : timer();
        }
    }

    void add(bool sweep) {
        auto const lease = next_.span_ms() + 1ms;
        bool const late_copy_possible = sweep || next_.one_in(2);
        auto const first = sweep ? now_ + 1s : now_ + (next_.one_in(2) ? next_.span() : 0ns);
        auto const id = "client:" + std::to_string(++last_id_);
        reaper::dead_id which{record_, id, lease, late_copy_possible};
        if (!sweep && next_.one_in(4)) which.not_before = first; // of a lock delay
        auto number = last_number_ + 1;                          // numbers are given one by one
        if (sweep)
            dead_.sweep(which, now_);
        else
            number = dead_.add(which, first, now_);
        check(number > last_number_, "no number is given twice");
        last_number_ = number;
        graves_.emplace(number,
                        grave{id, now_, lease, late_copy_possible, first, which.not_before, false, sweep ? 1U : 0U, 0});
    }

    void to_the_next() {
        auto const when = dead_.next();
        if (when == base::never || when <= now_) return timer();
        now_ = when - 1ns;
        check(dead_.on_timer(now_).empty(), "nothing is sent before its time");
        now_ = when;
        timer();
    }

    void timer() { take(dead_.on_timer(now_), now_); }
    void all_now() { take(dead_.all_now(now_), base::never); }

    void take(std::vector<reaper::job> const& jobs, base::instant until) {
        auto before = base::instant::min();
        for (auto const& job : jobs) {
            auto const found = graves_.find(job.number);
            check(found != graves_.end(), "what is forgotten is not released again");
            auto& one = found->second;
            check(!one.asked, "nothing is asked twice while an answer is due");
            check(one.due <= until && one.due >= before, "what is due is sent, in the order of time");
            check(job.owner_id == one.owner_id && job.record == record_,
                  "the id that died is the one that is released");
            bool const closing = until == base::never;
            check(job.kept_until == (closing && one.not_before > now_ ? one.not_before : base::instant::min()),
                  "what a lock delay keeps stays until then when the client closes");
            before = one.due;
            one.asked = true;
        }
        for (auto const& [number, one] : graves_) check(one.asked || one.due > until, "what is due is sent");
    }

    void answer(bool error) {
        std::vector<std::uint64_t> asked;
        for (auto const& [number, one] : graves_)
            if (one.asked) asked.push_back(number);
        if (asked.empty()) return;
        auto const number = asked[next_.below(asked.size())];
        answered(number, error, next_.one_in(4));
    }

    void answered(std::uint64_t number, bool error, bool late_copy_possible) {
        if (error)
            dead_.on_failure(number, late_copy_possible, now_);
        else
            dead_.on_answer(number, late_copy_possible, now_);
        auto& one = graves_.at(number);
        if (late_copy_possible) one.late_copy_possible = true;
        one.asked = false;
        // Late bytes come within a minute, and what they set expires with its lease.
        bool const nothing_can_be_left = now_ >= one.dug + 60s + one.lease;
        if (nothing_can_be_left || (!error && !one.late_copy_possible)) {
            graves_.erase(number);
            return;
        }
        if (error) {
            constexpr std::array<base::milliseconds, 6> pauses{50ms, 100ms, 200ms, 400ms, 800ms, 1s};
            one.due = now_ + pauses[std::min(one.errors++, pauses.size() - 1)];
            return;
        }
        constexpr std::array<base::milliseconds, 5> after_the_first{0s, 1s, 5s, 15s, 30s};
        auto const nth = ++one.good_answers;
        one.due = now_ + (nth < after_the_first.size() ? after_the_first[nth] - after_the_first[nth - 1] : 60s);
    }

    void answer_nobody() {
        auto const number = last_number_ + 1 + next_.below(4);
        dead_.on_answer(number, next_.one_in(2), now_);
        dead_.on_failure(number, next_.one_in(2), now_);
    }

    void look() const {
        check(dead_.size() == graves_.size(), "an id stays until it is answered for good, and no longer");
        auto earliest = base::never;
        for (auto const& [number, one] : graves_)
            if (!one.asked) earliest = std::min(earliest, one.due);
        check(dead_.next() == earliest, "the timer is set for what is due first");
    }

    /// Whatever came before, it ends: a server that answers well for as long as bytes may be late.
    void end() {
        for (int round = 0; !graves_.empty(); ++round) {
            check(round < 100'000, "the work on a dead id is bounded");
            std::set<std::uint64_t> asked;
            for (auto const& [number, one] : graves_)
                if (one.asked) asked.insert(number);
            for (auto const number : asked) answered(number, false, true);
            look();
            if (graves_.empty()) return;
            now_ = std::max(now_, dead_.next());
            timer();
        }
        look();
    }

    decisions next_;
    reaper dead_;
    locking::record_settings const settings_{};
    locking::record_ptr record_ =
        std::make_shared<locking::lock_record>("orders", locking::reentrant_recipe, settings_);
    base::instant now_ = beginning;
    std::map<std::uint64_t, grave> graves_;
    std::uint64_t last_number_ = 0;
    std::uint64_t last_id_ = 0;
};

} // namespace
} // namespace redlatch::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    redlatch::fuzz::graveyard(redlatch::fuzz::decisions(data, size)).run();
    return 0;
}
