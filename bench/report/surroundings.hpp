// Machine and versions, without which figures say nothing.
#pragma once

#include "measure/machine_load.hpp"
#include "measure/server.hpp"

#include <string>
#include <utility>
#include <vector>

namespace redlatch::bench {

/// Pairs like "processor", "2 × Intel …".
std::vector<std::pair<std::string, std::string>> surroundings(server const& at, machine_load const& before);

} // namespace redlatch::bench
