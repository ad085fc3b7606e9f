// What a test does in the child of a fork.
#pragma once

#include "support/sanitized.hpp"
#include "support/sleeping_threads.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace redlatch::test {

/// Under the address sanitizer a thread may have run between the last look at it and the fork, once in some hundred times on a
/// full machine: then the child hangs in the allocator. What hangs because of the library does so each time.
inline int most_forks() {
    return is_sanitized() ? 3 : 1;
}

/// Runs the function in the child of a fork, which ends with what it returns. That status; -1, and a failure: a signal ended
/// the child, as one that hangs for 20 s. `busy_thread`: one that may run at the fork, since it asks for no memory.
template <class Function> int status_of_child(Function&& run, pid_t busy_thread = 0) {
    int status = 0;
    for (int forks = 0; forks < most_forks(); ++forks) {
        wait_until_it_can_fork(busy_thread);
        pid_t const child = ::fork();
        if (child == 0) {
            ::alarm(20); // a hang is a failure too
            ::_exit(run());
        }
        if (child < 0) {
            ADD_FAILURE() << "fork: " << std::strerror(errno);
            return -1;
        }
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGALRM) break;
    }
    EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace redlatch::test
