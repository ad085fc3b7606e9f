// A field of processes that all want the same locks all the time, and what each of them gets: to compare ways of taking turns,
// quickly and in the same way each time. `redlatch_sim --fairness` prints it, for one seed or many.
#pragma once

#include "sim/check/history.hpp"
#include "sim/scenario/scenario.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace redlatch::sim {

struct field {
    int processes = 4;
    int redisson = 0; ///< of them, the last ones: they lock as Redisson does
    int threads = 1;  ///< of each process
    int locks = 1;
    double zipf = 0;
    std::int64_t hold_us = 500;
    std::int64_t pause_us = 500;
    std::int64_t lasts = 2'000; ///< ms
    bool scripts_only = false;
    bool hands_over = true;
    bool strictly = false;
    bool detached_unlock = false;
    speed how_fast{};
};

scenario generate(field const& what, std::uint64_t seed);

/// Of the time between the first moments, in which all connect, and the end.
struct shares {
    std::vector<std::uint64_t> acquired{}; ///< by process
    std::vector<moment> longest_waits{};   ///< by process
    std::vector<moment> waits{};           ///< all, rising; those that were not over at the end too
    std::uint64_t most_passed_over = 0;    ///< acquisitions of one lock by other processes while one waiter waited
    std::uint64_t longest_run = 0;         ///< acquisitions of one process in a row while others waited
    moment longest_slice{0};               ///< and how long such a run took
    double commands = 0;                   ///< for each acquisition
    double wakes = 0;                      ///< of threads, likewise
    moment lasted{0};

    std::uint64_t total() const;
    double most_by_least() const; ///< of the processes; infinite if one got nothing
    moment wait_of(double part) const;
};

shares shares_of(history const& all, int processes, moment from, moment until);

/// Times and counts, in lines.
std::string to_text(field const& what);
std::string to_text(shares const& seen);

} // namespace redlatch::sim
