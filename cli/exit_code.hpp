// What the tool's exit status says; the table is in the man page.
#pragma once

#include <redlatch/error.hpp>

#include <stdexcept>

namespace redlatch::cli {

namespace exit_code {
inline constexpr int usage = 64;
inline constexpr int unavailable = 69;
inline constexpr int internal = 70;
inline constexpr int no_output = 74;
inline constexpr int busy = 75;
inline constexpr int lost = 79;
inline constexpr int not_executable = 126;
inline constexpr int not_found = 127;
inline constexpr int by_signal = 128; ///< plus its number
} // namespace exit_code

/// The command line, or a value in it or in the environment, cannot be used.
struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline int exit_code_of(errc reason) noexcept {
    switch (reason) {
    case errc::busy:
    case errc::timed_out: return exit_code::busy;
    case errc::lease_lost: return exit_code::lost;
    case errc::outcome_unknown:
    case errc::disconnected:
    case errc::server_refused:
    case errc::wrong_type:
    case errc::bad_reply:
    case errc::not_replicated: return exit_code::unavailable;
    case errc::bad_config:
    case errc::bad_name:
    case errc::invalid_argument: return exit_code::usage;
    case errc::cancelled:
    case errc::not_owner:
    case errc::closed:
    case errc::forked:
    case errc::wrong_thread:
    case errc::would_deadlock: return exit_code::internal;
    }
    return exit_code::internal;
}

} // namespace redlatch::cli
