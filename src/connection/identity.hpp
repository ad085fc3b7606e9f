// Which connection to which run of which server.
#pragma once

#include "connection/missing_right.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace redlatch::connection {

/// What names a former connection to kill, and never a stranger: ids begin again when a server restarts, so
/// the address as the server saw it and the server's run id belong to it.
struct identity {
    std::int64_t client_id = 0;
    std::string address{}; ///< of our end, as the server saw it
    std::string run_id{};
    std::string software{}; ///< "redis" or "valkey"
    std::string version{};
    std::string eviction_policy{}; ///< maxmemory-policy; empty: not known
    std::string server{}; ///< its own address, as it sees it; empty: not known, as where CLIENT INFO is refused

    std::vector<missing_right> missing_rights{}; ///< of the greeting

    bool known() const noexcept { return client_id > 0 && !address.empty() && !run_id.empty(); }
};

} // namespace redlatch::connection
