// Where locks are found: the keys that are locks, and the queues of fair locks, which are there when nobody holds the lock.
#pragma once

#include "api/scan_bounds.hpp"

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace redlatch::detail {

/// One SCAN of one server.
struct lock_scan {
    enum class kind {
        locks,
        queues,           ///< of all fair locks
        queues_of_plain,  ///< of those whose names have no curly brackets, which stand around the name in the key
        queues_of_tagged, ///< of those whose names have some
    };

    kind what = kind::locks;
    std::string pattern{}; ///< of keys
    std::string cursor = "0";
    bool done = false;
    scan_bounds bounds{};
    std::unordered_set<std::string> seen{}; ///< keys: SCAN may name one twice

    /// On the next server. What was seen stays so: a key may move there meanwhile.
    void begin_again();
    char const* type() const noexcept { return what == kind::locks ? "hash" : "list"; }
    /// The lock that the key belongs to; empty: none.
    std::string_view name_in(std::string_view key) const noexcept;
};

/// For locks whose names match. One that cannot find anything is left out.
std::vector<lock_scan> scans_for_locks(std::string_view pattern);

} // namespace redlatch::detail
