// redlatch hold
#include "tool.hpp"

#include <csignal>
#include <filesystem>
#include <optional>
#include <sys/ptrace.h>
#include <sys/wait.h>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

/// All threads of a process but its first stand still, until this ends. Of one thread: ptrace knows its tracer by its thread.
class frozen_threads {
public:
    explicit frozen_threads(pid_t process) {
        for (auto const& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
            pid_t const thread = std::stoi(entry.path().filename());
            if (thread == process || ::ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) continue;
            threads_.push_back(thread);
            ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
            ::waitpid(thread, nullptr, __WALL);
        }
    }
    frozen_threads(frozen_threads const&) = delete;
    frozen_threads& operator=(frozen_threads const&) = delete;
    ~frozen_threads() {
        for (pid_t const thread : threads_) ::ptrace(PTRACE_DETACH, thread, nullptr, nullptr);
    }

    std::size_t count() const noexcept { return threads_.size(); }

private:
    std::vector<pid_t> threads_{};
};

class hold_command : public tool_test {};

TEST_F(hold_command, says_the_token_of_a_fenced_lock) {
    for (auto const* expected : {"held 1", "held 2"}) {
        auto const tool = start({"hold", "job", "--fenced"});
        EXPECT_EQ(line_of(*tool), expected);
        tool->signal(SIGTERM);
        EXPECT_EQ(finish(*tool).status, 0);
    }
    server.run("DEL", "redisson_lock_token:{job}"); // it outlives the lock
}

TEST_F(hold_command, says_the_token_of_a_fair_lock_that_it_has_waited_for) {
    auto const first = start({"hold", "job", "--fenced", "--fair"});
    EXPECT_EQ(line_of(*first), "held 1");
    auto const second = start({"hold", "job", "--fenced", "--fair"});
    ASSERT_TRUE(wait_until([&] { return server.run("LLEN", "redisson_lock_queue:{job}").integer == 1; }));
    first->signal(SIGTERM);
    EXPECT_EQ(finish(*first).status, 0);
    EXPECT_EQ(line_of(*second), "held 2");
    second->signal(SIGTERM);
    EXPECT_EQ(finish(*second).status, 0);
    server.run("DEL", "redisson_lock_token:{job}"); // it outlives the lock
}

TEST_F(hold_command, says_held_and_holds_until_a_signal) {
    for (int const number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
        auto const tool = start({"hold", "job"});
        EXPECT_EQ(line_of(*tool), "held");
        EXPECT_TRUE(is_held());
        tool->signal(number);
        auto const result = finish(*tool);
        EXPECT_EQ(result.status, 0) << number << result.errors;
        EXPECT_EQ(result.errors, "");
        EXPECT_FALSE(is_held());
    }
}

TEST_F(hold_command, renews) {
    auto const tool = start({"hold", "job", "--watchdog", "2s"});
    EXPECT_EQ(line_of(*tool), "held");
    auto const first = expiry();
    EXPECT_TRUE(wait_until([&] { return expiry() > first + 1000; }));
    tool->signal(SIGTERM);
    EXPECT_EQ(finish(*tool).status, 0);
}

TEST_F(hold_command, excludes_others_and_wakes_them) {
    auto const holder = start({"hold", "job"});
    EXPECT_EQ(line_of(*holder), "held");
    EXPECT_EQ(run({"run", "job", "--no-wait", "--", "true"}).status, 75);
    auto const waiter = start({"run", "job", "--", "echo", "mine"});
    ASSERT_TRUE(becomes_waited_for());
    holder->signal(SIGTERM);
    EXPECT_EQ(line_of(*waiter), "mine");
    EXPECT_EQ(finish(*waiter).status, 0);
    EXPECT_EQ(finish(*holder).status, 0);
}

TEST_F(hold_command, ends_with_79_when_the_lock_is_lost) {
    auto const tool = start({"hold", "job", "--watchdog", "600ms"});
    EXPECT_EQ(line_of(*tool), "held");
    server.run("DEL", "job");
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 79);
    EXPECT_NE(result.errors.find("'job' was lost"), std::string::npos) << result.errors;
}

TEST_F(hold_command, says_in_the_event_of_a_loss_what_it_held) {
    auto const event_of = [&](words const& flags) {
        words all{"hold", "job", "--json", "--lease", "400ms"};
        all.insert(all.end(), flags.begin(), flags.end());
        auto const result = run(all);
        EXPECT_EQ(result.status, 79);
        EXPECT_EQ(result.output, "held\n") << "no JSON: scripts wait for this word";
        return result.errors.substr(result.errors.rfind("{\"event\":\"lost\""));
    };
    EXPECT_NE(event_of({}).find("\"name\":\"job\",\"owner\":\""), std::string::npos);
    ASSERT_TRUE(becomes_free());
    EXPECT_NE(event_of({"--permits", "1/1"}).find("\"name\":\"job\",\"permits\":1,\"ids\":\""), std::string::npos);
    server.run("FLUSHALL"); // the record of what was given back, too: it lives for a minute
}

TEST_F(hold_command, ends_with_79_at_the_end_of_a_fixed_lease) {
    auto const tool = start({"hold", "job", "--lease", "400ms"});
    EXPECT_EQ(line_of(*tool), "held");
    EXPECT_EQ(finish(*tool).status, 79);
    EXPECT_TRUE(becomes_free());
}

TEST_F(hold_command, that_was_stopped_beyond_its_lease_says_so) {
    auto const tool = start({"hold", "job", "--watchdog", "500ms"});
    EXPECT_EQ(line_of(*tool), "held");
    tool->signal(SIGSTOP);
    ASSERT_TRUE(becomes_free());
    tool->signal(SIGCONT);
    EXPECT_EQ(finish(*tool).status, 79);
}

TEST_F(hold_command, sees_the_end_of_its_lease_by_the_clock_when_no_other_thread_of_it_runs) {
    auto const tool = start({"hold", "job", "--lease", "1s"});
    EXPECT_EQ(line_of(*tool), "held");
    std::optional<frozen_threads> others(std::in_place, tool->pid());
    if (others->count() == 0) GTEST_SKIP() << "threads of another process cannot be stopped here (ptrace)";
    EXPECT_TRUE(wait_until([&] { return tool->error_text().find("'job' was lost") != std::string::npos; }));
    others.reset();
    EXPECT_EQ(finish(*tool).status, 79);
    EXPECT_TRUE(becomes_free());
}

TEST_F(hold_command, ends_when_whoever_has_read_that_it_is_held_is_gone) {
    child_process both(
        {{"sh", "-c", "{ " + the_tool() + " hold job; echo \"status $?\" >&2; } | { read line; echo $line; }"},
         {"REDLATCH_SERVER=" + server.uri()},
         {}});
    auto const result = finish(both);
    EXPECT_EQ(result.output, "held\n");
    EXPECT_EQ(result.errors, "status 0\n");
    EXPECT_FALSE(is_held());
}

TEST_F(hold_command, does_not_outlive_a_script_that_is_killed) {
    child_process script({{"bash", "-c",
                           "coproc LOCK { exec " + the_tool()
                               + " hold job; }; read -r state <&\"${LOCK[0]}\"; "
                                 "echo \"$state\"; read -r line"},
                          {"REDLATCH_SERVER=" + server.uri()},
                          {}});
    ASSERT_EQ(line_of(script), "held");
    EXPECT_TRUE(is_held());
    script.signal(SIGKILL);
    EXPECT_TRUE(becomes_free());
}

TEST_F(hold_command, goes_on_where_stdout_is_no_pipe) {
    auto const said = (folder.path() / "said").string();
    child_process tool({{"sh", "-c", "exec " + the_tool() + " hold job --watchdog 600ms >" + said},
                        {"REDLATCH_SERVER=" + server.uri()},
                        {}});
    ASSERT_TRUE(becomes_held());
    auto const first = expiry();
    EXPECT_TRUE(wait_until([&] { return expiry() > first + 500; })) << "it is renewed";
    tool.signal(SIGTERM);
    EXPECT_EQ(finish(tool).status, 0);
}

TEST_F(hold_command, gives_the_lock_back_when_nobody_can_read_that_it_is_held) {
    auto const tool = std::make_unique<child_process>(
        child_options{{"sh", "-c", "exec " + the_tool() + " hold job >&-"}, {"REDLATCH_SERVER=" + server.uri()}, {}});
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 74);
    EXPECT_NE(result.errors.find("stdout"), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("'job' is given back"), std::string::npos) << result.errors;
    EXPECT_FALSE(is_held());
}

} // namespace
} // namespace redlatch::test
