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

/// A message for whoever reads what the server said.
std::string_view what_to_do(std::string_view said);

/// This user may not run the command; in a script each generation of servers says it in words of its own.
bool is_missing_right(resp::value const& error);

/// The server needs more memory for it than it may use.
bool is_out_of_memory(resp::value const& error);

/// How far a refusal goes.
enum class reach {
    keys,    ///< it is about the keys that were named: others may be allowed
    command, ///< this user may not run the command, or the server does not know it: whatever the key
    unknown,
};
reach reach_of(resp::value const& refusal);

/// The server is a replica now, or is becoming one: READONLY, and what WAIT is answered then.
bool is_of_a_replica(resp::value const& error);

/// A node of a cluster that does not serve the slot: CLUSTERDOWN, TRYAGAIN.
bool is_about_the_cluster(resp::value const& error);

/// The slot is on its way to another node, and its keys are on both. Each key by itself is served: a call that names it alone
/// is redirected to where it is.
bool is_of_divided_slot(resp::value const& error);

errc to_errc(verdict answer) noexcept;

} // namespace redlatch::connection
