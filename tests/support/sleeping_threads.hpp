// A time at which a process can be forked under the address sanitizer.
//
// That of GCC 12 leaves its allocator in the child as it was: where another thread was just asking it for memory, one of its
// mutexes is locked for ever, and the child hangs in the next malloc() or free() of that size. glibc's allocator is made whole.
#pragma once

#include "support/sanitized.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/types.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace redlatch::test {

/// A thread that has a mutex of the allocator is running, or about to. One thread may be excepted: that asks for no memory.
inline bool all_other_threads_sleep(pid_t excepted) {
    auto const me = std::to_string(::gettid());
    auto const may_run = std::to_string(excepted);
    std::error_code gone; // threads end meanwhile
    for (auto const& thread : std::filesystem::directory_iterator("/proc/self/task", gone)) {
        if (thread.path().filename() == me || thread.path().filename() == may_run) continue;
        std::string line;
        std::getline(std::ifstream(thread.path() / "stat"), line);
        auto const name_ends = line.rfind(')');
        if (name_ends != std::string::npos && line.compare(name_ends, 3, ") S") != 0) return false;
    }
    return !gone;
}

/// Blocks, for at most ten seconds. Without sanitizers there is nothing to wait for.
inline void wait_until_it_can_fork(pid_t excepted) {
    if (!is_sanitized()) return;
    auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!all_other_threads_sleep(excepted) && std::chrono::steady_clock::now() < until) std::this_thread::yield();
}

} // namespace redlatch::test
