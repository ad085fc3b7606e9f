// Taking permits, with signals that end the wait.
#pragma once

#include "waiting.hpp"

namespace redlatch::cli {

/// Where the options ask for permits: sets how many there are in all, if that is said and not set yet, and throws
/// error(invalid_argument) where it is another number, or where a wait could have no end. While signals still end the tool: it
/// blocks for as long as the client's timeout.
void prepare_permits(client& owner, lock_options const& options);

/// As take_lock, of the permits that the options ask for.
taken take_permits(client& owner, private_server& server, lock_options const& options,
                   inherited_signals const& inherited, bool near);

} // namespace redlatch::cli
