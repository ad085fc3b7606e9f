// Several locks as one (docs/adr/0014): rounds, giving back, and who comes through when all name their locks in other orders.
// README.md says what is modelled, how it maps to the code, and what each rule is for.
#include "runner.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace model::multi {
namespace {

using u8 = unsigned char;

struct settings {
    int callers = 2, locks = 2;
    bool gives_up = true;
    bool single = false; ///< somebody else takes and releases single locks
};
settings scope;
constexpr u8 somebody = 9;

/// once: asks all members once. awaits: waits for `busy` and holds nothing. rest: has that one, and waits for the others for a
/// moment.
enum phase : u8 { out, once, awaits, rest, holding };
/// Of a member: a request that asks once, one that waits, one that was given up; the answers on their way.
enum request : u8 { nothing, asked, waits, given_up, granted, refused };
struct caller {
    u8 phase = out, busy = 0;
    std::array<u8, 3> requests{};
    std::array<bool, 3> has{};
};
struct state {
    std::array<u8, 3> owner{};
    std::array<caller, 3> callers{}; ///< the first one is not used
};

std::size_t index(int number) {
    return static_cast<std::size_t>(number);
}
bool in_flight(caller const& one) {
    return std::any_of(one.requests.begin(), one.requests.end(), [](u8 each) { return each != nothing; });
}
/// What was given up is waited for by nobody.
bool in_step(caller const& one) {
    return std::any_of(one.requests.begin(), one.requests.end(),
                       [](u8 each) { return each != nothing && each != given_up; });
}
void give_back(state& s, u8 who, std::size_t member) {
    s.callers[who].has[member] = false;
    if (s.owner[member] == who) s.owner[member] = 0;
}
/// Whatever is on its way is given up; whatever is there is given back.
void let_go(state& s, u8 who) {
    auto& one = s.callers[who];
    for (std::size_t member = 0; member < index(scope.locks); ++member) {
        auto& each = one.requests[member];
        if (each == granted || each == refused) { // an answer that nobody reads any more
            if (each == granted && on("an answer that comes late is given back")) give_back(s, who, member);
            each = nothing;
        } else if (each != nothing) {
            each = given_up;
        }
        if (one.has[member]) give_back(s, who, member);
    }
}

// --- the servers of the members

bool serve(state& s, int variant) {
    auto const who = static_cast<u8>(1 + variant / 3);
    auto const member = index(variant % 3);
    if (who > scope.callers || member >= index(scope.locks)) return false;
    auto& each = s.callers[who].requests[member];
    if (each != asked && each != waits && each != given_up) return false;
    bool const free = s.owner[member] == 0;
    if (!free && each == waits) return false;
    if (each == given_up) { // its release is right behind it
        if (free && !on("a request that was given up is undone")) s.owner[member] = who;
        each = nothing;
        return true;
    }
    if (free) s.owner[member] = who;
    each = free ? granted : refused;
    return true;
}

// --- a caller

bool begin(state& s, int variant) {
    auto const who = index(1 + variant);
    auto& one = s.callers[who];
    if (variant >= scope.callers || one.phase != out || in_flight(one)) return false;
    one.phase = once;
    for (std::size_t member = 0; member < index(scope.locks); ++member) one.requests[member] = asked;
    return true;
}
void await(state& s, u8 who, std::size_t busy) {
    auto& one = s.callers[who];
    if (on("nothing is held while a busy one is waited for")) let_go(s, who);
    one.phase = awaits;
    one.busy = static_cast<u8>(busy);
    one.requests[busy] = waits;
}
bool receive(state& s, int variant) {
    auto const who = static_cast<u8>(1 + variant / 3);
    auto const member = index(variant % 3);
    if (who > scope.callers) return false;
    auto& one = s.callers[who];
    auto& each = one.requests[member];
    if (each != granted && each != refused) return false;
    if (each == refused) {
        one.busy = static_cast<u8>(member);
        each = nothing;
    } else {
        each = nothing;
        one.has[member] = true;
    }
    if (in_step(one)) return true; // the step ends with its last answer
    auto const missing = std::find(one.has.begin(), one.has.begin() + scope.locks, false);
    if (missing == one.has.begin() + scope.locks) {
        one.phase = holding;
    } else if (one.phase == awaits) {
        one.phase = rest;
        for (std::size_t other = 0; other < index(scope.locks); ++other)
            if (!one.has[other]) one.requests[other] = waits;
    } else {
        await(s, who, static_cast<std::size_t>(missing - one.has.begin()));
    }
    return true;
}
/// Of a step that holds something.
bool moment_ends(state& s, int variant) {
    auto const who = static_cast<u8>(1 + variant);
    if (variant >= scope.callers || s.callers[who].phase != rest || !on("a wait with something held has an end"))
        return false;
    auto const& asks = s.callers[who].requests;
    auto const busy = std::find(asks.begin(), asks.end(), u8{waits});
    if (busy == asks.end()) return false;
    auto const member = static_cast<std::size_t>(busy - asks.begin());
    let_go(s, who);
    s.callers[who].requests[member] = nothing; // it is asked for again at once, on the same connection
    await(s, who, member);
    return true;
}
bool release(state& s, int variant) {
    auto const who = static_cast<u8>(1 + variant);
    if (variant >= scope.callers || s.callers[who].phase != holding) return false;
    let_go(s, who);
    s.callers[who].phase = out;
    return true;
}
bool give_up(state& s, int variant) {
    auto const who = static_cast<u8>(1 + variant);
    auto const phase = s.callers[who].phase;
    if (!scope.gives_up || variant >= scope.callers || phase == out || phase == holding) return false;
    if (on("who gives up gives back what it has"))
        let_go(s, who);
    else
        s.callers[who] = {};
    s.callers[who].phase = out;
    return true;
}

// --- the world

bool somebody_takes(state& s, int member) {
    if (!scope.single || member >= scope.locks || s.owner[index(member)] != 0) return false;
    s.owner[index(member)] = somebody;
    return true;
}
bool somebody_releases(state& s, int member) {
    if (member >= scope.locks || s.owner[index(member)] != somebody) return false;
    s.owner[index(member)] = 0;
    return true;
}

constexpr action<state> actions[] = {
    {"a server executes", 6, serve},
    {"an answer arrives", 6, receive},
    {"releases", 2, release},
    {"somebody releases", 3, somebody_releases},
    {"its moment ends", 2, moment_ends},
    {"begins", 2, begin},
    {"gives up", 2, give_up},
    {"somebody takes one", 3, somebody_takes},
};
constexpr std::size_t calm = 5; ///< so many of the actions

// --- what must hold

bool all_or_nothing(state const& s) {
    for (u8 who = 1; who < s.callers.size(); ++who)
        for (std::size_t member = 0; member < index(scope.locks); ++member)
            if (s.callers[who].phase == holding && s.owner[member] != who) return false;
    return true;
}
bool nothing_stays_behind(state const& s) {
    for (u8 who = 1; who < s.callers.size(); ++who) {
        if (s.callers[who].phase != out || in_flight(s.callers[who])) continue;
        if (std::find(s.owner.begin(), s.owner.end(), who) != s.owner.end()) return false;
    }
    return true;
}
/// Chance lets one of them be faster in the end: here the first one is.
bool all_come_through(state const& from) {
    state s = from;
    for (int steps = 0; steps < 200; ++steps) {
        auto const done = [](caller const& one) { return one.phase == out && !in_flight(one); };
        if (std::all_of(s.callers.begin(), s.callers.end(), done)) return true;
        bool moved = false;
        for (std::size_t i = 0; i < calm && !moved; ++i)
            for (int variant = actions[i].variants; variant-- > 0 && !moved;) moved = actions[i].act(s, variant);
        if (!moved) return false;
    }
    return false;
}
constexpr invariant<state> invariants[] = {
    {"all or nothing", all_or_nothing},
    {"nothing stays behind", nothing_stays_behind},
    {"all come through", all_come_through},
};
scenario<settings> const scenarios[] = {
    {"two locks", {}, nullptr, 1894},
    {"three locks", {.locks = 3}, nullptr, 44129},
    {"somebody with single locks", {.single = true}, nullptr, 4554},
    {"nothing is held while a busy one is waited for", {}, "all come through", 3},
    {"a wait with something held has an end", {}, "all come through", 3},
    {"a request that was given up is undone", {}, "nothing stays behind", 4},
    {"an answer that comes late is given back", {}, "nothing stays behind", 4},
    {"who gives up gives back what it has", {}, "nothing stays behind", 3},
};

std::string show(state const& s) {
    static char const* const phases[] = {"out", "asks once", "waits", "has one, waits for the rest", "holds"};
    static char const* const requests[] = {"-", "asked", "waits", "given up", "granted", "refused"};
    std::string text = "owners";
    for (int member = 0; member < scope.locks; ++member) text += " " + std::to_string(s.owner[index(member)]);
    for (int who = 1; who <= scope.callers; ++who) {
        auto const& one = s.callers[index(who)];
        text.append(" | ").append(phases[one.phase]);
        for (int member = 0; member < scope.locks; ++member)
            text.append(one.has[index(member)] ? " has" : " ").append(requests[one.requests[index(member)]]);
    }
    return text;
}
bool run_one(scenario<settings> const& one) {
    scope = one.where;
    return run(one, state(), actions, invariants, [](state const& s) { return show(s); });
}

} // namespace
} // namespace model::multi

int main(int argc, char** argv) {
    using namespace model::multi;
    return model::run_all(argc, argv, scenarios, run_one);
}
