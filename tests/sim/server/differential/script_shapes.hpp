// Which words each of the shipped scripts is sent with, for random sequences.
#pragma once

#include "locking/script.hpp"

#include <span>
#include <string_view>

namespace redlatch::sim {

/// A letter stands for a word; `?`: what follows may be left out.
///
/// KEYS: k one of the few keys that all kinds share, q queue and z timeouts of a fair lock, t token counter, h prefix of read
/// holds, e ends of permits, r record of a request, g group of values.
/// ARGV: l lease, L lease or 0, E lease or empty, o OWNER, O OWNER or empty, w OWNER that writes, W that or empty, x OWNER that
/// reads or writes, p publish command, c channel, s numsub or shardnumsub, n hold count, a number of permits, b 0 or 1,
/// m message, M mode, d how long a waiter keeps its place, R for how long a record is kept, i id of a permit, f field of a
/// value, 2 the number of two fields, h as above.
struct script_shape {
    locking::script const* which;
    std::string_view keys;
    std::string_view arguments;
    std::string_view each_key{};       ///< of a script for several locks: for each of them once more
    std::string_view each_arguments{}; ///< the same
};

/// The scripts that one kind uses.
using script_family = std::span<script_shape const>;

std::span<script_family const> script_families();

/// Of a script that is in none, or empty: why it is not.
std::string_view why_not_played(locking::script const& which);

} // namespace redlatch::sim
