// Is anything held on a server that is about to be stopped?
#pragma once

#include "embedded/exchange.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::embedded {

/// `key:value` lines of INFO; empty where the key is not there.
std::string info_value(std::string_view info, std::string_view key);

/// All keys of all databases.
struct keyspace {
    std::vector<int> databases{};
    long long keys = 0;
};
keyspace parse_keyspace(std::string_view info);

/// Counting ends there, so that writers do not have to wait long.
inline constexpr std::size_t most_counted = 1000;

struct held_locks {
    std::size_t count = 0;   ///< at most most_counted
    std::string example{};   ///< the name of one
    bool of_permits = false; ///< it is a permit semaphore
};

/// Is it the field of a holder in the hash of a lock of any kind? CLIENT:NUMBER, and where the client is a UUID also with what
/// stands behind that (a write hold, a candidate) or around it (values of a group).
bool is_owner_field(std::string_view field);

/// Locks, hashes with the field of a holder, and permit semaphores of which permits are taken, in every database. By SCAN.
held_locks find_held_locks(exchange& server);

} // namespace redlatch::embedded
