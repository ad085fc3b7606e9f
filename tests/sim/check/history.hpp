// What was seen from outside while a scenario ran: facts only, in the order in which they came about. Checkers read nothing
// else.
#pragma once

#include "sim/world/time.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace redlatch::sim {

enum class belief : std::uint8_t { held, suspect, lost };

struct fact {
    enum class kind : std::uint8_t {
        asked, ///< a worker asks for a lock, until `until` at the latest
        acquired, ///< it has it, as `owner`, and may rely on that until `until`; `most`: it must end then; `yes`: it is renewed
        not_acquired, ///< it returns without it; `text` says why
        believes, ///< what another holder of this lock believes when somebody acquires it; `yes`: its lost() token fired
        told_lost, ///< a hold's lost() token fired
        releasing, ///< a release begins
        released,  ///< and has returned; `text` is its error, if it has one
        left,      ///< the hold is gone without a release of its own: its process has died
        unpromised, ///< from here on the server may contradict holds taken before, and `owner`: data were lost or removed;
        ///< `until`: how long waiters, whom nobody woke, may sleep; `yes`: connections were lost with them, so
        ///< that holders ask
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
    bool yes = false;
    std::string text{};
};

using history = std::vector<fact>;

/// One line for a reader.
std::string to_text(fact const& one);

} // namespace redlatch::sim
