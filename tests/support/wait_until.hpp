// Waiting for something observable, instead of sleeping and hoping.
#pragma once

#include <chrono>
#include <thread>

namespace redlatch::test {

/// Generous: a test that passes never waits this long, a test that fails on a loaded machine should not fail for that.
inline constexpr std::chrono::seconds patience{20};

/// True as soon as `predicate()` is; false when it was not within `limit`.
template <class Predicate> bool wait_until(Predicate&& predicate, std::chrono::milliseconds limit = patience) {
    auto const end = std::chrono::steady_clock::now() + limit;
    while (!predicate()) {
        if (std::chrono::steady_clock::now() >= end) return predicate();
        std::this_thread::sleep_for(std::chrono::milliseconds(1)); // sleeps because a predicate cannot call us
    }
    return true;
}

/// True if `predicate()` stays true for as long as `period`; for "nothing happens" with a period chosen by the test.
template <class Predicate> bool stays(Predicate&& predicate, std::chrono::milliseconds period) {
    auto const end = std::chrono::steady_clock::now() + period;
    while (std::chrono::steady_clock::now() < end) {
        if (!predicate()) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1)); // sleeps because "nothing happens" takes time
    }
    return predicate();
}

} // namespace redlatch::test
