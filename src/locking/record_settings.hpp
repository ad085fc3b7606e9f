// What the records of all locks of one client have in common.
#pragma once

#include "base/time.hpp"
#include "locking/publish_method.hpp"

#include <cstdint>
#include <string>

namespace redlatch::locking {

/// Does not change once a record refers to it.
struct record_settings {
    std::string owner_prefix{};          ///< CLIENT: as the ids of all its owners begin
    std::uint64_t seed = 0;              ///< of what is left to chance
    base::milliseconds waiter_timeout{}; ///< of kinds that queue on the server
    publish_method const* publish = &publish_to_all;
};

} // namespace redlatch::locking
