// What waits for locks and for counters have in common.
#pragma once

#include <redlatch/detail/bounded_wait.hpp>
#include <redlatch/error.hpp>
#include <redlatch/lease_clock.hpp>

#include <chrono>
#include <string>
#include <system_error>
#include <utility>

namespace redlatch::detail {

/// What is longer is for ever: clocks that count nanoseconds have room for it, and the server's do.
inline constexpr duration longest_time = std::chrono::floor<duration>(longest_wait);

/// To a try: an answer, and no failure.
inline bool means_no(std::error_code code) noexcept {
    return code == errc::busy || code == errc::timed_out;
}

[[noreturn]] inline void fail(std::error_code code, std::string message) {
    if (code.category() != error_category()) throw std::system_error(code, message);
    throw error(static_cast<errc>(code.value()), std::move(message));
}

} // namespace redlatch::detail
