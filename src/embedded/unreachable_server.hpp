// A server that is alive and serves no socket at the path of its folder: the folder or the socket was removed under it, or
// it is only starting or ending.
//
// Its holders go on. So nobody may start another one beside it, and it is not ended without being told to.
#pragma once

#include <redlatch/lease_clock.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>

namespace redlatch::embedded {

struct unreachable_server {
    ::pid_t process = 0;     ///< 0: not visible from here
    bool is_foreign = false; ///< no server of ours at all: another user has taken its name
    std::string text{};      ///< "process 123"
};

/// Gives one that is ending time until the limit, and one that has not listened yet until that of a start. None where there is
/// none, or where one answers now.
std::optional<unreachable_server> find_unreachable_server(std::filesystem::path const& folder,
                                                          lease_clock::time_point limit,
                                                          lease_clock::time_point limit_of_a_start);

/// Throws error(disconnected), or error(bad_config) for a foreign one, with what it is and what to do; `advice` ends the
/// message.
[[noreturn]] void refuse_unreachable(unreachable_server const& other, std::filesystem::path const& folder,
                                     std::string const& advice);

} // namespace redlatch::embedded
