// The table at the end of a soak, and its verdict.
#pragma once

#include "board.hpp"
#include "faults.hpp"
#include "readings.hpp"

#include <string>
#include <vector>

namespace redlatch::soak {

struct resting {
    std::vector<process_reading> processes;
    server_reading server;
};

struct totals {
    std::uint64_t acquired = 0, sections = 0, refused = 0, cancelled = 0, disconnected = 0, lost = 0, told = 0,
                  clients = 0, forced = 0, other_errors = 0, overrun_us = 0;
};
totals totals_of(board const& shared);

/// What is not back where it was, one sentence each; empty: all is well.
std::vector<std::string> complaints(resting const& before, resting const& after, totals const& all,
                                    std::uint64_t violations);

std::string table(resting const& before, resting const& after);
std::string table(totals const& all, std::uint64_t violations, injector const& faults);

} // namespace redlatch::soak
