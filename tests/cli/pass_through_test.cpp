// What the command gets: stdin, stdout, stderr, its environment, a group of its own, and nothing of ours.
#include "tool.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
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

TEST_F(command_under_a_lock, finds_the_token_of_a_fenced_lock) {
    for (auto const* expected : {"1\n", "2\n"})
        EXPECT_EQ(run({"run", "job", "--fenced", "--", "sh", "-c", "echo $REDLATCH_TOKEN"}).output, expected);
    EXPECT_EQ(server.run("GET", "redisson_lock_token:{job}").text, "2");
    // Of a lock that is not fenced there is none, whatever the lock around it has.
    auto const inside = run({"run", "job", "--fenced", "--", the_tool(), "run", "another", "--", "sh", "-c",
                             "echo ${REDLATCH_TOKEN-none}"});
    EXPECT_EQ(inside.output, "none\n") << inside.errors;
    EXPECT_NE(run({"run", "job", "--fenced", "--json", "--verbose", "--", "true"}).errors.find("\"token\":4"),
              std::string::npos);
    server.run("DEL", "redisson_lock_token:{job}"); // it outlives the lock
}

TEST_F(command_under_a_lock, finds_a_greater_token_whatever_the_kind_of_its_lock) {
    int token = 0;
    for (words const& kind :
         {words{"--fair"}, {"--write"}, {}, {"--fair", "--lease", "20s"}, {"--write", "--max-hold", "1h"}}) {
        words line{"run", "job", "--fenced", "--wait", "20s"};
        line.insert(line.end(), kind.begin(), kind.end());
        line.insert(line.end(), {"--", "sh", "-c", "echo $REDLATCH_TOKEN"});
        EXPECT_EQ(run(line).output, std::to_string(++token) + "\n");
    }
    auto const shared = run({"run", "job", "--fenced", "--shared", "--", "true"});
    EXPECT_EQ(shared.status, 64);
    EXPECT_NE(shared.errors.find("--fenced is for who holds a lock alone"), std::string::npos) << shared.errors;
    EXPECT_EQ(server.run("GET", "redisson_lock_token:{job}").text, std::to_string(token));
    server.run("DEL", "redisson_lock_token:{job}"); // it outlives the lock
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
    // The shell itself looks: a pipe to another program would stand among its own for a moment, or not.
    std::string const look = "cd /proc/$$/fd && echo *";
    child_process without(child_options{{"sh", "-c", look}, {}, {}});
    auto const usual = line_of(without);
    EXPECT_EQ(run(script(look)).output, usual + "\n");
    EXPECT_EQ(run(script("ls -l /proc/$$/fd | grep -E 'socket:|anon_inode:'")).output, "");
}

TEST_F(command_under_a_lock, keeps_descriptors_that_the_caller_gave) {
    auto const file = (folder.path() / "given").string();
    auto const tool = std::make_unique<child_process>(
        child_options{{"sh", "-c", "exec " + the_tool() + " run job -- sh -c 'echo through >&7' 7>" + file},
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
        {"sh", "-c", the_tool() + " run job -- echo through | cat"}, {"REDLATCH_SERVER=" + server.uri()}, {}});
    EXPECT_EQ(finish(*tool).output, "through\n");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
}

TEST_F(command_under_a_lock, finds_closed_what_was_closed_and_the_tool_puts_nothing_of_its_own_there) {
    auto const seen = (folder.path() / "seen").string();
    auto const gate = folder.path() / "gate";
    struct closing {
        std::string redirections;
        std::vector<int> numbers;
    };
    for (auto const& [redirections, numbers] :
         {closing{"<&-", {0}}, closing{">&-", {1}}, closing{"2>&-", {2}}, closing{"<&- >&- 2>&-", {0, 1, 2}}}) {
        SCOPED_TRACE(redirections);
        std::ofstream(gate) << "x";
        child_process tool(child_options{
            {"sh", "-c",
             "exec " + the_tool() + " run job -- sh -c 'find /proc/$$/fd -mindepth 1 -fprintf " + seen
                 + " \"%f \"; while [ -e " + gate.string() + " ]; do sleep 0.01; done; exit 3' " + redirections},
            {"REDLATCH_SERVER=" + server.uri()},
            {}});
        ASSERT_TRUE(becomes_held());
        for (int const number : numbers) {
            auto const entry = "/proc/" + std::to_string(tool.pid()) + "/fd/" + std::to_string(number);
            EXPECT_EQ(std::filesystem::read_symlink(entry), "/dev/null")
                << "what is written there must not reach the server";
        }
        std::filesystem::remove(gate);
        auto const status = tool.wait();
        ASSERT_TRUE(status);
        EXPECT_EQ(outcome_of(*status), 3);
        std::ifstream file(seen);
        std::set<int> const open_in_command{std::istream_iterator<int>(file), {}};
        for (int const number : {0, 1, 2})
            EXPECT_EQ(open_in_command.contains(number), !std::ranges::count(numbers, number)) << number;
    }
}

TEST_F(command_under_a_lock, is_refused_as_usual_where_nobody_can_read_why) {
    hold_as_stranger(server, "job", 1h);
    child_process tool(
        child_options{{"sh", "-c", "exec " + the_tool() + " run job --no-wait --verbose -- true <&- >&- 2>&-"},
                      {"REDLATCH_SERVER=" + server.uri()},
                      {}});
    EXPECT_EQ(outcome_of(tool.wait().value_or(256)), 75);
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
    auto const gate = folder.path() / "gate";
    std::ofstream(gate) << "x";
    child_options options;
    options.arguments = script("(while [ -e " + gate.string() + " ]; do sleep 0.01; done & echo $!); read line");
    options.arguments.insert(options.arguments.begin(), the_tool());
    options.environment = {"REDLATCH_SERVER=" + server.uri()};
    options.adopts_orphans = true; // as process 1 of a container does
    child_process tool(options);
    stranger const orphan(std::stoi(line_of(tool)));
    ASSERT_TRUE(wait_until([&] { return orphan.parent() == tool.pid(); })) << "it is the tool's to reap from now on";
    std::filesystem::remove(gate);
    ASSERT_TRUE(orphan.ends());
    EXPECT_TRUE(wait_until([&] { return orphan.state() == '?'; })) << "a zombie is left";
    tool.write("\n");
    EXPECT_EQ(finish(tool).status, 0);
}

TEST_F(command_under_a_lock, can_use_the_tool_itself) {
    auto const result = run({"run", "outer", "--", the_tool(), "run", "inner", "--", the_tool(), "status", "outer"});
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_TRUE(result.output.starts_with("'outer' is held")) << result.output;
}

} // namespace
} // namespace redlatch::test
