// What a test does in the child of a fork.
#pragma once

#include "support/sleeping_threads.hpp"

#include <cerrno>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace redlatch::test {

/// Runs the function in the child of a fork, which ends with what it returns. That status; -1, and a failure: a signal ended
/// the child, as one that hangs for 20 s.
template <class Function> int status_of_child(Function&& run) {
    wait_until_it_can_fork();
    pid_t const child = ::fork();
    if (child == 0) {
        ::alarm(20); // a hang is a failure too
        ::_exit(run());
    }
    if (child < 0) {
        ADD_FAILURE() << "fork: " << std::strerror(errno);
        return -1;
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace redlatch::test
