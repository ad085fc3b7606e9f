// Commands that a server does not let this user run, and that redlatch can do without: the log names each of them once.
#pragma once

#include "connection/missing_right.hpp"
#include "connection/server_error.hpp"
#include "resp/value.hpp"

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::io {

/// Of one server. Thread-safe.
class spare_rights {
public:
    /// `server`: its address. `command`: as in an ACL rule.
    void refused(std::string const& server, std::string_view command, std::string_view said);
    /// The same of each that `answers` says so of.
    void refused(std::string const& server, std::vector<connection::missing_right> const& answers);

private:
    std::mutex mutex_; // guards what follows
    std::set<std::string, std::less<>> told_{};
};

} // namespace redlatch::io
