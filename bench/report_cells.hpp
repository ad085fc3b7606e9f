// One line of the results as the cells of a table, the same on the terminal and on the page.
#pragma once

#include "rounds.hpp"

#include <string>
#include <vector>

namespace redlatch::bench {

std::string placement_title(std::string const& placement);

/// The scenario, then the names of the columns.
std::vector<std::string> headings(result const& of);
std::vector<std::string> cells(result const& of, line const& each);
std::size_t cell_width(std::size_t column);

} // namespace redlatch::bench
