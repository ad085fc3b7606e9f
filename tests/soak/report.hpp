// The table at the end of a soak, and its verdict.
#pragma once

#include "board.hpp"
#include "faults.hpp"
#include "readings.hpp"

#include <map>
#include <string>
#include <vector>

namespace redlatch::soak {

struct resting {
    std::vector<process_reading> processes;
    server_reading server;
};

struct totals {
    std::uint64_t acquired = 0;
    std::uint64_t sections = 0;
    std::uint64_t refused = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t disconnected = 0;
    std::uint64_t lost = 0;
    std::uint64_t told = 0;
    std::uint64_t clients = 0;
    std::uint64_t forced = 0;
    std::uint64_t overrun_us = 0;
    std::uint64_t handler_overrun_us = 0;
    std::int64_t stall_us = 0;                   ///< the longest time for which the machine stood still
    std::map<int, std::uint64_t> other_errors{}; ///< by redlatch::errc
};
totals totals_of(board const& shared);

/// What is not back where it was, one message each; empty: all is well.
std::vector<std::string> complaints(resting const& before, resting const& after, totals const& all,
                                    std::uint64_t violations);

std::string table(resting const& before, resting const& after);
std::string table(totals const& all, std::uint64_t violations, injector const& faults);

} // namespace redlatch::soak
