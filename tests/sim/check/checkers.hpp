// What must hold of every history. Each checker stands alone, knows nothing of the code under test, and is tested with a
// history that it must reject.
#pragma once

#include "sim/check/history.hpp"

#include <limits>
#include <optional>
#include <set>
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
/// In quiet times nobody waits for a lock that has been free for `patience`: `after_expiry` more if its lease ran out, where
/// one that waiters saw may have been longer.
std::optional<violation> check_wakeups(history const& all, moment patience, moment after_expiry = moment(0));
/// In quiet times nobody believes, for longer than `patience`, in a hold that the server does not know: but for a fixed lease
/// whose key was removed by hand, of which nobody asks.
std::optional<violation> check_silent_loss(history const& all, moment patience);
/// In quiet times no key stays, for longer than `patience`, for an owner who does not hold the lock: unless a failover brought
/// it back of which its client does not know.
std::optional<violation> check_orphans(history const& all, moment patience);
/// Nobody is given a hold whose time ended more than `slack` before.
std::optional<violation> check_freshness(history const& all, moment slack);
/// A hold that was given back or lost is not renewed, `patience` later.
std::optional<violation> check_renewals(history const& all, moment patience);
/// Whatever goes wrong, a hold is renewed `most` times in 100 ms at the most.
std::optional<violation> check_renewal_rate(history const& all, std::size_t most);
/// Nobody believes in a hold `slack` after its max_hold.
std::optional<violation> check_max_hold(history const& all, moment slack);
/// Nobody else comes into the key of a lock before a minimum hold is over.
std::optional<violation> check_minimum_holds(history const& all);
/// In quiet times, and `patience` after they began, no hold that is renewed is lost. `always`: nor at any other time.
std::optional<violation> check_needless_loss(history const& all, moment patience, bool always = false);
/// Nobody enters again what the server does not know.
std::optional<violation> check_reentry(history const& all);
/// In quiet times no process hands a lock off within itself for longer than `window`: others are to have a turn.
std::optional<violation> check_turns(history const& all, moment window);
/// Where locks give fencing tokens, each acquisition has a greater one than those before, unless the server lost its data; and
/// a re-entry has that of its owner.
std::optional<violation> check_tokens(history const& all);
/// Permits of a semaphore: never more are taken than there are in all, none is lost, a wait ends at its deadline, and in quiet
/// times nobody waits who could have them.
struct permit_rules {
    std::int64_t in_all = 0; ///< of each; 0: there are no semaphores
    bool kept = true;        ///< nothing but requests changes how many there are
    bool exactly_once = true;
    bool leased = false; ///< they have ids and come back by themselves: the server says how many are taken
    moment slack{20'000'000};
    moment wakeup{500'000'000};
};
std::optional<violation> check_permits(history const& all, permit_rules const& rules);
/// Latches: whoever is let through was so after the count was zero, each request changes the count once and no more, a wait
/// ends at its deadline, and in quiet times nobody waits for long where the count is zero.
struct latch_rules {
    bool judged = false; ///< there are latches
    moment slack{20'000'000};
    moment wakeup{500'000'000};
};
std::optional<violation> check_latches(history const& all, latch_rules const& rules);
/// Observers of an election: who they are told of has led since they asked, and in quiet times they are told of another leader
/// within `patience`; `longest_lease` later where a term may have ended without a message.
struct observer_rules {
    bool judged = false; ///< there are elections
    moment slack{20'000'000};
    moment patience{1'500'000'000};
    moment longest_lease{0};
};
std::optional<violation> check_observers(history const& all, observer_rules const& rules);
/// Several locks as one: whoever has them has all, a wait ends at its deadline, and in quiet times nobody waits for long for
/// what is all free. What holds of each lock holds of these too.
struct multi_rules {
    bool judged = false;      ///< there are such
    moment slack{45'000'000}; ///< members have 20 ms to say that their time is over
    moment wakeup{500'000'000};
    bool of_a_group =
        false; ///< values that one script takes: whoever waits sleeps until it is told or its time has come,
               ///< and behind holders of its own process
    bool rights_missing = false;
    bool hears_messages = true;
    bool majority = false; ///< which is enough
    bool can_ask = true;   ///< where not, whoever waits sleeps behind a holder of its own process who has lost it
};
std::optional<violation> check_multi_locks(history const& all, multi_rules const& rules);
/// Red locks: no two are held by majorities that have not been forgotten, a loss is told before somebody else acquires, and in
/// quiet times nobody believes for longer than `silent_loss` in what fewer than the majority of the servers know.
struct majority_rules {
    bool judged = false;
    moment silent_loss{2'000'000'000};
};
std::optional<violation> check_majorities(history const& all, majority_rules const& rules);
/// Locks that replicas confirm: whoever is told that so many have it is told the truth, and that they are enough; and in quiet
/// times nobody is told of too few where enough are connected.
struct confirmation_rules {
    moment settled{1'000'000'000}; ///< so long after quiet times have begun replicas are back
    bool rights_missing = false;
};
std::optional<violation> check_confirmations(history const& all, confirmation_rules const& rules);
/// Every worker comes to its end.
std::optional<violation> check_progress(history const& all);
/// After the end nothing is left.
std::optional<violation> check_leftovers(history const& all);
/// A hold that nobody took away is not reported lost, and a release of what was lost is not reported as done.
std::optional<violation> check_honesty(history const& all);

/// A release says `done` only if the hold was still in the key, `lost` only if it was not, but for this release, or if validity
/// was over, and `outcome_unknown` only if there was no answer for as long as it may wait.
struct release_rules {
    moment timeout{3'000'000'000};
    moment slack{25'000'000};      ///< what it takes a process to see that a time has come
    moment round_trip{50'000'000}; ///< an answer comes within this when nothing is wrong
    bool rights_missing = false;
    bool nothing_refused = false; ///< there is no moment at which a server refuses for good
};
std::optional<violation> check_releases(history const& all, release_rules const& rules);

/// A wait without success says that the lock was held only if it was, `disconnected` only if no answer came, and that it was
/// cancelled or its client closed only if that was done.
struct refusal_rules {
    moment hearing{6'000'000};    ///< what the server has said this long before the end has been heard
    moment long_wait{50'000'000}; ///< in quiet times an answer comes within this
    bool rights_missing = false;
    bool nothing_refused = false; ///< as of releases
    bool hears_messages = true;   ///< if not, a lock may be free long before its waiters know
};
std::optional<violation> check_refusals(history const& all, refusal_rules const& rules);

/// Waiters of one process get a lock in the order in which they asked, but for a try, and for whoever takes it again at once;
/// waiters of all processes get a fair one so.
struct order_rules {
    bool across_processes = false;
    moment arrival{0};      ///< who asked so much later than another one came behind it
    moment barging{25'000}; ///< after a release
    int most_retakes = 16;
    moment leaving{6'000'000}; ///< whose wait ends so soon may be on its way out
};
std::optional<violation> check_order(history const& all, order_rules const& rules);

/// A holder is told soon when somebody ends a hold by force that has lasted for a while.
struct forced_rules {
    moment age{1'200'000'000};  ///< from then on its process listens for that
    moment notice{300'000'000}; ///< within this
    bool can_ask = true;        ///< it has the rights to listen, and to ask then
};
std::optional<violation> check_forced(history const& all, forced_rules const& rules);

/// The highest that was seen, and where.
struct figure {
    double most = 0;
    std::size_t at = 0;
    void see(double value, std::size_t where) {
        if (value > most) {
            most = value;
            at = where;
        }
    }
};

/// The lowest, likewise.
struct lowest_figure {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    std::size_t at = 0;
    void see(std::uint64_t value, std::size_t where) {
        if (value < least) {
            least = value;
            at = where;
        }
    }
};

/// Of quiet times. A turn: what one process acquires in a row.
struct fairness {
    figure turns_missed{}; ///< turns of others that pass a process that waits, for each of those that contend
    figure beyond_slice{}; ///< acquisitions of one turn that come after its slice, while others waited from its start
    figure blocked_commands{}; ///< a second, of a process that waits while nothing happens
    figure blocked_wakes{};
    std::uint64_t acquired = 0;
    std::uint64_t commands = 0;    ///< of all processes, also in other times
    std::uint64_t times_freed = 0; ///< keys that came to be free
    moment idle{0};                ///< they were, in all, while somebody waited
    lowest_figure in_window{};     ///< acquisitions of one lock, in each window in which somebody waited all the time
};
fairness fairness_of(history const& all, moment slice, moment window);

/// No process is passed over again and again, or has a lock for longer than its slice while others wait; who waits sends
/// nothing and sleeps; a lock that is waited for is not left lying, and goes from one to the next at a steady rate.
struct fairness_rules {
    moment slice{11'000'000}; ///< 5 ms, and what it takes to see that it is over
    double turns_missed = 1e9;
    double beyond_slice = 1e9;
    double blocked_commands = 1e9;
    double blocked_wakes = 1e9;
    double commands_each = 1e9; ///< for an acquisition, where there were a hundred
    moment idle_once{3'600'000'000'000};
    moment idle_each{0};
    moment window{100'000'000};
    std::uint64_t least_in_window = 0;
};
std::optional<violation> check_fairness(history const& all, fairness_rules const& rules);

struct patience {
    moment deadline_slack{20'000'000};
    moment wakeup{500'000'000};
    moment after_expiry{0};
    moment silent_loss{2'000'000'000};
    moment orphan{3'000'000'000};
    moment renewal{2'000'000'000};
    std::size_t renewals_in_a_row = 20;
    moment needless_loss{1'000'000'000};
    bool nothing_is_lost = false; ///< what goes wrong is no reason to lose a hold
    moment turns{30'000'000};     ///< 5 ms, and what it takes a process to see it
    release_rules releases{};
    refusal_rules refusals{};
    order_rules order{};
    forced_rules forced{};
    fairness_rules fair{};
    permit_rules permits{};
    latch_rules latches{};
    multi_rules multi{};
    majority_rules majorities{};
    observer_rules observers{};
    confirmation_rules confirmations{};
};

/// All of them; the first violation, if there is one.
std::optional<violation> check(history const& all, patience const& how);

} // namespace redlatch::sim
