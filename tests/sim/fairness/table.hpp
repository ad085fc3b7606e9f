// `redlatch_sim --fairness`: a field as the words of a command line want it, for some seeds.
#pragma once

#include <span>

namespace redlatch::sim {

/// What follows --fairness. The exit status.
int print_fairness(std::span<char* const> words);

} // namespace redlatch::sim
