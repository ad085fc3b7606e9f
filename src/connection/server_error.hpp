// What an error reply means for the command that got it.
#pragma once

#include "resp/value.hpp"

#include <redlatch/error.hpp>

#include <string>
#include <string_view>

namespace redlatch::connection {

enum class verdict {
    not_executed, ///< nothing happened; try again later
    read_only,    ///< nothing happened; this server is a replica now: reconnect and try again
    no_script,    ///< nothing happened; send the script's text
    wrong_type,   ///< the key is of another type
    refused,      ///< a missing right, a wrong password, a broken script: trying again does not help
};

/// Decided by the first word as a whole: BUSY is not BUSYKEY.
verdict judge(resp::value const& error);

errc to_errc(verdict what) noexcept;

} // namespace redlatch::connection
