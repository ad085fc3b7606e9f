// Who a client is for the server, where that changes: tokens of a cloud's IAM, leases of Vault.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace redlatch {

/// Plain data.
struct credentials {
    /// ACL user; empty: the default user.
    std::string username{};
    /// Empty: no authentication.
    std::string password{};
    /// When the server ceases to accept a connection that was made with them. None: never.
    std::optional<std::chrono::system_clock::time_point> expires{};
};

} // namespace redlatch
