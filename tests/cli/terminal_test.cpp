// The tool at a terminal.
#include "pty_session.hpp"
#include "tool.hpp"

#include <csignal>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class at_a_terminal : public tool_test {
protected:
    std::unique_ptr<pty_session> open(words arguments) const {
        return std::make_unique<pty_session>(std::move(arguments),
                                             words{"REDLATCH_SERVER=" + server.uri(), "TERM=dumb", "PS1=$ "});
    }
    std::unique_ptr<pty_session> open_tool(words arguments) const {
        arguments.insert(arguments.begin(), the_tool());
        return open(std::move(arguments));
    }
    /// Below a shell with job control, which says when the tool was stopped, and continues it after the next line.
    std::unique_ptr<pty_session> open_under_shell(std::string const& flags, std::string const& command) const {
        return open({"bash", "-c",
                     "set -m; " + the_tool() + " run job " + flags + " -- sh -c '" + command
                         + "'; echo shell-goes-on; read line; fg; echo status-$?"});
    }
};

TEST_F(at_a_terminal, the_command_is_the_foreground_group) {
    auto const session = open_tool(script("echo \"<pid $$>.\"; read line; echo \"got $line\""));
    ASSERT_TRUE(session->shows("<pid ")) << session->shown();
    ASSERT_TRUE(becomes_held());
    EXPECT_NE(session->foreground_group(), session->pid());
    session->type("hello\n");
    EXPECT_TRUE(session->shows("got hello")) << "it can read from the terminal";
    auto const status = session->wait();
    ASSERT_TRUE(status);
    EXPECT_EQ(outcome_of(*status), 0);
}

TEST_F(at_a_terminal, ctrl_c_reaches_the_command_once) {
    auto const session =
        open_tool(script("trap 'echo interrupted; exit 7' INT; echo ready; while :; do sleep 0.01; done"));
    ASSERT_TRUE(session->shows("ready"));
    session->type("\x03");
    EXPECT_TRUE(session->shows("interrupted"));
    auto const status = session->wait();
    ASSERT_TRUE(status);
    EXPECT_EQ(outcome_of(*status), 7);
    EXPECT_EQ(session->shown().find("interrupted"), std::string::npos) << "only once";
}

TEST_F(at_a_terminal, ctrl_c_ends_a_wait) {
    hold_as_stranger(server, "job", 1h);
    auto const session = open_tool({"run", "job", "--", "true"});
    ASSERT_TRUE(becomes_waited_for());
    session->type("\x03");
    auto const status = session->wait();
    ASSERT_TRUE(status);
    EXPECT_EQ(outcome_of(*status), died_of(SIGINT));
    server.run("DEL", "job");
}

class script_at_a_terminal : public at_a_terminal, public testing::WithParamInterface<char const*> {};

INSTANTIATE_TEST_SUITE_P(each, script_at_a_terminal, testing::Values("sh", "bash"),
                         [](auto const& instance) { return std::string(instance.param); });

TEST_P(script_at_a_terminal, ends_with_ctrl_c_as_the_command_does) {
    for (auto const& [key, signal] : {std::pair{"\x03", SIGINT}, {"\x1c", SIGQUIT}}) {
        if (signal == SIGQUIT && std::string(GetParam()) == "bash") continue; // bash ignores it, whatever it runs
        auto const session =
            open({GetParam(), "-c", the_tool() + " run job -- sh -c 'echo ready; exec sleep 100'; echo next-command"});
        ASSERT_TRUE(session->shows("ready"));
        session->type(key);
        auto const status = session->wait();
        ASSERT_TRUE(status);
        EXPECT_EQ(outcome_of(*status), died_of(signal)) << key;
        EXPECT_EQ(session->shown().find("next-command"), std::string::npos) << session->shown();
        EXPECT_FALSE(is_held());
    }
}

TEST_P(script_at_a_terminal, ends_with_ctrl_c_during_the_wait) {
    hold_as_stranger(server, "job", 1h);
    auto const session = open({GetParam(), "-c", the_tool() + " run job -- true; echo next-command"});
    ASSERT_TRUE(becomes_waited_for());
    session->type("\x03");
    auto const status = session->wait();
    ASSERT_TRUE(status);
    EXPECT_EQ(outcome_of(*status), died_of(SIGINT));
    EXPECT_EQ(session->shown().find("next-command"), std::string::npos) << session->shown();
    server.run("DEL", "job");
}

TEST_P(script_at_a_terminal, goes_on_when_the_command_dealt_with_ctrl_c) {
    auto const session =
        open({GetParam(), "-c",
              the_tool()
                  + " run job -- sh -c 'trap \"exit 7\" INT; echo ready; while :; do sleep 0.01; done'; "
                    "echo \"status $?\""});
    ASSERT_TRUE(session->shows("ready"));
    session->type("\x03");
    EXPECT_TRUE(session->shows("status 7")) << session->shown();
    EXPECT_TRUE(session->wait());
}

TEST_P(script_at_a_terminal, goes_on_when_only_the_tool_was_sent_an_interrupt) {
    auto const session =
        open({GetParam(), "-c", the_tool() + " run job -- sh -c 'echo ready; exec sleep 100'; echo \"status $?\""});
    ASSERT_TRUE(session->shows("ready"));
    ::kill(stranger(session->foreground_group()).parent(), SIGINT);
    EXPECT_TRUE(session->shows("status 130")) << session->shown();
    EXPECT_TRUE(session->wait());
}

TEST_F(at_a_terminal, ctrl_z_stops_tool_and_command_and_gives_the_terminal_back) {
    auto const session = open_under_shell("", "echo ready; read line; echo \"got $line\"");
    ASSERT_TRUE(session->shows("ready"));
    pid_t const command = session->foreground_group();
    pid_t const tool = stranger(command).parent();
    ASSERT_NE(command, session->pid());
    session->type("\x1a");
    EXPECT_TRUE(session->shows("nobody renews the lock 'job' meanwhile: continue it within 2")) << session->shown();
    ASSERT_TRUE(session->shows("shell-goes-on")) << session->shown();
    EXPECT_EQ(stranger(command).state(), 'T');
    EXPECT_EQ(stranger(tool).state(), 'T');
    EXPECT_EQ(session->foreground_group(), session->pid());
    session->type("\n");
    ASSERT_TRUE(wait_until([&] { return session->foreground_group() == command; }))
        << "the command has the terminal again";
    session->type("again\n");
    EXPECT_TRUE(session->shows("got again")) << session->shown();
    EXPECT_TRUE(session->shows("status-0")) << session->shown();
    EXPECT_TRUE(session->wait());
}

TEST_F(at_a_terminal, ctrl_z_stops_the_script_around_the_tool_too) {
    auto const session = open({"bash", "--norc", "--noprofile", "-i"});
    session->type("sh -c '" + the_tool()
                  + " run job -- sh -c \"echo re\\\"\\\"ady; read line; echo got-\\$line\"; "
                    "echo \"script-$?\"'\n");
    ASSERT_TRUE(session->shows("ready")) << session->shown();
    session->type("\x1a");
    ASSERT_TRUE(session->shows("Stopped")) << session->shown();
    session->type("echo \"shell-$((40 + 2))\"\n");
    ASSERT_TRUE(session->shows("shell-42")) << "it has its terminal: " << session->shown();
    session->type("fg\n");
    session->type("line\n");
    EXPECT_TRUE(session->shows("got-line")) << session->shown();
    EXPECT_TRUE(session->shows("script-0")) << session->shown();
    session->type("exit\n");
    EXPECT_TRUE(session->wait());
}

TEST_F(at_a_terminal, ctrl_z_where_nobody_could_continue_the_tool_does_not_stop_it) {
    auto const session = open_tool(script("echo ready; while read line; do echo \"got $line\"; done"));
    ASSERT_TRUE(session->shows("ready"));
    for (std::string const line : {"once", "again"}) {
        session->type("\x1a");
        session->type(line + '\n');
        ASSERT_TRUE(session->shows("got " + line)) << session->shown();
    }
    session->type("\x04");
    auto const status = session->wait();
    ASSERT_TRUE(status);
    EXPECT_EQ(outcome_of(*status), 0);
}

TEST_F(at_a_terminal, a_command_that_is_continued_has_the_terminal_before_it_asks) {
    auto const session = open_under_shell("", "echo ready; exec sleep 600");
    ASSERT_TRUE(session->shows("ready"));
    pid_t const command = session->foreground_group();
    session->type("\x1a");
    ASSERT_TRUE(session->shows("shell-goes-on"));
    ASSERT_EQ(session->foreground_group(), session->pid());
    session->type("\n");
    EXPECT_TRUE(wait_until([&] { return session->foreground_group() == command; }));
    session->type("\x03");
    EXPECT_TRUE(session->wait());
}

TEST_F(at_a_terminal, a_lease_that_ended_while_stopped_ends_the_command) {
    auto const session = open_under_shell("--watchdog 900ms", "echo ready; read line; echo \"got $line\"");
    ASSERT_TRUE(session->shows("ready"));
    stranger const command(session->foreground_group());
    session->type("\x1a");
    ASSERT_TRUE(session->shows("shell-goes-on"));
    EXPECT_TRUE(command.ends()) << "while the tool is stopped the guard does it";
    ASSERT_TRUE(becomes_free());
    session->type("\n");
    EXPECT_TRUE(session->shows("status-79")) << session->shown();
    EXPECT_TRUE(session->wait());
}

TEST_F(at_a_terminal, a_shell_with_job_control_stops_continues_and_ends_it) {
    auto const session = open({"bash", "--norc", "--noprofile", "-i"});
    session->type(the_tool()
                  + " run job -- sh -c 'echo re\"\"ady; read line; echo \"got-$line\"'; echo \"status-$?\"\n");
    ASSERT_TRUE(session->shows("ready")) << session->shown();
    session->type("\x1a");
    ASSERT_TRUE(session->shows("Stopped")) << session->shown();
    session->type("fg\n");
    session->type("line\n");
    EXPECT_TRUE(session->shows("got-line")) << session->shown();
    session->type("echo \"still-$((40 + 2))\"\n");
    EXPECT_TRUE(session->shows("still-42")) << "the shell has its terminal again: " << session->shown();
    session->type("exit\n");
    EXPECT_TRUE(session->wait());
}

TEST_F(at_a_terminal, a_shell_without_job_control_can_go_on_reading) {
    auto const session = open({"sh", "-c", the_tool() + " run job -- true; read line; echo \"got $line\""});
    session->type("hello\n");
    EXPECT_TRUE(session->shows("got hello")) << session->shown();
    EXPECT_TRUE(session->wait());
}

TEST_F(at_a_terminal, in_a_pipeline_the_command_gets_the_terminal_when_it_asks) {
    auto const session =
        open({"sh", "-c", the_tool() + " run job -- sh -c 'read line; echo \"got $line\"' | cat; echo done"});
    ASSERT_TRUE(becomes_held());
    session->type("hello\n");
    EXPECT_TRUE(session->shows("got hello")) << session->shown();
    EXPECT_TRUE(session->shows("done")) << session->shown();
    EXPECT_TRUE(session->wait());
}

TEST_F(at_a_terminal, the_terminal_is_given_back_after_a_command_that_cannot_be_executed) {
    auto const session = open({"sh", "-c", the_tool() + " run job -- /no/such/command; read line; echo \"got $line\""});
    session->type("hello\n");
    EXPECT_TRUE(session->shows("got hello")) << session->shown();
    EXPECT_TRUE(session->wait());
}

TEST_F(at_a_terminal, a_background_job_of_a_script_does_not_take_the_terminal) {
    auto const session =
        open({"sh", "-c",
              the_tool()
                  + " run job -- sh -c 'echo ready; sleep 100' & read line; echo \"got $line\"; kill -TERM $!; wait"});
    ASSERT_TRUE(session->shows("ready"));
    EXPECT_EQ(session->foreground_group(), session->pid());
    session->type("hello\n");
    EXPECT_TRUE(session->shows("got hello")) << session->shown();
    EXPECT_TRUE(session->wait());
}

TEST_F(at_a_terminal, the_modes_are_as_before_after_a_command_that_was_killed) {
    for (std::string const ending : {"lost", "killed"}) {
        auto const session =
            open({"sh", "-c",
                  the_tool()
                      + " run job --on-lost kill -- sh -c 'stty raw -echo; echo ready; exec sleep 100'; "
                        "echo \"status $?\"; read line"});
        ASSERT_TRUE(session->shows("ready"));
        ASSERT_FALSE(session->has_usual_modes());
        if (ending == "lost") {
            server.run("DEL", "job");
            server.run("CLIENT", "KILL", "TYPE", "normal");
        } else {
            ::kill(session->foreground_group(), SIGKILL);
        }
        EXPECT_TRUE(session->shows(ending == "lost" ? "status 79" : "status 137")) << session->shown();
        EXPECT_TRUE(session->has_usual_modes()) << ending;
    }
}

TEST_F(at_a_terminal, the_modes_that_a_command_leaves_on_purpose_stay) {
    auto const session = open({"sh", "-c", the_tool() + " run job -- stty -echo; echo done; read line"});
    ASSERT_TRUE(session->shows("done"));
    EXPECT_FALSE(session->has_usual_modes());
}

TEST_F(at_a_terminal, a_hang_up_ends_the_command) {
    auto session = open_tool(script("echo ready; exec sleep 100", {"--watchdog", "2s"}));
    ASSERT_TRUE(session->shows("ready"));
    stranger const command(session->foreground_group());
    session.reset(); // the terminal goes, and the tool with it
    EXPECT_TRUE(command.ends());
    EXPECT_TRUE(becomes_free());
}

} // namespace
} // namespace redlatch::test
