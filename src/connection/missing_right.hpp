// A command that the connection itself sends, and that the server does not let this user run.
#pragma once

#include "connection/server_error.hpp"
#include "resp/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace redlatch::connection {

struct missing_right {
    std::string_view command; ///< as in an ACL rule: "client|kill"
    std::string said{};       ///< by the server
};

/// Adds it where `answer` says so.
inline void note_missing_right(std::vector<missing_right>& to, std::string_view command, resp::value const& answer) {
    if (is_missing_right(answer)) to.push_back({command, answer.text});
}

} // namespace redlatch::connection
