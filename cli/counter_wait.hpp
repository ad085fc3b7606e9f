// Waiting for permits or for a latch, with signals that end the wait.
#pragma once

#include "counter_command.hpp"
#include "signals.hpp"

#include <redlatch/lease_clock.hpp>

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace redlatch::cli {

/// Asks the library; throws error. `limit`: as of redlatch::wait_options.
using ask_and_wait = std::function<void(std::optional<duration> limit, std::stop_token stop)>;

/// How a wait ended.
struct waited {
    bool done = false;    ///< what was waited for has come
    std::string reason{}; ///< it has not: busy, or timed out; empty: because of the signal
    int signal = 0;       ///< it ended the wait, or came just after it; 0: none
};

/// The ending signals must be blocked. `subject`: what is waited for, in a sentence. Throws error, unless a signal came.
waited wait_for_counter(counter_command const& command, wait_flags const& flags, inherited_signals const& inherited,
                        std::string const& subject, ask_and_wait const& ask);

} // namespace redlatch::cli
