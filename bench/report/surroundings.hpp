// Machine and versions, without which figures say nothing.
#pragma once

#include "measure/server.hpp"

#include <string>
#include <utility>
#include <vector>

namespace redlatch::bench {

/// Pairs like "processor", "2 × Intel …".
std::vector<std::pair<std::string, std::string>> surroundings(server const& at);

} // namespace redlatch::bench
