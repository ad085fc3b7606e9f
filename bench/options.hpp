// What the user of the benchmark wants.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace redlatch::bench {

struct settings {
    enum class format { text, json, markdown };

    int rounds = 5;
    std::chrono::milliseconds period{500}; ///< of one contender in one round
    std::string only{};                    ///< scenarios whose name contains it; empty: all
    std::string placement{};               ///< "apart", "together"; empty: both
    format output = format::text;
    std::string tool{};  ///< the redlatch program
    std::string floor{}; ///< redlatch_run_floor
    std::string server = "redis-server";
};

/// None: the arguments are wrong or ask for help, and the user has been told.
std::optional<settings> parse(int argc, char** argv, int& exit_status);

} // namespace redlatch::bench
