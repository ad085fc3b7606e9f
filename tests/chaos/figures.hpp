// What a history says about one run, in numbers.
#pragma once

#include "history.hpp"

#include <chrono>
#include <optional>

namespace redlatch::chaos {

struct figures {
    int entries = 0;
    int overlaps = 0;                ///< pairs of sections that were inside together
    std::int64_t overlap_us = 0;     ///< all of them together
    int losses = 0;                  ///< holds that were lost, noticed inside the section or at the release
    bool noticed_at_release = false; ///< a holder learnt of its loss only when it released

    /// From the beginning of the fault to its healing.
    std::optional<std::int64_t> fault_us{};
    /// From the fault (of a process that was stopped: from its waking) until the last holder knew of its loss.
    std::optional<std::int64_t> notice_us{};
    /// From the latest notice beforehand to the earliest moment at which the key could expire; negative: too late. Losses of
    /// processes that were stopped do not count.
    std::optional<std::int64_t> ahead_us{};
    /// From the beginning of the fault to the last entry before its healing.
    std::optional<std::int64_t> last_entry_us{};
    /// From the healing to the first entry after it, or to the first sign that a surviving hold was renewed.
    std::optional<std::int64_t> recovery_us{};
    /// The longest time for which somebody wanted the lock and nobody was inside.
    std::int64_t longest_wait_us = 0;
    /// Releases after which somebody waited and nobody came in for `unheard_after`: the message was lost, or could not be sent.
    int unheard = 0;
    /// Acquisitions and releases that failed, but for deadlines, cancellations and losses.
    int errors = 0;
};

inline constexpr std::chrono::milliseconds unheard_after{250};

/// The history must be sorted; `margin` is what validity ends before the key can expire.
figures figures_of(history const& events, std::chrono::microseconds margin);

} // namespace redlatch::chaos
