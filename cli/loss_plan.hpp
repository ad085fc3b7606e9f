// When a command must end, so that it is gone before its lock can be somebody else's. Pure arithmetic.
#pragma once

#include <redlatch/lease_clock.hpp>

#include <optional>

namespace redlatch::cli {

using instant = lease_clock::time_point;

inline constexpr instant never = instant::max();

/// What happens to the command when its lock is lost.
enum class on_lost {
    terminate, ///< TERM, and KILL when the grace is over
    kill,      ///< KILL
    warn,      ///< it runs to its end, with a message
};

struct loss_policy {
    on_lost action = on_lost::terminate;
    duration grace{2000};
    duration reserve{}; ///< between KILL and the end of validity; see choose_reserve()
};

/// When signals are due; never: not at all.
struct schedule {
    instant term = never;
    instant kill = never;
    friend bool operator==(schedule const&, schedule const&) = default;
};

/// For a lock that is valid until `end` if nothing more is heard: KILL a reserve before, TERM a grace before that.
schedule schedule_for(instant end, loss_policy const& policy) noexcept;

/// For a lock that is lost now, whose key may live until `end`: TERM now, KILL after the grace, or a reserve
/// before the end if that is first.
schedule schedule_after_loss(instant now, instant end, loss_policy const& policy) noexcept;

/// What the guard does if the tool does not: the same, but a little later with TERM, so that the tool comes first.
schedule guard_schedule(schedule const& tool, loss_policy const& policy) noexcept;

/// When to look next whether a renewal has moved the end: when half of the time until something is due has passed, never more
/// often than each 5 ms. So a renewal is seen (and the guard told of it) long before its deadline, for a few looks per lease.
instant next_look(instant now, schedule const& due) noexcept;

/// Validity ends a margin before the key does (20 ms, or a hundredth of the lease if that is more), which is for clocks. A
/// command needs time to die, and on a loaded machine its killer needs time to run: this makes it an eighth of
/// the lease in all, but not more than 100 ms.
duration choose_reserve(duration lease) noexcept;

/// The grace to use: as asked for, or 2 s where that is below half of `shortest` (the lease, or the longest hold if that is
/// shorter), else a quarter of it. Throws usage_error when what was asked for is half of it or more.
duration choose_grace(std::optional<duration> asked, duration shortest);

} // namespace redlatch::cli
