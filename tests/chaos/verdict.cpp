#include "verdict.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace redlatch::chaos {

namespace {

/// Beyond a deadline: the machines on which this runs have other things to do, too.
constexpr milliseconds scheduling{400};

void add(violations& to, violations more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::string in_ms(std::int64_t us) {
    return std::to_string(us / 1000) + " ms";
}

void judge_figures(figures const& seen, expectation const& expected, violations& broken) {
    if (expected.of_holds == expectation::loss::never && seen.losses > 0)
        broken.push_back({"loss", std::to_string(seen.losses) + " holds were lost"});
    if (expected.of_holds == expectation::loss::always && seen.losses == 0)
        broken.push_back({"loss", "the holder was to lose the lock and did not notice any loss"});
    if (expected.notice && seen.notice_us.value_or(0) > std::chrono::microseconds(*expected.notice).count())
        broken.push_back({"notice", "it took " + in_ms(*seen.notice_us) + " to notice the loss"});
    if (expected.together && seen.overlap_us > std::chrono::microseconds(*expected.together).count())
        broken.push_back({"overlap", "two were inside at once for " + in_ms(seen.overlap_us)});
    if (expected.last_entry && seen.last_entry_us.value_or(0) > std::chrono::microseconds(*expected.last_entry).count())
        broken.push_back({"entry", "somebody got the lock " + in_ms(*seen.last_entry_us) + " after the fault began"});
    if (!seen.recovery_us)
        broken.push_back({"recovery", "nobody held the lock after the healing"});
    else if (*seen.recovery_us > std::chrono::microseconds(expected.recovery).count())
        broken.push_back({"recovery", "it took " + in_ms(*seen.recovery_us)});
}

} // namespace

bool only_about_time(violations const& broken) {
    static constexpr std::array<std::string_view, 7> of_time{"loss",    "notice",   "recovery", "deadline",
                                                             "overlap", "election", "entry"};
    return std::all_of(broken.begin(), broken.end(), [](violation const& one) {
        return std::find(of_time.begin(), of_time.end(), one.check) != of_time.end();
    });
}

std::chrono::microseconds margin() {
    return stage::base_settings().margin;
}

violations judge(stage::outcome const& run, figures const& seen, expectation const& expected, bool with_promises) {
    violations broken = run.problems;
    add(broken, waiters_left_behind(run.events));
    add(broken, orphan_keys(run.events));
    if (!with_promises) return broken;
    if (expected.exclusion) {
        add(broken, overlapping_sections(run.events));
        add(broken, tokens_of_others(run.events));
    }
    add(broken, missed_notices(run.events, margin()));
    add(broken, deadline_overruns(run.events, scheduling));
    judge_figures(seen, expected, broken);
    return broken;
}

} // namespace redlatch::chaos
