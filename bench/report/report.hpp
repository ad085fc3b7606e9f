// The results, as a table, JSON or a page.
#pragma once

#include "measure/rounds.hpp"
#include "options.hpp"

#include <string>
#include <utility>
#include <vector>

namespace redlatch::bench {

struct report {
    std::vector<std::pair<std::string, std::string>> surroundings;
    int rounds;
    std::optional<std::chrono::milliseconds> period; ///< none: each scenario's usual one
    std::vector<result> results;
};

std::string as_text(report const& all);
std::string as_json(report const& all);
std::string as_markdown(report const& all);

} // namespace redlatch::bench
