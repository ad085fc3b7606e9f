// A configuration as it is shown: what it says, and nothing that is secret.
#pragma once

#include <redlatch/config.hpp>

#include <string>
#include <vector>

namespace redlatch::cli {

/// What was said while it was read.
struct config_remarks {
    std::vector<std::string> ignored{}; ///< keys without an effect, each with its line and the reason
    std::vector<std::string> warnings{};
};

/// The addresses of a configuration that has been read, taken apart.
struct shown_servers {
    std::string mode{};
    std::vector<std::string> addresses{}; ///< passwords are masked
    std::string master{};                 ///< that the Sentinels know it by
    std::string username{};               ///< empty: the default user
    bool has_password = false;
    int database = 0;
    bool tls = false;          ///< of the connections to the servers
    bool sentinel_tls = false; ///< to the Sentinels
};

shown_servers servers_of(config const& settings);

/// `redis://alice:***@host:6379`, for an address that can be used.
std::string masked_address(std::string const& address);

/// One line for each thing, in columns.
std::string text_of(config const& settings, config_remarks const& remarks);
/// One line; the members are in the man page.
std::string json_of(config const& settings, config_remarks const& remarks);

} // namespace redlatch::cli
