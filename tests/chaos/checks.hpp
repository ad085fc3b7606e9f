// What a history must not contain. Each check stands apart from the code under test and knows nothing of Redis.
#pragma once

#include "history.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace redlatch::chaos {

struct violation {
    std::string check;
    std::string message;
};
using violations = std::vector<violation>;

/// Nobody is inside while another's hold says that it is valid: by the times of the sections.
violations overlapping_sections(history const& events);

/// And by tokens, without a clock: while a hold is valid, the resource sees no entry but those that were turned away.
violations tokens_of_others(history const& events);

/// A holder that finds its hold lost is told by the hold's stop token, too, and before its key can expire: at most `margin`
/// after the end of validity. A process that was stopped meanwhile could not be told in time.
violations missed_notices(history const& events, std::chrono::microseconds margin);

/// Who asked gets the lock or an error; only those that were killed may stay silent.
violations waiters_left_behind(history const& events);

/// A wait ends at its deadline, or at most `slack` after it, unless its process was stopped meanwhile.
violations deadline_overruns(history const& events, std::chrono::microseconds slack);

/// When all is over no key is left.
violations orphan_keys(history const& events);

/// The process, or that of the thread, was stopped for a part of this time.
bool was_stopped(history const& events, std::string_view who, std::int64_t from, std::int64_t to);

} // namespace redlatch::chaos
