// Visits every state that actions can reach from a first one, nearest first, so that a trace is a shortest one. States are told
// apart by a fingerprint of 64 bits: with ten million, two share one in fewer than 1 of 100,000 runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <unordered_set>
#include <vector>

namespace model {

template <class State> struct action {
    char const* name;
    int variants;
    bool (*act)(State&, int variant); ///< guard and effect; false: it cannot happen, and nothing was changed
};
template <class State> struct invariant {
    char const* name;
    bool (*holds)(State const&);
};
struct step {
    std::uint32_t from, action, variant;
};
struct outcome {
    std::size_t states = 0;
    std::vector<step> trace{};
    bool violated = false;
};

template <class State> std::uint64_t fingerprint(State const& of) {
    static_assert(std::has_unique_object_representations_v<State>, "padding would make equal states differ");
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    for (std::size_t at = 0; at < sizeof of; at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, reinterpret_cast<char const*>(&of) + at, std::min<std::size_t>(8, sizeof of - at));
        hash = (hash ^ word) * 0xff51afd7ed558ccd;
        hash ^= hash >> 32;
    }
    return hash;
}

/// Until everything is seen, or the nearest `most` states, or `holds` is false of a state.
template <class State, class Actions, class Holds>
outcome explore(State const& first, Actions const& actions, std::size_t most, Holds&& holds) {
    std::vector<step> steps{{0, 0, 0}}; // how each state was reached; the states themselves are kept for one level only
    std::vector<State> level{first}, next;
    std::unordered_set<std::uint64_t> known{fingerprint(first)};
    for (std::uint32_t at = 0; !level.empty(); level.swap(next), next.clear())
        for (auto const& state : level) {
            if (!holds(state)) {
                outcome found{steps.size(), {}, true};
                for (; at != 0; at = steps[at].from) found.trace.insert(found.trace.begin(), steps[at]);
                return found;
            }
            State then = state;
            for (std::uint32_t i = 0; i < std::size(actions); ++i)
                for (int variant = 0; variant < actions[i].variants && steps.size() < most; ++variant) {
                    if (!actions[i].act(then, variant)) continue;
                    if (known.insert(fingerprint(then)).second) {
                        steps.push_back({at, i, static_cast<std::uint32_t>(variant)});
                        next.push_back(then);
                    }
                    then = state;
                }
            ++at;
        }
    return {steps.size()};
}

} // namespace model
