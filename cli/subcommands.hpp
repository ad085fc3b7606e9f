// A command that has commands of its own, as in: redlatch server status.
#pragma once

#include "command_line.hpp"

#include <string>
#include <vector>

namespace redlatch::cli {

struct subcommand {
    std::string name;
    int (*run)(arguments const& words); ///< gets the words behind its name
};

/// Runs the one that the first word names; `command` is the one that they belong to. Throws usage_error, with the one that may
/// have been meant, or help_requested with `help`.
int run_subcommand(std::string const& command, std::vector<subcommand> const& known, char const* help,
                   arguments const& words);

} // namespace redlatch::cli
