// Random sequences of commands on the simulated and a real server: replies, messages, ended connections and data are equal.
//
// REDLATCH_DIFFERENTIAL_SEED=N      begins with this seed; a failure names the one that failed
// REDLATCH_DIFFERENTIAL_SECONDS=N   goes on for so long, seed after seed, instead of a fixed number of them
#include "sim/server/differential/generator.hpp"
#include "sim/server/differential/pair_of_servers.hpp"
#include "sim/server/differential/script_shapes.hpp"
#include "sim/server/differential/shrink.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>

namespace redlatch::sim {
namespace {

constexpr std::uint64_t sequences_in_the_suite = 400;

std::uint64_t number_from_environment(char const* name, std::uint64_t otherwise) {
    char const* const text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// A difference in which a server stays silent takes seconds each time it is looked for.
constexpr std::chrono::seconds longest_shrinking{30};

std::string shortest_part(pair_of_servers& servers, std::vector<step> const& sequence) {
    auto const end = std::chrono::steady_clock::now() + longest_shrinking;
    auto const least = shrunk(sequence, [&](auto const& part) {
        return std::chrono::steady_clock::now() < end && servers.play(part).has_value();
    });
    std::string text = "the shortest part of it that differs:\n";
    for (auto const& one : least) text += shown(one) + "\n";
    return text + servers.play(least).value_or("it does not differ when it is played once more");
}

TEST(differential, random_sequences_are_answered_alike) {
    pair_of_servers servers;
    if (!servers.version().starts_with("7.0."))
        GTEST_SKIP() << "Redis 7.0 is what is simulated, not " << servers.version();
    auto const first = number_from_environment("REDLATCH_DIFFERENTIAL_SEED", 1);
    std::chrono::seconds const limit(number_from_environment("REDLATCH_DIFFERENTIAL_SECONDS", 0));
    auto const begin = std::chrono::steady_clock::now();
    auto const goes_on = [&](std::uint64_t played) {
        return limit.count() > 0 ? std::chrono::steady_clock::now() - begin < limit : played < sequences_in_the_suite;
    };
    std::uint64_t played = 0;
    for (; goes_on(played); ++played) {
        auto const sequence = random_sequence(first + played);
        auto const found = servers.play(sequence);
        if (!found) continue;
        ADD_FAILURE() << "REDLATCH_DIFFERENTIAL_SEED=" << first + played << "\n" << *found;
        FAIL() << shortest_part(servers, sequence);
    }
    std::cout << played << " sequences, " << servers.commands_played() << " commands\n";
}

TEST(differential, plays_every_script_or_says_why_not) {
    for (auto const* const script : locking::scripts::all) {
        auto const families = script_families();
        bool const played = std::any_of(families.begin(), families.end(), [&](script_family family) {
            return std::any_of(family.begin(), family.end(), [&](auto const& shape) { return shape.which == script; });
        });
        EXPECT_NE(played, !why_not_played(*script).empty()) << script->name;
    }
}

TEST(shrinking, leaves_what_is_needed) {
    std::vector<int> const all{1, 2, 3, 4, 5, 6, 7, 8, 9};
    auto const needs = [](std::vector<int> const& part) {
        return std::ranges::find(part, 3) != part.end() && std::ranges::find(part, 8) != part.end();
    };
    EXPECT_EQ(shrunk(all, needs), (std::vector<int>{3, 8}));
}

} // namespace
} // namespace redlatch::sim
