// Taking a lock, with signals that end the wait.
#pragma once

#include "options.hpp"
#include "private_server.hpp"
#include "signals.hpp"

#include <redlatch/client.hpp>
#include <redlatch/hold.hpp>

#include <optional>

namespace redlatch::cli {

/// Either the lock, or the signal that ended the wait, or neither: the lock is busy, which has been said.
struct taken {
    std::optional<redlatch::hold> hold{};
    int signal = 0;
    bool at_once = false; ///< no thread was ever needed
};

/// The ending signals must be blocked. Whatever the outcome, what is not in the result is not in Redis either. `near`: the
/// server has just answered within a few milliseconds. Throws error.
taken take_lock(client& owner, private_server& server, lock_options const& options, inherited_signals const& inherited,
                bool near);

/// Shows the client's events with --json, and tells the private server of lost connections; it has to outlive the client.
void watch_events(client& owner, private_server& server, report const& reporter);

} // namespace redlatch::cli
