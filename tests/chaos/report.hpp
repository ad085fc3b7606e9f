// What is said of the runs.
#pragma once

#include "verdict.hpp"

#include <string>
#include <utility>
#include <vector>

namespace redlatch::chaos {

/// Where and with what, as lines of a table.
using surroundings = std::vector<std::pair<std::string, std::string>>;
surroundings surroundings_of_run(programs const& used);

/// One line for a terminal, without a line feed; what was broken follows on lines of its own.
std::string as_text(result const& one);

/// docs/failure_modes.md.
std::string as_markdown(std::vector<result> const& all, surroundings const& where);

/// That page with the sections of these results in place of their former ones, or behind the others.
std::string renewed_markdown(std::string const& page, std::vector<result> const& some, surroundings const& where);

/// "35 ms", "1.48 s"; none: "–".
std::string duration_text(std::optional<std::int64_t> us);

/// The cells that both forms share: losses, notice, ahead, recovery, longest wait, unheard, calls failed, two at once. What
/// differs between the runs is said as the least and the greatest: "1 to 3".
std::vector<std::string> cells(result const& one);
std::string fault_cell(result const& one);
std::string verdict_text(result const& one);
std::string name_of(library by);

} // namespace redlatch::chaos
