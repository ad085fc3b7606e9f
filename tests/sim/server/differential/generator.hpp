// Random sequences of steps: the shipped scripts, what a Java client would run, and plain commands, on few keys, so that they
// meet. The same seed gives the same sequence on every machine.
#pragma once

#include "sim/server/differential/step.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace redlatch::sim {

inline constexpr std::size_t clients_of_a_sequence = 4;
/// The key of all locks on values: its fields hold times, which differ by the time that a step takes.
inline constexpr std::string_view group_of_values = "group";

enum class leases {
    longer_than_the_sequence, ///< each another one
    short_ones,               ///< of a millisecond to a few seconds, on one key
};

std::vector<step> random_sequence(std::uint64_t seed, leases which = leases::longer_than_the_sequence);

} // namespace redlatch::sim
