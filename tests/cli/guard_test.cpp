// The guard with commands that are not: a group of a process or two that ignore TERM where the test wants it.
#include "child.hpp"
#include "descriptor.hpp"
#include "guard.hpp"
#include "process_group.hpp"
#include "support/wait_until.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <future>
#include <gtest/gtest.h>
#include <optional>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

instant in(duration time) {
    return lease_clock::now() + time;
}

// When it has stopped it has read its whole script.
char const* const stops_itself = "kill -STOP $$; while :; do sleep 100; done";
char const* const ignores_term_and_stops_itself = "trap '' TERM; kill -STOP $$; while :; do sleep 100; done";

class guard_test : public testing::TestWithParam<guard::memory> {
protected:
    void start(loss_policy const& policy, schedule const& due,
               std::string const& script = "while :; do sleep 100; done") {
        watcher.emplace(policy, due, GetParam());
        words = {"sh", "-c", script};
        command.emplace(child_setup{&words, watcher->pipe(), -1, false});
        ASSERT_EQ(command->failure(), 0);
    }
    bool ends(duration within = test::patience) {
        return test::wait_until([this] { return command->has_ended(); }, within);
    }
    void TearDown() override {
        if (!command) return;
        command->signal(SIGKILL);
        command->reap();
    }

    std::vector<std::string> words{};
    std::optional<guard> watcher{};
    std::optional<child> command{};
};

INSTANTIATE_TEST_SUITE_P(memory, guard_test, testing::Values(guard::memory::own, guard::memory::shared),
                         [](auto const& instance) { return instance.param == guard::memory::own ? "own" : "shared"; });

TEST_P(guard_test, does_nothing_to_a_command_that_ends_in_time) {
    start({}, {in(1h), in(2h)}, "exit 7");
    ASSERT_TRUE(ends());
    watcher->done();
    EXPECT_FALSE(watcher->finish());
    EXPECT_EQ(command->reap(), 7);
    command.reset();
}

TEST_P(guard_test, is_reaped_also_when_its_turn_has_not_come) {
    start({}, {in(1h), in(2h)}, "exit 7");
    ASSERT_TRUE(ends());
    pid_t const process = watcher->pid();
    ASSERT_EQ(::kill(process, SIGSTOP), 0); // as one that has no processor: it does not read that it is done
    watcher->done();
    EXPECT_FALSE(watcher->finish());
    EXPECT_EQ(::waitpid(process, nullptr, WNOHANG), -1) << "nobody else would reap it when the tool has ended";
    EXPECT_EQ(errno, ECHILD);
    ::kill(process, SIGKILL);
    EXPECT_EQ(command->reap(), 7);
    command.reset();
}

TEST_P(guard_test, leaves_the_signals_of_the_tool_to_the_tool) {
    start({}, {in(1h), in(2h)});
    sigset_t blocked{};
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    for (int const number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGALRM, SIGUSR1})
        EXPECT_EQ(::sigismember(&blocked, number), 0) << number;
}

TEST_P(guard_test, terminates_and_then_kills_at_its_deadlines) {
    auto const kill_at = in(2s);
    start({on_lost::terminate, 300ms}, {in(1500ms), kill_at}, "trap 'echo' TERM; while :; do sleep 100; done");
    ASSERT_TRUE(ends());
    EXPECT_GE(lease_clock::now(), kill_at) << "TERM was ignored, so it was KILL, and not before its time";
    watcher->done();
    EXPECT_TRUE(watcher->finish()) << "it says that it had to act";
    EXPECT_EQ(command->reap(), 128 + SIGKILL);
    command.reset();
}

TEST_P(guard_test, terminates_a_command_that_obeys) {
    start({on_lost::terminate, 1h}, {in(100ms), in(1h)}, "exec sleep 100");
    ASSERT_TRUE(ends());
    watcher->done();
    EXPECT_TRUE(watcher->finish());
    EXPECT_EQ(command->reap(), 128 + SIGTERM);
    command.reset();
}

TEST_P(guard_test, continues_a_stopped_command_so_that_it_can_obey) {
    start({on_lost::terminate, 1h}, {in(1h), in(2h)}, stops_itself);
    ASSERT_TRUE(test::wait_until([this] { return command->take_stop().has_value(); }));
    watcher->tell({in(0ms), in(1h)});
    ASSERT_TRUE(ends()) << "TERM waits for as long as a command is stopped";
    watcher->done();
    EXPECT_TRUE(watcher->finish());
    EXPECT_EQ(command->reap(), 128 + SIGTERM);
    command.reset();
}

TEST_P(guard_test, obeys_deadlines_that_move) {
    auto const first = in(1500ms);
    start({on_lost::kill, 0ms}, {never, first});
    watcher->tell({never, in(1h)});
    EXPECT_FALSE(ends(std::chrono::ceil<duration>(first - lease_clock::now()) + 300ms))
        << "the deadline was moved before it came";
    watcher->tell({never, in(50ms)});
    EXPECT_TRUE(ends());
}

TEST_P(guard_test, kills_the_whole_group_when_the_tool_dies) {
    // The tool of this test is a process that starts guard and command, says which group it is, and is killed.
    adopt_orphans(); // so that the dead are reaped here, whatever init does
    int ends_of_pipe[2];
    ASSERT_EQ(::pipe(ends_of_pipe), 0);
    pid_t const tool = ::fork();
    if (tool == 0) {
        guard mine({on_lost::kill, 0ms}, {never, in(1h)}, GetParam());
        std::vector<std::string> const script{"sh", "-c", "sleep 100 & sleep 100"};
        child const yours({&script, mine.pipe(), -1, false});
        pid_t const group = yours.pid();
        [[maybe_unused]] auto const put = ::write(ends_of_pipe[1], &group, sizeof group);
        for (;;) ::pause();
    }
    pid_t group = 0;
    ASSERT_EQ(::read(ends_of_pipe[0], &group, sizeof group), static_cast<ssize_t>(sizeof group));
    ::kill(tool, SIGKILL);
    EXPECT_EQ(::waitpid(tool, nullptr, 0), tool);
    EXPECT_TRUE(test::wait_until([group] {
        while (::waitpid(-group, nullptr, WNOHANG) > 0) {
        }
        return ::kill(-group, 0) != 0 && errno == ESRCH;
    })) << "the group still lives";
    ::close(ends_of_pipe[0]);
    ::close(ends_of_pipe[1]);
}

TEST_P(guard_test, lives_in_a_session_of_its_own_and_keeps_nothing_open) {
    start({}, {in(1h), in(2h)}, "exec sleep 100");
    pid_t const pid = watcher->pid();
    ASSERT_TRUE(test::wait_until([pid] { return ::getsid(pid) == pid; }));
    auto const open_descriptors = [pid] {
        int found = 0;
        for (int number = 0; number < 64; ++number) {
            char target[256];
            auto const path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(number);
            auto const length = ::readlink(path.c_str(), target, sizeof target);
            if (length <= 0) continue;
            std::string const text(target, static_cast<std::size_t>(length));
            if (!text.starts_with("pipe:") && !text.starts_with("anon_inode:")) return 99;
            ++found;
        }
        return found;
    };
    EXPECT_TRUE(test::wait_until([&] { return open_descriptors() == 3; })) << "pipe, timer and the command's pidfd";
}

TEST_P(guard_test, survives_the_signals_that_end_the_tool) {
    start({}, {in(1h), in(2h)}, "exec sleep 100");
    ASSERT_TRUE(test::wait_until([this] { return ::getsid(watcher->pid()) == watcher->pid(); }));
    for (int const number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) ::kill(watcher->pid(), number);
    EXPECT_FALSE(watcher->has_died());
    watcher->tell({never, in(0ms)});
    EXPECT_TRUE(ends()) << "it still guards";
}

/// May this process give itself a place before others?
bool real_time_is_permitted() {
    return std::async(std::launch::async,
                      [] {
                          sched_param lowest{};
                          lowest.sched_priority = 1;
                          return ::sched_setscheduler(0, SCHED_FIFO, &lowest)
                                 == 0; // of the thread that asks, which ends now
                      })
        .get();
}

TEST_P(guard_test, runs_before_others_and_its_command_does_not) {
    if (!real_time_is_permitted()) GTEST_SKIP() << "no real-time priority is permitted here";
    start({}, {in(1h), in(2h)}, "exec sleep 100");
    EXPECT_EQ(::sched_getscheduler(watcher->pid()), SCHED_FIFO | SCHED_RESET_ON_FORK);
    EXPECT_EQ(::sched_getscheduler(command->pid()), SCHED_OTHER);
}

TEST_P(guard_test, that_was_killed_can_be_replaced) {
    ::signal(SIGPIPE, SIG_IGN); // as the tool does
    start({on_lost::kill, 0ms}, {never, in(1h)}, "exec sleep 100");
    ::kill(watcher->pid(), SIGKILL);
    ASSERT_TRUE(test::wait_until([this] { return watcher->has_died(); }));
    watcher->replace(command->pid());
    EXPECT_FALSE(ends(100ms));
    watcher->tell({never, in(0ms)});
    EXPECT_TRUE(ends()) << "the other one guards the same command";
    watcher->done();
    EXPECT_TRUE(watcher->finish());
}

TEST_P(guard_test, goes_on_in_another_process_when_it_is_hardened) {
    start({on_lost::kill, 0ms}, {never, in(2s)});
    watcher->harden(command->pid());
    EXPECT_FALSE(ends(200ms)) << "the change is no reason to end anything";
    EXPECT_TRUE(ends()) << "the deadline is still known";
    watcher->done();
    EXPECT_TRUE(watcher->finish());
}

TEST_P(guard_test, a_command_starts_and_ends_as_usual_when_its_guard_was_killed) {
    ::signal(SIGPIPE, SIG_IGN); // as the tool does
    watcher.emplace(loss_policy{}, schedule{in(1h), in(2h)}, GetParam());
    ::kill(watcher->pid(), SIGKILL);
    ASSERT_TRUE(test::wait_until([this] { return watcher->has_died(); }));
    words = {"sh", "-c", "exit 3"};
    command.emplace(child_setup{&words, watcher->pipe(), -1, false});
    watcher->done();
    EXPECT_FALSE(watcher->finish());
    EXPECT_EQ(command->reap(), 3) << "no SIGPIPE that was meant for the pipe to the guard";
    command.reset();
}

TEST(child_test, has_ended_when_somebody_else_has_reaped_it) {
    auto const pipe = pipe_ends::make();
    std::vector<std::string> const words{"true"};
    child command({&words, pipe.writer.get(), -1, false});
    ASSERT_EQ(::waitpid(command.pid(), nullptr, 0), command.pid());
    EXPECT_TRUE(command.has_ended());
    EXPECT_EQ(command.reap(), 70) << "nobody knows how it ended, so it was no success";
}

TEST(child_test, sends_no_signal_to_a_number_that_may_be_anybodys) {
    auto const pipe = pipe_ends::make();
    // The group lives on without its leader, so a signal to it would arrive.
    std::vector<std::string> const words{"sh", "-c", "sleep 100 &"};
    child command({&words, pipe.writer.get(), -1, false});
    ASSERT_EQ(::waitpid(command.pid(), nullptr, 0), command.pid());
    EXPECT_EQ(command.signal(SIGKILL), ESRCH);
    EXPECT_EQ(::kill(-command.pid(), 0), 0) << "the rest of the group still lives";
    EXPECT_FALSE(command.was_sent(SIGKILL));
    ::kill(-command.pid(), SIGKILL);
}

TEST(child_test, is_told_by_the_kernel_when_its_parent_ends) {
    adopt_orphans();
    int ends_of_pipe[2];
    ASSERT_EQ(::pipe(ends_of_pipe), 0);
    pid_t const tool = ::fork();
    if (tool == 0) {
        std::vector<std::string> const script{"sleep", "100"};
        auto const guard_pipe = pipe_ends::make();
        child const command({&script, guard_pipe.writer.get(), -1, false, SIGUSR1});
        pid_t const number = command.pid();
        [[maybe_unused]] auto const put = ::write(ends_of_pipe[1], &number, sizeof number);
        for (;;) ::pause();
    }
    pid_t command = 0;
    ASSERT_EQ(::read(ends_of_pipe[0], &command, sizeof command), static_cast<ssize_t>(sizeof command));
    ::kill(tool, SIGKILL);
    EXPECT_EQ(::waitpid(tool, nullptr, 0), tool);
    int status = 0;
    EXPECT_TRUE(test::wait_until([&] { return ::waitpid(command, &status, WNOHANG) == command; }));
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1) << status;
    ::close(ends_of_pipe[0]);
    ::close(ends_of_pipe[1]);
}

TEST(orphaned_guard, kills_the_command_before_the_key_can_expire_although_its_grace_is_longer) {
    auto pipe = pipe_ends::make();
    auto const end_of_validity = in(2s);
    auto watching = std::async(std::launch::async, [reader = pipe.reader.get(), end_of_validity] {
        return watch_over_command(reader, {on_lost::terminate, 1h}, {in(1h), end_of_validity});
    });
    std::vector<std::string> const words{"sh", "-c", ignores_term_and_stops_itself};
    child command({&words, pipe.writer.get(), -1, false});
    EXPECT_TRUE(test::wait_until([&] { return command.take_stop().has_value(); }));
    pipe.writer.close(); // the tool is dead
    EXPECT_TRUE(test::wait_until([&] { return command.has_ended(); }));
    EXPECT_GE(lease_clock::now(), end_of_validity) << "as much of the grace as there is";
    command.signal(SIGKILL); // if it did not end: the guard waits for it
    EXPECT_EQ(command.reap(), 128 + SIGKILL);
    EXPECT_EQ(watching.get(), 1) << "it says that it had to act";
}

TEST(orphaned_guard, ends_the_rest_of_a_group_whose_leader_went_together_with_the_tool) {
    auto pipe = pipe_ends::make();
    auto watching = std::async(std::launch::async, [reader = pipe.reader.get()] {
        return watch_over_command(reader, {on_lost::terminate, 1h}, {in(1h), in(2h)});
    });
    std::vector<std::string> const words{"sh", "-c", "sleep 100 & kill -STOP $$"};
    child command({&words, pipe.writer.get(), -1, false});
    EXPECT_TRUE(test::wait_until([&] { return command.take_stop().has_value(); }));
    ::kill(command.pid(), SIGKILL); // as the kernel does at the end of its parent
    EXPECT_TRUE(test::wait_until([&] { return command.has_ended(); }));
    EXPECT_TRUE(command.group_has_others());
    pipe.writer.close(); // the tool is dead
    EXPECT_TRUE(test::wait_until([&] { return !command.group_has_others(); }));
    EXPECT_EQ(watching.get(), 1);
    command.signal(SIGKILL);
    command.reap();
}

} // namespace
} // namespace redlatch::cli
