// Runs the scenarios of a model: in some nothing may be violated, in the others one rule is taken out and must be missed.
#pragma once

#include "explorer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace model {

/// A rule of the design, known by its name; `without` is the one that is taken out.
constexpr std::uint64_t number_of(char const* name) {
    std::uint64_t number = 0xcbf29ce484222325;
    while (*name != 0) number = (number ^ static_cast<unsigned char>(*name++)) * 0x100000001b3;
    return number;
}
struct rule {
    std::uint64_t number;
    consteval rule(char const* name) : number(number_of(name)) {}
};
inline std::uint64_t without = 0;
/// Where nothing may be violated, so many states at the most: those nearest to the first one.
inline std::size_t most_states = SIZE_MAX;
inline bool on(rule which) {
    return which.number != without;
}

template <class Settings> struct scenario {
    char const* name; ///< where something is to break: of the rule that is taken out
    Settings where{};
    char const* breaks = nullptr; ///< an invariant; null: nothing may
    std::size_t size = 0;         ///< at least so many states; of what breaks: the steps of the shortest trace
};

/// True: it went as the scenario says.
template <class State, class Settings, class Actions, class Invariants, class Show>
bool run(scenario<Settings> const& one, State const& first, Actions const& actions, Invariants const& invariants,
         Show show) {
    without = one.breaks == nullptr ? 0 : number_of(one.name);
    char const* broken = nullptr;
    auto const most = one.breaks == nullptr ? most_states : SIZE_MAX;
    auto const found = explore(first, actions, most, [&](State const& state) {
        for (auto const& each : invariants) {
            if (one.breaks != nullptr && std::string_view(one.breaks) != each.name) continue;
            if (!each.holds(state)) broken = each.name;
        }
        return broken == nullptr;
    });
    std::printf("%s: %zu states, %s\n", one.name, found.states, broken != nullptr ? broken : "nothing is violated");
    auto state = first;
    for (auto const& each : found.trace) {
        actions[each.action].act(state, static_cast<int>(each.variant));
        std::printf("  %-32s %s\n", actions[each.action].name, show(state).c_str());
    }
    if (one.breaks == nullptr ? broken == nullptr && found.states >= std::min(one.size, most)
                              : found.trace.size() == one.size)
        return true;
    std::printf("  expected: %s, %zu %s\n", one.breaks == nullptr ? "nothing is violated" : one.breaks, one.size,
                one.breaks == nullptr ? "states or more" : "steps");
    return false;
}

/// Arguments: [--states N] [SCENARIO]. The scenario that is named, or all of them; an exit status.
template <class Scenarios, class Run> int run_all(int argc, char** argv, Scenarios const& scenarios, Run run_one) {
    int met = 0, failed = 0;
    if (argc > 2 && std::string_view(argv[1]) == "--states") {
        most_states = std::strtoull(argv[2], nullptr, 10);
        argc -= 2;
        argv += 2;
    }
    for (auto const& one : scenarios) {
        if (argc > 1 && std::string_view(argv[1]) != one.name) continue;
        ++met;
        if (!run_one(one)) ++failed;
    }
    if (met == 0) std::puts("no scenario has this name");
    return met > 0 && failed == 0 ? 0 : 1;
}

} // namespace model
