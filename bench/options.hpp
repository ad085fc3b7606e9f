// What the user of the benchmark wants.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace redlatch::bench {

struct settings {
    int rounds = 5;
    /// Of one contender in one round; none: as long as the scenario needs it.
    std::optional<std::chrono::milliseconds> period{};
    std::string only{};        ///< scenarios whose name contains it; empty: all
    std::string placement{};   ///< "apart", "together", "free"; empty: all
    std::string peers = "all"; ///< "none", "all", a folder of peers/ or a title
    /// Where these forms of the results go; "-": stdout, none: nowhere. Stdout has the table if neither goes there.
    std::optional<std::string> json{};
    std::optional<std::string> markdown{};
    bool even_if_busy = false;
    bool large =
        false; ///< also what takes minutes and gigabytes ///< the page is made although something else runs on the machine
    std::string tool{};  ///< the redlatch program
    std::string floor{}; ///< redlatch_run_floor
    std::string server = "redis-server";
    std::string peer_sources{};
    std::string peer_builds{};
};

/// None: the arguments are wrong or ask for help, and the user has been told.
std::optional<settings> parse(int argc, char** argv, int& exit_status);

} // namespace redlatch::bench
