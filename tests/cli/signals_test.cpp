// Signals while the tool waits for the lock, and while the command runs.
#include "support/fake_server.hpp"
#include "tool.hpp"

#include <csignal>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

struct named_signal {
    int number;
    char const* name;
};

void PrintTo(named_signal const& signal, std::ostream* out) {
    *out << signal.name;
}

class ending_signals : public tool_test, public testing::WithParamInterface<named_signal> {};

INSTANTIATE_TEST_SUITE_P(each, ending_signals,
                         testing::Values(named_signal{SIGINT, "INT"}, named_signal{SIGTERM, "TERM"},
                                         named_signal{SIGHUP, "HUP"}, named_signal{SIGQUIT, "QUIT"},
                                         named_signal{SIGUSR1, "USR1"}, named_signal{SIGUSR2, "USR2"}),
                         [](auto const& instance) { return std::string(instance.param.name); });

TEST_P(ending_signals, end_a_wait_at_once_and_leave_no_trace) {
    hold_as_stranger(server, "job", 1h);
    for (std::string const command : {"run", "hold"}) {
        auto const tool = command == "run" ? start({"run", "job", "--", "true"}) : start({"hold", "job"});
        ASSERT_TRUE(becomes_waited_for());
        auto const begin = std::chrono::steady_clock::now();
        tool->signal(GetParam().number);
        auto const result = finish(*tool);
        EXPECT_EQ(result.status, died_of(GetParam().number)) << command << result.errors;
        EXPECT_LT(std::chrono::steady_clock::now() - begin, 2s) << "at once, with patience for a loaded machine";
        EXPECT_EQ(result.output, "") << "the command never ran";
    }
    EXPECT_EQ(holders(server, "job").size(), 1U) << "the holder is not touched";
    server.run("DEL", "job");
}

TEST_P(ending_signals, end_a_wait_with_a_deadline) {
    hold_as_stranger(server, "job", 1h);
    auto const tool = start({"run", "job", "--wait", "1h", "--", "true"});
    ASSERT_TRUE(becomes_waited_for());
    tool->signal(GetParam().number);
    EXPECT_EQ(finish(*tool).status, died_of(GetParam().number));
    server.run("DEL", "job");
}

TEST_P(ending_signals, end_the_tool_while_a_server_does_not_answer) {
    fake_server const silent([](fake_connection& connection) { connection.wait_for_end(); });
    int connections = 0;
    for (words const& command : {words{"run", "job", "--server", silent.uri(), "--", "true"},
                                 words{"hold", "job", "--server", silent.uri()}}) {
        auto const tool = start(command);
        // Whoever connects has its handlers: exactly the documented status, never the default action.
        ASSERT_TRUE(wait_until([&] { return silent.accepted() > connections; }));
        connections = silent.accepted();
        tool->signal(GetParam().number);
        EXPECT_EQ(finish(*tool).status, died_of(GetParam().number)) << command.front();
    }
}

TEST_P(ending_signals, reach_the_command_which_may_handle_them) {
    std::string const name = GetParam().name;
    auto const tool =
        start(script("trap 'echo got " + name + "; exit 42' " + name + "; echo ready; while :; do sleep 0.01; done"));
    ASSERT_EQ(line_of(*tool), "ready");
    tool->signal(GetParam().number);
    auto const result = finish(*tool);
    EXPECT_EQ(result.output, "got " + name + "\n");
    EXPECT_EQ(result.status, 42);
}

TEST_P(ending_signals, end_a_command_that_does_not_handle_them) {
    auto const tool = start(script("echo ready; exec sleep 100"));
    ASSERT_EQ(line_of(*tool), "ready");
    tool->signal(GetParam().number);
    EXPECT_EQ(finish(*tool).status, died_of(GetParam().number));
    EXPECT_FALSE(is_held());
}

class signals : public tool_test {};

TEST_F(signals, reach_the_whole_group_of_the_command) {
    auto const tool =
        start(script("trap 'echo outer; wait; exit 5' TERM; "
                     "sh -c 'trap \"echo inner; exit\" TERM; echo ready; while :; do sleep 0.01; done' & wait"));
    ASSERT_EQ(line_of(*tool), "ready");
    tool->signal(SIGTERM);
    auto const result = finish(*tool);
    EXPECT_NE(result.output.find("inner"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("outer"), std::string::npos) << result.output;
    EXPECT_EQ(result.status, 5);
}

TEST_F(signals, window_changes_reach_the_command) {
    auto const tool = start(script("trap 'echo resized; exit 0' WINCH; echo ready; while :; do sleep 0.01; done"));
    ASSERT_EQ(line_of(*tool), "ready");
    tool->signal(SIGWINCH);
    EXPECT_EQ(finish(*tool).output, "resized\n");
}

TEST_F(signals, window_changes_do_not_end_a_wait) {
    hold_as_stranger(server, "job", 1h);
    auto const tool = start({"run", "job", "--", "echo", "ran"});
    ASSERT_TRUE(becomes_waited_for());
    tool->signal(SIGWINCH);
    tool->signal(SIGCONT);
    release_as_stranger(server, "job");
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.output, "ran\n");
}

TEST_F(signals, a_wait_can_be_stopped_and_continued) {
    hold_as_stranger(server, "job", 1h);
    child_process tool(
        {{the_tool(), "run", "job", "--", "echo", "ran"}, {"REDLATCH_SERVER=" + server.uri()}, {}, true});
    ASSERT_TRUE(becomes_waited_for());
    stranger const process(tool.pid());
    tool.signal(SIGTSTP);
    ASSERT_TRUE(wait_until([&] { return process.state() == 'T'; }));
    release_as_stranger(server, "job");
    tool.signal(SIGCONT);
    EXPECT_EQ(finish(tool).output, "ran\n");
}

TEST_F(signals, the_command_starts_with_defaults_and_none_blocked) {
    // A shell that ignores INT and QUIT, as it does for background jobs, and PIPE.
    child_process tool(
        child_options{{"sh", "-c", "trap '' INT QUIT PIPE; exec " + the_tool() + " run job -- cat /proc/self/status"},
                      {"REDLATCH_SERVER=" + server.uri()},
                      {}});
    auto const status = finish(tool).output;
    for (std::string const set : {"SigBlk", "SigIgn", "SigCgt"})
        EXPECT_NE(status.find(set + ":\t0000000000000000\n"), std::string::npos) << set << " in " << status;
}

TEST_F(signals, a_hang_up_that_nohup_ignores_is_ignored_by_tool_and_command) {
    child_process tool(child_options{
        {"sh", "-c",
         "trap '' HUP; exec " + the_tool()
             + " run job -- sh -c "
               "'trap \"echo told; exit 3\" USR1; kill -HUP $$; echo survived; while :; do sleep 0.01; done'"},
        {"REDLATCH_SERVER=" + server.uri()},
        {}});
    EXPECT_EQ(line_of(tool), "survived") << "the command itself ignores it";
    tool.signal(SIGHUP);
    tool.signal(
        SIGUSR1); // a signal with a higher number is passed on later, so HUP has been dealt with when it arrives
    EXPECT_EQ(line_of(tool), "told") << "the tool did not end";
    EXPECT_EQ(finish(tool).status, 3);
}

TEST_F(signals, of_ended_children_count_although_the_caller_ignored_them) {
    child_process tool(child_options{{"bash", "-c", "trap '' CHLD; exec " + the_tool() + " run job -- sh -c 'exit 3'"},
                                     {"REDLATCH_SERVER=" + server.uri()},
                                     {}});
    EXPECT_EQ(finish(tool).status, 3);
    EXPECT_FALSE(is_held());
}

TEST_F(signals, that_were_ignored_at_the_start_count_when_they_are_sent_on_purpose) {
    auto const tool = std::make_unique<child_process>(child_options{
        {"sh", "-c", "trap '' INT; exec " + the_tool() + " run job -- sh -c 'echo ready; exec sleep 100'"},
        {"REDLATCH_SERVER=" + server.uri()},
        {}});
    ASSERT_EQ(line_of(*tool), "ready");
    tool->signal(SIGINT);
    EXPECT_EQ(finish(*tool).status, died_of(SIGINT));
}

} // namespace
} // namespace redlatch::test
