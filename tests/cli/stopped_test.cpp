// The tool itself is stopped or killed: the guard ends the command in time.
#include "tool.hpp"

#include <csignal>
#include <fstream>
#include <unistd.h>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

// Says its pid and that of a child in its group; neither can be ended by TERM, and both give signs of life in this file.
std::string pair(std::filesystem::path const& signs) {
    auto const loop = "while :; do echo x >" + signs.string() + "; sleep 0.01; done";
    return "trap '' TERM; sh -c '" + loop + "' & echo $!; echo $$; " + loop;
}

class stopped_tool : public tool_test {
protected:
    std::filesystem::path const signs = folder.path() / "signs";

    /// TSTP stops none whose group is orphaned, as that of the tests may be.
    std::unique_ptr<child_process> start_in_own_group(words arguments) const {
        arguments.insert(arguments.begin(), the_tool());
        return std::make_unique<child_process>(child_options{
            .arguments = std::move(arguments), .environment = {"REDLATCH_SERVER=" + server.uri()}, .own_group = true});
    }
};

/// Of a lock, and of a leadership.
class stopped_tool_of : public stopped_tool, public testing::WithParamInterface<std::string> {
protected:
    void TearDown() override {
        server.run("DEL", "redisson_lock_token:{job}"); // it outlives a leadership
        stopped_tool::TearDown();
    }
};
INSTANTIATE_TEST_SUITE_P(each, stopped_tool_of, testing::Values("run", "elect"),
                         [](auto const& about) { return about.param; });

TEST_P(stopped_tool_of, ends_the_command_before_the_key_expires) {
    auto const tool = start(script(pair(signs), {"--watchdog", "3s", "--grace", "500ms"}, "job", GetParam()));
    ASSERT_TRUE(becomes_held());
    stranger const inner(std::stoi(line_of(*tool)));
    stranger const command(std::stoi(line_of(*tool)));
    tool->signal(SIGSTOP);
    ASSERT_TRUE(wait_until([&] { return stranger(tool->pid()).state() == 'T'; }));
    auto const end = expiry();
    EXPECT_TRUE(command.ends());
    EXPECT_TRUE(inner.ends());
    EXPECT_LT(written_at(signs), end);
    tool->signal(SIGCONT);
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 79) << result.errors;
    EXPECT_NE(result.errors.find("'job'"), std::string::npos) << result.errors;
    EXPECT_TRUE(becomes_free());
}

TEST_F(stopped_tool, terminates_first) {
    auto const tool =
        start(script("trap 'echo told; exit 0' TERM; echo ready; while :; do sleep 0.01; done", {"--watchdog", "2s"}));
    ASSERT_EQ(line_of(*tool), "ready");
    tool->signal(SIGSTOP);
    EXPECT_EQ(line_of(*tool), "told");
    tool->signal(SIGCONT);
    EXPECT_EQ(finish(*tool).status, 79) << "0 was the end of a command that lost its lock";
}

TEST_F(stopped_tool, that_is_continued_in_time_goes_on) {
    auto const tool = start(script("echo ready; read line; exit 6", {"--watchdog", "10s"}));
    ASSERT_EQ(line_of(*tool), "ready");
    auto const first = expiry();
    tool->signal(SIGSTOP);
    ASSERT_TRUE(wait_until([&] { return stranger(tool->pid()).state() == 'T'; }));
    tool->signal(SIGCONT);
    ASSERT_TRUE(wait_until([&] { return expiry() > first; })) << "it renews again";
    tool->write("\n");
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 6) << result.errors;
}

TEST_F(stopped_tool, with_on_lost_warn_leaves_the_command_alone) {
    auto const tool = start(script("echo ready; read line; echo done", {"--watchdog", "300ms", "--on-lost", "warn"}));
    ASSERT_EQ(line_of(*tool), "ready");
    tool->signal(SIGSTOP);
    ASSERT_TRUE(becomes_free());
    tool->write("\n");
    EXPECT_EQ(line_of(*tool), "done");
    tool->signal(SIGCONT);
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 79);
    EXPECT_NE(result.errors.find("the lock 'job'"), std::string::npos) << result.errors;
}

TEST_F(stopped_tool, whose_command_was_stopped_where_nobody_could_continue_it_goes_on) {
    // It starts nothing meanwhile: a shell that has just made a process stops only when that has become its program.
    auto arguments = script("sleep 1000 & trap 'echo continued; kill $!; exit 4' CONT; echo ready; wait");
    arguments.insert(arguments.begin(), {"setsid", the_tool()});
    child_process tool(child_options{std::move(arguments), {"REDLATCH_SERVER=" + server.uri()}, {}});
    ASSERT_EQ(line_of(tool), "ready");
    tool.signal(SIGTSTP);
    EXPECT_EQ(line_of(tool), "continued");
    EXPECT_EQ(finish(tool).status, 4);
}

TEST_F(stopped_tool, a_stopped_command_is_not_continued_after_its_lock_was_lost) {
    // TSTP stops the command, and with it the tool; nobody renews. The command could only run on after a CONT of the tool's.
    auto const file = (folder.path() / "ran-on").string();
    auto const tool =
        start_in_own_group(script("trap '' TERM; echo $$; read line; echo x >" + file, {"--watchdog", "900ms"}));
    stranger const command(std::stoi(line_of(*tool)));
    tool->signal(SIGTSTP);
    ASSERT_TRUE(wait_until([&] { return stranger(tool->pid()).state() == 'T'; }));
    ASSERT_TRUE(becomes_free());
    tool->write("\n");
    tool->signal(SIGCONT);
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 79);
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(stopped_tool, and_command_are_continued_together_while_the_lock_is_held) {
    auto const tool = start_in_own_group(script("echo $$; read line; echo $line"));
    stranger const command(std::stoi(line_of(*tool)));
    stranger const process(tool->pid());
    for (int round = 0; round < 3; ++round) {
        tool->signal(SIGTSTP);
        ASSERT_TRUE(wait_until([&] { return process.state() == 'T' && command.state() == 'T'; })) << round;
        tool->signal(SIGCONT);
        ASSERT_TRUE(wait_until([&] { return process.state() != 'T' && command.state() != 'T'; })) << round;
    }
    tool->write("hello\n");
    auto const result = finish(*tool);
    EXPECT_EQ(result.output, "hello\n");
    EXPECT_EQ(result.status, 0);
}

TEST_F(stopped_tool, is_not_what_a_stopped_command_means_to_its_renewal) {
    auto const tool = start(script("echo $$; read line; echo $line", {"--watchdog", "2500ms"}));
    pid_t const pid = std::stoi(line_of(*tool));
    ::kill(pid, SIGSTOP);
    ASSERT_TRUE(wait_until([&] { return stranger(pid).state() == 'T'; }));
    auto const first = expiry();
    EXPECT_TRUE(wait_until([&] { return expiry() > first + 2500; })) << "renewed beyond its first lease";
    ::kill(pid, SIGCONT);
    tool->write("hello\n");
    EXPECT_EQ(finish(*tool).output, "hello\n");
}

class killed_tool : public tool_test {
protected:
    std::filesystem::path const signs = folder.path() / "signs";
};

TEST_F(killed_tool, takes_the_whole_group_of_its_command_along) {
    auto const tool = start(script(pair(signs), {"--watchdog", "3s", "--grace", "300ms"}));
    ASSERT_TRUE(becomes_held());
    stranger const inner(std::stoi(line_of(*tool)));
    stranger const command(std::stoi(line_of(*tool)));
    tool->signal(SIGKILL);
    auto const end = expiry();
    EXPECT_TRUE(command.ends());
    EXPECT_TRUE(inner.ends());
    EXPECT_LT(written_at(signs), end);
    EXPECT_TRUE(becomes_free()) << "at the end of its lease";
}

TEST_F(killed_tool, lets_the_command_clean_up) {
    auto const file = (folder.path() / "clean").string();
    auto const tool = start(script("trap 'echo x >" + file + "; exit 0' TERM; echo ready; while :; do sleep 0.01; done",
                                   {"--watchdog", "3s"}));
    ASSERT_EQ(line_of(*tool), "ready");
    tool->signal(SIGKILL);
    EXPECT_TRUE(wait_until([&] { return std::filesystem::exists(file); }));
    EXPECT_TRUE(becomes_free());
}

TEST_F(killed_tool, kills_at_once_with_on_lost_kill_and_with_warn) {
    for (std::string const action : {"kill", "warn"}) {
        auto const tool = start(script(pair(signs), {"--watchdog", "2s", "--on-lost", action}));
        stranger const inner(std::stoi(line_of(*tool)));
        stranger const command(std::stoi(line_of(*tool)));
        tool->signal(SIGKILL);
        EXPECT_TRUE(command.ends()) << action;
        EXPECT_TRUE(inner.ends()) << action;
        tool->wait();
        EXPECT_TRUE(becomes_free());
    }
}

/// The guard of a tool; 0: there is none.
pid_t guard_of(pid_t tool) {
    for (auto const& entry : std::filesystem::directory_iterator("/proc")) {
        std::string const name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream file(entry.path() / "stat");
        std::string line;
        std::getline(file, line);
        if (line.find("(redlatch-guard) ") == std::string::npos || line.find(") Z ") != std::string::npos) continue;
        if (std::stoi(line.substr(line.rfind(')') + 4)) == tool) return std::stoi(name);
    }
    return 0;
}

class killed_guard : public tool_test {
protected:
    std::filesystem::path const signs = folder.path() / "signs";

    static pid_t guard_becomes_visible(child_process const& tool) {
        pid_t found = 0;
        EXPECT_TRUE(wait_until([&] { return (found = guard_of(tool.pid())) != 0; }));
        return found;
    }
};

TEST_F(killed_guard, is_replaced_and_the_other_one_guards_too) {
    auto const tool = start(script(pair(signs), {"--watchdog", "3s", "--grace", "300ms"}));
    stranger const inner(std::stoi(line_of(*tool)));
    stranger const command(std::stoi(line_of(*tool)));
    ASSERT_TRUE(wait_until([&] { return stranger(tool->pid()).threads() > 1; })) << "its lasting guard is there";
    pid_t const first = guard_becomes_visible(*tool);
    ::kill(first, SIGKILL);
    ASSERT_TRUE(wait_until([&] {
        pid_t const now = guard_of(tool->pid());
        return now != 0 && now != first;
    }));
    tool->signal(SIGKILL);
    EXPECT_TRUE(command.ends());
    EXPECT_TRUE(inner.ends());
    EXPECT_NE(tool->error_text().find("another one has taken its place"), std::string::npos) << tool->error_text();
    EXPECT_TRUE(becomes_free());
}

TEST_F(killed_guard, and_tool_leave_no_command_behind) {
    for (std::string const action : {"term", "kill"}) {
        auto const tool = start(script("echo $$; exec sleep 100", {"--watchdog", "2s", "--on-lost", action}));
        stranger const command(std::stoi(line_of(*tool)));
        ASSERT_TRUE(wait_until([&] { return stranger(tool->pid()).threads() > 1; }));
        pid_t const guard = guard_becomes_visible(*tool);
        tool->signal(SIGSTOP); // so that it cannot replace its guard
        ASSERT_TRUE(wait_until([&] { return stranger(tool->pid()).state() == 'T'; }));
        ::kill(guard, SIGKILL);
        tool->signal(SIGKILL);
        EXPECT_TRUE(command.ends()) << action;
        EXPECT_TRUE(becomes_free());
    }
}

} // namespace
} // namespace redlatch::test
