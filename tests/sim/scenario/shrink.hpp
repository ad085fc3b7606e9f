// Makes a failing scenario smaller while it still fails.
#pragma once

#include "sim/scenario/scenario.hpp"

#include <functional>

namespace redlatch::sim {

/// `fails` runs a candidate. At most `attempts` of them.
scenario shrink(scenario const& failing, std::function<bool(scenario const&)> const& fails, int attempts = 400);

} // namespace redlatch::sim
