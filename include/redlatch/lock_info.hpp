// What can be seen of a lock from outside.
#pragma once

#include <redlatch/lease_clock.hpp>

#include <optional>
#include <string>
#include <vector>

namespace redlatch {

/// One holder of a lock.
struct lock_owner {
    std::string owner;  ///< the field in Redis, "client:holder" (a write hold of a read-write lock ends in ":write")
    std::string client; ///< the client's UUID
    std::string holder; ///< the number of the holder within that client
    std::int64_t count = 0; ///< how many times it is held
};

/// A snapshot of one lock, Java's holds included.
struct lock_info {
    std::string name;
    bool held = false;
    /// "reentrant", "fair", "fenced", "read" or "write" (the mode of a read-write lock); "" when free. A spin or non-reentrant
    /// lock cannot be told from a re-entrant one.
    std::string type;
    std::vector<lock_owner> owners;
    /// How long until the key expires by itself; none: free, or without expiry.
    std::optional<duration> remaining_lease;
};

} // namespace redlatch
