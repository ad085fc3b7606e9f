// Taking a lock, with signals that end the wait.
#pragma once

#include "command_hold.hpp"
#include "options.hpp"
#include "private_server.hpp"
#include "signals.hpp"

#include <redlatch/client.hpp>

#include <optional>

namespace redlatch::cli {

/// Either the lock or the permits, or the signal that ended the wait, or neither: the lock is busy, which has been said.
struct taken {
    std::optional<command_hold> hold{};
    int signal = 0;
    bool at_once = false; ///< no thread was ever needed
};

/// How long signals may have to wait when a server that was quick a moment ago does not answer.
inline constexpr duration first_attempt{20};
/// When to say that there is a wait, and to look into it: not in a short one that its end finds soon enough.
duration first_look(wait_flags const& flags);

/// The ending signals must be blocked. Whatever the outcome, what is not in the result is not in Redis either. `near`: the
/// server has just answered within a few milliseconds. Throws error.
taken take_lock(client& owner, private_server& server, lock_options const& options, inherited_signals const& inherited,
                bool near);

/// Shows the client's events with --json, and tells the private server of lost connections; it has to outlive the client.
void watch_events(client& owner, private_server& server, report const& reporter);

} // namespace redlatch::cli
