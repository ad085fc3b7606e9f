// What the user of redlatch_chaos wants.
#pragma once

#include <optional>
#include <string>

namespace redlatch::chaos {

struct run_options {
    bool markdown = false;
    bool redisson = false;
    bool list = false;
    bool keep = false;  ///< the histories also of what went well
    std::string only{}; ///< the scenario of this name, else those whose name contains it; empty: all
    std::string into{}; ///< a page whose sections of these scenarios are renewed
    int runs = 1;       ///< of each scenario
};

/// None: the arguments are wrong or ask for help, and the user has been told.
std::optional<run_options> parse(int count, char** arguments, int& exit_status);

} // namespace redlatch::chaos
