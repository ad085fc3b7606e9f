// What must hold of every history. Each checker stands alone, knows nothing of the code under test, and is tested with a
// history that it must reject.
#pragma once

#include "sim/check/history.hpp"

#include <optional>
#include <string>
#include <vector>

namespace redlatch::sim {

struct violation {
    std::string checker;
    std::size_t at = 0; ///< the fact that shows it
    std::string text;
};

/// Nobody acquires a lock while another holder, by its own status, still has it.
std::optional<violation> check_exclusion(history const& all);
/// A holder's lost() token fires before somebody else can have the lock.
std::optional<violation> check_notice(history const& all);
/// A wait that ends without the lock ends at its deadline, `slack` later at the most.
std::optional<violation> check_deadlines(history const& all, moment slack);
/// In quiet times nobody waits for a lock that has been free for `patience`.
std::optional<violation> check_wakeups(history const& all, moment patience);
/// In quiet times nobody believes, for longer than `patience`, in a hold that the server does not know: but for a fixed lease
/// whose key was removed by hand, of which nobody asks.
std::optional<violation> check_silent_loss(history const& all, moment patience);
/// In quiet times no key stays, for longer than `patience`, for an owner who does not hold the lock: unless a failover brought
/// it back.
std::optional<violation> check_orphans(history const& all, moment patience);
/// Nobody is given a hold whose time ended more than `slack` before.
std::optional<violation> check_freshness(history const& all, moment slack);
/// A hold that was given back or lost is not renewed, `patience` later.
std::optional<violation> check_renewals(history const& all, moment patience);
/// Nobody believes in a hold `slack` after its max_hold.
std::optional<violation> check_max_hold(history const& all, moment slack);
/// In quiet times, and `patience` after they began, no hold that is renewed is lost.
std::optional<violation> check_needless_loss(history const& all, moment patience);
/// Nobody enters again what the server does not know.
std::optional<violation> check_reentry(history const& all);
/// In quiet times no process passes a lock on within itself for longer than `window`: others are to have a turn.
std::optional<violation> check_turns(history const& all, moment window);
/// Every worker comes to its end.
std::optional<violation> check_progress(history const& all);
/// After the end nothing is left.
std::optional<violation> check_leftovers(history const& all);
/// A hold that nobody took away is not reported lost, and a release of what was lost is not reported as done.
std::optional<violation> check_honesty(history const& all);

struct patience {
    moment deadline_slack{20'000'000};
    moment wakeup{500'000'000};
    moment silent_loss{2'000'000'000};
    moment orphan{3'000'000'000};
    moment renewal{2'000'000'000};
    moment needless_loss{1'000'000'000};
    moment turns{30'000'000}; ///< 5 ms, and what it takes a process to see it
};

/// All of them; the first violation, if there is one.
std::optional<violation> check(history const& all, patience const& how);

} // namespace redlatch::sim
