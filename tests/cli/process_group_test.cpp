#include "process_group.hpp"
#include "support/wait_until.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace redlatch::cli {
namespace {

TEST(read_process_state, finds_state_and_group) {
    auto const process = read_process_state("4711 (sleep) S 1 4242 4711 0 -1 4194304\n");
    EXPECT_EQ(process.state, 'S');
    EXPECT_EQ(process.parent, 1);
    EXPECT_EQ(process.group, 4242);
}

TEST(read_process_state, is_not_misled_by_a_name) {
    auto const process = read_process_state("4711 (a) S 1 9 (b)) Z 1 4242 4711 0\n");
    EXPECT_EQ(process.state, 'Z');
    EXPECT_EQ(process.group, 4242);
}

TEST(read_process_state, says_nothing_of_what_it_cannot_read) {
    for (auto const* line : {"", "4711", "4711 (sleep)", "4711 (sleep) S", "4711 (sleep) S 1", "no process at all"})
        EXPECT_EQ(read_process_state(line).group, 0) << line;
}

/// A process in the group `group` (0: its own), which waits for a signal.
pid_t start_process(pid_t group) {
    pid_t const pid = ::fork();
    if (pid == 0) {
        ::setpgid(0, group);
        for (;;) ::pause();
    }
    ::setpgid(pid, group);
    return pid;
}

TEST(others_live_in_group, sees_the_living_and_not_the_dead) {
    pid_t const leader = start_process(0);
    pid_t const member = start_process(leader);
    ::kill(leader, SIGKILL);
    siginfo_t info{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(leader), &info, WEXITED | WNOWAIT), 0);

    EXPECT_TRUE(others_live_in_group(leader));
    ::kill(member, SIGKILL);
    EXPECT_TRUE(test::wait_until([leader] { return !others_live_in_group(leader); }));
    EXPECT_EQ(::waitpid(leader, nullptr, 0), leader) << "the leader is not reaped by looking";
}

/// What it says in a process of a group of its own, or deeper: below `between` more processes of that group.
bool is_orphaned(bool own_session, int between) {
    pid_t const pid = ::fork();
    if (pid == 0) {
        if (own_session)
            ::setsid();
        else
            ::setpgid(0, 0);
        for (int i = 0; i < between; ++i)
            if (pid_t const inner = ::fork(); inner != 0) {
                int status = 0;
                ::waitpid(inner, &status, 0);
                ::_exit(WEXITSTATUS(status));
            }
        ::_exit(own_group_is_orphaned() ? 1 : 0);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WEXITSTATUS(status) == 1;
}

TEST(own_group_is_orphaned, when_no_process_of_the_session_is_around_it) {
    for (int const between : {0, 1, 3}) {
        EXPECT_FALSE(is_orphaned(false, between)) << between << ": we are in the same session";
        EXPECT_TRUE(is_orphaned(true, between)) << between;
    }
}

} // namespace
} // namespace redlatch::cli
