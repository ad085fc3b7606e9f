// All orders of one small scenario: every way in which bytes may arrive, time may pass and something may go wrong.
//
// Nothing is left to chance. Bytes of one connection and direction arrive in the order in which they were sent; between
// connections any may be first. Time passes when nothing is under way, and `early` times although something is, until any of
// the moments at which something is due: so an answer may come before or after each timer. At any point one of the faults may
// happen. What the processes do in themselves is done at once.
//
// The search replays: a run is given by its choices, and every run goes on to its end and is judged by all checkers. Two runs
// are in the same state when every process and the server have heard the same at the same times and the same bytes are under
// way; what can follow from a state is searched once.
#pragma once

#include "sim/scenario/run.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace redlatch::sim {

struct scope {
    std::string name;
    std::size_t brief_depth = 0;    ///< of the search for each change, where a deep one takes too long; 0: the same
    std::uint64_t brief_states = 0; ///< what that one found
    scenario plan;                  ///< without faults
    std::vector<fault> faults{};    ///< any one of them, or none, at any point
    bool one_by_one = false;        ///< what is sent in one go may be cut between two commands
    moment woken_after{0};          ///< until whoever was woken runs: others may come before
    int early = 0;                  ///< how often time passes although bytes are under way
    std::size_t depth = 15;         ///< so many choices of a run; the rest goes its usual way
    std::uint64_t states = 0;       ///< what was found when this was last looked at: fewer is news
};

/// The scopes that CI searches, and each night to their whole depth.
std::vector<scope> small_scopes();

struct search_limits {
    std::uint64_t states = UINT64_MAX; ///< then it stops
    bool merge = true;                 ///< false: a state is searched as often as it is reached
    std::optional<patience> how{};     ///< instead of the usual one
};

/// What was chosen, wherever there was a choice.
using order_of_events = std::vector<std::uint8_t>;

struct found_order {
    order_of_events choices;
    violation what;
};

struct explored {
    std::uint64_t states = 0; ///< different ones in which there was a choice
    std::uint64_t runs = 0;
    std::size_t deepest = 0;    ///< choices of the longest run
    bool whole = true;          ///< nothing is left to search
    bool cut_off = false;       ///< a run had more choices than `depth`
    std::uint64_t outcomes = 0; ///< different ends of runs
    std::optional<found_order> broken{};
};

explored explore(scope const& what, search_limits const& limits = {});
/// One order again, with everything that happened.
outcome replay(scope const& what, order_of_events const& choices);

} // namespace redlatch::sim
