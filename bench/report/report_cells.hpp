// The results as tables, the same on the terminal and on the page.
#pragma once

#include "measure/rounds.hpp"

#include <string>
#include <vector>

namespace redlatch::bench {

std::string placement_title(std::string const& placement);

struct table {
    /// The scenario, then the names of the columns; figures that no line has are left out.
    std::vector<std::string> headings;
    std::vector<std::vector<std::string>> rows;
};
table table_of(result const& of);

/// A message for each aim, "✓ redlatch: ≥ 7 × Redisson (9.31)", then what limits those that are missed, and what was left out.
std::vector<std::string> remarks_of(result const& of);

} // namespace redlatch::bench
