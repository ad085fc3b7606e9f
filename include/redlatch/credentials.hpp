// User and password that change while a client runs: tokens of a cloud's IAM, passwords that Vault gives out for a time.
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
