// What the command gets: stdin, stdout, stderr, its environment, a group of its own, and nothing of ours.
#include "tool.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class command_under_a_lock : public tool_test {};

TEST_F(command_under_a_lock, reads_stdin_and_writes_stdout_and_stderr) {
    auto const tool = start(script("cat; echo error >&2"));
    tool->write("one\ntwo\n");
    auto const result = finish(*tool);
    EXPECT_EQ(result.output, "one\ntwo\n");
    EXPECT_EQ(result.errors, "error\n");
}

TEST_F(command_under_a_lock, finds_the_lock_in_its_environment) {
    auto const before = wall_clock();
    auto const tool =
        start(script("echo $REDLATCH_LOCK; echo $REDLATCH_OWNER; echo $REDLATCH_VALID_UNTIL; echo $OTHER; read line"),
              {"OTHER=kept"});
    EXPECT_EQ(line_of(*tool), "job");
    EXPECT_EQ(line_of(*tool), holders(server, "job").begin()->first);
    auto const until = std::stoll(line_of(*tool));
    EXPECT_GT(until, before + 20'000);
    EXPECT_LT(until, wall_clock() + 30'000);
    EXPECT_EQ(line_of(*tool), "kept");
    finish(*tool);
}

TEST_F(command_under_a_lock, gets_its_words_as_they_are) {
    auto const result = run({"run", "job", "--", "printf", "[%s]\\n", "a b", "", "--flag", "--", "*", "ä\n"});
    EXPECT_EQ(result.output, "[a b]\n[]\n[--flag]\n[--]\n[*]\n[ä\n]\n");
}

TEST_F(command_under_a_lock, has_a_group_of_its_own_in_our_session) {
    auto const tool = start(script("echo $$ $(ps -o pgid=,sid= -p $$); read line"));
    std::istringstream words(line_of(*tool));
    pid_t pid = 0, group = 0, session = 0;
    words >> pid >> group >> session;
    EXPECT_EQ(group, pid);
    EXPECT_EQ(session, ::getsid(0));
    finish(*tool);
}

TEST_F(command_under_a_lock, has_no_descriptor_of_ours) {
    std::string const look = "for f in /proc/$$/fd/*; do readlink $f; done | grep -c .";
    child_process without(child_options{{"sh", "-c", look}, {}, {}});
    auto const usual = line_of(without);
    EXPECT_EQ(run(script(look)).output, usual + "\n");
    EXPECT_EQ(run(script("ls -l /proc/$$/fd | grep -E 'socket:|anon_inode:'")).output, "");
}

TEST_F(command_under_a_lock, keeps_descriptors_that_the_caller_gave) {
    auto const file = (folder.path() / "given").string();
    auto const tool = std::make_unique<child_process>(
        child_options{{"sh", "-c", "exec " REDLATCH_TOOL " run job -- sh -c 'echo through >&7' 7>" + file},
                      {"REDLATCH_SERVER=" + server.uri()},
                      {}});
    EXPECT_EQ(finish(*tool).status, 0);
    std::string text;
    std::getline(std::ifstream(file), text);
    EXPECT_EQ(text, "through");
}

TEST_F(command_under_a_lock, ends_a_pipeline_when_it_ends) {
    // The reader sees the end of the pipe only when nobody, the guard included, holds the writing end any more.
    auto const begin = std::chrono::steady_clock::now();
    auto const tool = std::make_unique<child_process>(child_options{
        {"sh", "-c", REDLATCH_TOOL " run job -- echo through | cat"}, {"REDLATCH_SERVER=" + server.uri()}, {}});
    EXPECT_EQ(finish(*tool).output, "through\n");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
}

TEST_F(command_under_a_lock, works_where_stdin_stdout_and_stderr_are_closed) {
    auto const status_of = [this](std::string const& line) {
        child_process tool(child_options{{"sh", "-c", line}, {"REDLATCH_SERVER=" + server.uri()}, {}});
        return outcome_of(tool.wait().value_or(256));
    };
    auto const file = (folder.path() / "descriptors").string();
    EXPECT_EQ(status_of("exec " REDLATCH_TOOL " run job -- sh -c 'ls /proc/$$/fd >" + file + "; exit 3' <&- >&- 2>&-"),
              3);
    hold_as_stranger(server, "job", 1h);
    EXPECT_EQ(status_of("exec " REDLATCH_TOOL " run job --no-wait --verbose -- true <&- >&- 2>&-"), 75)
        << "nothing that is said gets in the way of the server";
    server.run("DEL", "job");
}

TEST_F(command_under_a_lock, may_close_its_output_while_it_runs) {
    auto const tool = start(script("exec >&-; read line; exit 4"));
    EXPECT_EQ(tool->read_line(200ms), std::nullopt);
    tool->write("\n");
    EXPECT_EQ(finish(*tool).status, 4);
}

TEST_F(command_under_a_lock, gives_the_lock_back_although_something_in_the_background_goes_on) {
    auto const tool = start(script("sleep 100 </dev/null >/dev/null 2>&1 & echo $!; exit 0"));
    stranger const daemon(std::stoi(line_of(*tool)));
    EXPECT_EQ(finish(*tool).status, 0);
    EXPECT_FALSE(is_held());
    EXPECT_TRUE(daemon.runs()) << "the command has ended as it wanted to; what it left is not ours";
    daemon.kill();
}

TEST_F(command_under_a_lock, leaves_no_zombies_where_the_tool_inherits_its_orphans) {
    // In a PID namespace the tool is process 1, as in a container. A double fork leaves an orphan, which ends.
    child_process probe(child_options{{"unshare", "--fork", "--pid", "--mount-proc", "true"}, {}, {}});
    if (outcome_of(probe.wait().value_or(256)) != 0) GTEST_SKIP() << "no PID namespaces here (they need root)";
    child_process tool(child_options{
        {"unshare", "--fork", "--pid", "--mount-proc", REDLATCH_TOOL, "run", "job", "--", "sh", "-c",
         "(true & echo $! >&3) 3>&1 | { read pid; while [ -e /proc/$pid ]; do sleep 0.01; done; echo gone; }"},
        {"REDLATCH_SERVER=" + server.uri()},
        {}});
    EXPECT_EQ(line_of(tool), "gone");
    EXPECT_EQ(finish(tool).status, 0);
}

TEST_F(command_under_a_lock, can_use_the_tool_itself) {
    auto const result =
        run({"run", "outer", "--", REDLATCH_TOOL, "run", "inner", "--", REDLATCH_TOOL, "status", "outer"});
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_TRUE(result.output.starts_with("'outer' is held")) << result.output;
}

} // namespace
} // namespace redlatch::test
