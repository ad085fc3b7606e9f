// What was seen from outside while a scenario ran: facts only, in the order in which they came about. Checkers read nothing
// else.
#pragma once

#include "sim/world/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace redlatch::sim {

enum class belief : std::uint8_t { held, suspect, lost };

/// What a call says of its end. Untold: nobody asks.
enum class answer : std::uint8_t {
    done,
    busy,
    timed_out,
    cancelled,
    lost,
    outcome_unknown,
    disconnected,
    refused,
    closed,
    other,
    untold,
    not_replicated,
};

struct fact {
    enum class kind : std::uint8_t {
        asked, ///< a worker asks for a lock, until `until` at the latest; `most`: by then it is in its process's queue, never:
        ///< it does not wait there; `yes`: and replicas are to confirm it
        acquired, ///< it has it, as `owner`, and may rely on that until `until`; `most`: it must end then; `yes`: it is renewed
        not_acquired, ///< it returns without it; `said` and `text` say why; `until`: since then its process has heard
        ///< nothing, and connections have failed
        believes, ///< what another holder of this lock believes when somebody acquires it; `yes`: its lost() token fired
        told_lost, ///< a hold's lost() token fired
        releasing, ///< a release begins; its holder believed in the hold (`believed`), and might until `until`
        released,  ///< and has returned; `said`, and `text` is its error, if it has one
        left,      ///< the hold is gone without a release of its own: its process has died
        unpromised, ///< from here on the server may contradict holds taken before, and `owner`: data were lost or removed;
        ///< `until`: how long waiters, whom nobody woke, may sleep; `yes`: connections were lost with them, so
        ///< that holders ask
        missed, ///< another server has taken over without the latest acquisition or renewal of `owner`; without an
        ///< owner: or without the latest tokens, permits or counts
        returned, ///< `owner` is in the key again, and had been taken out of it: a failover has forgotten that; `yes`: its
                  ///< client knows that the master is another one, and releases it again
        forced,     ///< somebody else is about to end this worker's hold by force; `yes`: nothing else is wrong
        fault,      ///< something begins to go wrong; `text`
        quiet,      ///< nothing has been wrong for a while, and nothing will be
        probe,      ///< the key of a lock exists (`yes`) or not
        probe_hold, ///< a hold that is believed in is in the key (`yes`) or not
        orphan,     ///< the key has an owner, of a process that lives, who does not believe that it holds the lock
        stopped,    ///< a process is stopped
        went_on,    ///< and goes on
        leftover,   ///< something is there after everything has ended; `text`
        unfinished, ///< a worker that never came to its end; `text`
        renewal,    ///< a process sends a renewal of `owner`
        reentered,  ///< a holder was told that it entered again; `yes`: the server knew of the hold before or after
        in_key, ///< `owner` is in the key of a lock from now on (`yes`), or was until `until`: then `process` took it out,
        ///< if one did; `text` says what else did
        answered, ///< the server has answered a command of this process about a lock: somebody holds it (`yes`) or not
        closing,  ///< a process begins to close its client
        wants_permits, ///< a worker asks a semaphore for `amount` permits, until `until` at the latest; yes: and replicas
        took_permits,  ///< it has them
        took_none,     ///< it returns without; `said` and `text` say why
        gives_permits, ///< it begins to give them back
        gave_permits,  ///< and has come to an end with that; `said`
        permits_there, ///< so many the server has: `amount`; `yes`: everything has ended; `taken`: of those with ids
        awaits_zero,   ///< a worker waits for a latch to be counted down, until `until` at the latest
        went_through,  ///< it returns; `said`
        counts_down,   ///< it begins to count a latch down
        counted_down,  ///< and has come to an end with that; `said`; `yes`: it has changed the count
        sets_count,    ///< it begins to set a latch
        has_set_count, ///< and has come to an end with that; `said`; `yes`: it has changed the count
        count_there, ///< the count of a latch is `amount`, after a command of `process` or of nobody's; 0: there is none
        watches, ///< a worker waits for a leader other than `owner`, until `until` at the latest; `yes`: it asks who leads
        sees_leader, ///< it is told that `owner` leads, nobody if that is empty; `said`
        wants_all,   ///< a worker asks for several locks as one, until `until` at the latest; `amount`: a bit for each
        has_all,     ///< it returns; `said`; `taken`: a bit for each that it has
        believes_majority, ///< what another holder of the same red lock believes when the worker that has just got all
        ///< acquires it; `amount`: a bit for each member, `taken`: for those that it believes in; `yes`:
        ///< its lost() token fired
        probe_majority, ///< a red lock that is believed in; `amount`: a bit for each member, `taken`: for those in whose key
                        ///< it is; `yes`: it is renewed
        traffic,   ///< since the beginning a process has sent `commands`, and its threads have been woken `wakes` times
        confirmed, ///< a worker that acquires is told that `amount` replicas have the lock; `taken`: so many have it, or
                   ///< have had it; `least`: fewer would have been too few
        too_few, ///< one that does not is told that too few replicas had it; `least`: so many were to have it, `taken`: so
                 ///< many are connected
        outdated, ///< a former master, which does not know that it is none, has answered `process` about a lock: `owner` leads
                  ///< there, nobody if that is empty, and the count of the latch is `amount`
    };
    kind what;
    moment when{0};
    int process = -1;
    int worker = -1;
    int lock = -1;
    std::string owner{};
    std::string other{}; ///< of believes: who acquires
    moment until = never;
    moment most = never;
    belief believed = belief::held; ///< of believes; of acquired: lost: before it was seen, by close()
    answer said = answer::done;
    bool yes = false;
    std::int64_t amount = 0; ///< of permits
    std::int64_t taken = 0;  ///< of permits with leases: whose lease is not over
    std::int64_t least = 0;  ///< of confirmed and too_few
    std::uint64_t commands = 0;
    std::uint64_t wakes = 0;
    moment confirming{0};     ///< of asked: for so long it waits for replicas, from the moment that it has the answer
    bool waits = false;       ///< of asked, of a process without a queue: it waits all the same
    bool shared = false;      ///< of asked and acquired: others may have it as well; of probe: those who do have it
    moment kept{0};           ///< of acquired: nobody else is to have it before; zero: it has no minimum hold
    moment kept_most = never; ///< of acquired: then its minimum hold is over for everybody; never: nobody knows
    bool is_rest = false;     ///< of in_key: what is left of a minimum hold
    std::optional<std::uint64_t> token{}; ///< of acquired and reentered, where the lock gives tokens; 0: there was none
    std::string text{};
};

using history = std::vector<fact>;

/// Whoever takes several locks as one is written down with a worker of its own for each of them: the number of the worker that
/// takes them, and so many more for each member.
constexpr int between_members = 100;

/// One line for a reader.
std::string to_text(fact const& one);

} // namespace redlatch::sim
