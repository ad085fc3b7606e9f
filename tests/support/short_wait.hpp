// Short waits in vain, of tests that are about something else.
#pragma once

#include <redlatch/error.hpp>
#include <redlatch/options.hpp>

#include <system_error>

namespace redlatch::test {

/// How a short wait in vain ends: it has timed out or, where the machine is too loaded for an answer within it, nobody knows.
/// A test that is about the code waits for a second.
inline bool in_vain(std::error_code code) {
    return code == errc::timed_out || code == errc::disconnected;
}

/// Waiting for it in this way brings nothing.
template <class Lock> bool still_busy(Lock&& lock, acquire_options const& options) {
    std::error_code code;
    return !lock.try_acquire(options, code) && in_vain(code);
}

} // namespace redlatch::test
