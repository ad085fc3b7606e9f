#include "io/fork_guard.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace redlatch::io {
namespace {

TEST(fork_generation, stays_the_same_within_a_process) {
    auto const first = fork_generation();
    EXPECT_NE(first, 0U);
    EXPECT_EQ(fork_generation(), first);
}

class fork_generation_of_a_child : public ::testing::TestWithParam<bool> {};

TEST_P(fork_generation_of_a_child, is_another_one_and_stays_the_same) {
    auto const ours = fork_generation();
    auto const child = GetParam() ? ::fork() : static_cast<::pid_t>(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    if (child == 0) {
        auto const its = fork_generation();
        ::_exit(its != 0 && its != ours && fork_generation() == its ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(fork_generation(), ours);
}

INSTANTIATE_TEST_SUITE_P(made, fork_generation_of_a_child, ::testing::Bool(),
                         [](auto const& made) { return made.param ? "by_fork" : "without_handlers"; });

} // namespace
} // namespace redlatch::io
