// The table of exit statuses, row by row.
#include "tool.hpp"

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/stat.h>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class exit_status : public tool_test {};

TEST_F(exit_status, is_that_of_the_command) {
    for (int const status : {0, 1, 3, 64, 79, 255})
        EXPECT_EQ(run(script("exit " + std::to_string(status))).status, status);
}

TEST_F(exit_status, says_which_signal_ended_the_command) {
    EXPECT_EQ(run(script("kill -KILL $$")).status, died_of(SIGKILL));
    EXPECT_EQ(run(script("kill -TERM $$")).status, died_of(SIGTERM));
    EXPECT_EQ(run(script("kill -SEGV $$", {}, "core")).status, died_of(SIGSEGV));
}

TEST_F(exit_status, is_what_a_shell_makes_of_a_signal) {
    child_process shell(child_options{{"sh", "-c", the_tool() + " run job -- sh -c 'kill -TERM $$'; echo $?"},
                                      {"REDLATCH_SERVER=" + server.uri()},
                                      {}});
    EXPECT_EQ(line_of(shell), "143");
    EXPECT_EQ(finish(shell).status, 0) << "the shell has read its whole script";
}

TEST_F(exit_status, nothing_is_printed_when_nothing_goes_wrong) {
    auto const result = run(script("echo out; echo err >&2; exit 5"));
    EXPECT_EQ(result.output, "out\n");
    EXPECT_EQ(result.errors, "err\n");
}

TEST_F(exit_status, is_75_when_the_lock_is_busy) {
    hold_as_stranger(server, "job", 1h);
    auto const result = run({"run", "job", "--no-wait", "--", "true"});
    EXPECT_EQ(result.status, 75);
    EXPECT_NE(result.errors.find("'job' is busy"), std::string::npos) << result.errors;
    EXPECT_EQ(run({"run", "job", "--wait", "0s", "--", "true"}).status, 75) << "the same";
    server.run("DEL", "job");
}

TEST_F(exit_status, is_75_when_the_wait_timed_out) {
    hold_as_stranger(server, "job", 1h);
    auto const begin = std::chrono::steady_clock::now();
    auto const result = run({"run", "job", "--wait", "1s", "--", "true"});
    EXPECT_EQ(result.status, 75);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 1s);
    EXPECT_NE(result.errors.find("busy for 1s"), std::string::npos) << result.errors;
    server.run("DEL", "job");
}

TEST_F(exit_status, of_a_conflict_can_be_chosen) {
    hold_as_stranger(server, "job", 1h);
    EXPECT_EQ(run({"run", "job", "--no-wait", "--conflict-exit-code", "0", "--", "true"}).status, 0);
    EXPECT_EQ(run({"run", "job", "--wait", "1s", "--conflict-exit-code", "9", "--", "true"}).status, 9);
    server.run("DEL", "job");
}

TEST_F(exit_status, of_a_refused_release_is_that_of_the_command_or_69_and_the_missing_right_is_named) {
    server.run("ACL", "SETUSER", "default", "-hexists"); // a release of a fair lock begins with it
    auto const after_run = run({"run", "job", "--fair", "--", "sh", "-c", "exit 5"});
    EXPECT_EQ(after_run.status, 5);
    EXPECT_NE(after_run.errors.find("the lock 'job' may still be held, until its lease ends at the latest: "),
              std::string::npos)
        << after_run.errors;
    EXPECT_NE(after_run.errors.find("hexists"), std::string::npos) << after_run.errors;
    server.run("DEL", "job");

    auto const tool = start({"hold", "job", "--fair"});
    EXPECT_EQ(line_of(*tool), "held");
    tool->signal(SIGTERM);
    auto const after_hold = finish(*tool);
    EXPECT_EQ(after_hold.status, 69);
    EXPECT_NE(after_hold.errors.find("hexists"), std::string::npos) << after_hold.errors;
    server.run("ACL", "SETUSER", "default", "+hexists");
    server.run("DEL", "job");
}

TEST_F(exit_status, is_127_when_the_command_is_not_there_and_the_lock_is_free_again) {
    auto const result = run({"run", "job", "--", "/no/such/command"});
    EXPECT_EQ(result.status, 127);
    EXPECT_NE(result.errors.find("/no/such/command"), std::string::npos) << result.errors;
    EXPECT_EQ(run({"run", "job", "--", "no-such-command-in-path"}).status, 127);
    EXPECT_EQ(run({"run", "job", "--", ""}).status, 127);
    EXPECT_FALSE(is_held());
}

TEST_F(exit_status, of_a_command_that_cannot_run_is_in_the_event_too) {
    auto const last_event = [&](std::string const& command) {
        auto const errors = run({"run", "job", "--json", "--", command}).errors;
        auto result = nlohmann::ordered_json::object();
        std::istringstream lines(errors);
        for (std::string line; std::getline(lines, line);)
            if (auto event = nlohmann::ordered_json::parse(line); event["event"] == "error") result = event;
        return result;
    };
    EXPECT_EQ(last_event("no-such-command-in-path")["status"], 127);
    EXPECT_EQ(last_event(folder.path().string())["status"], 126);
}

TEST_F(exit_status, is_126_when_the_command_cannot_be_executed) {
    auto const file = (folder.path() / "no-program").string();
    std::ofstream(file) << "text\n";
    ::chmod(file.c_str(), 0600);
    auto const result = run({"run", "job", "--", file});
    EXPECT_EQ(result.status, 126);
    EXPECT_NE(result.errors.find(file), std::string::npos) << result.errors;
    EXPECT_EQ(run({"run", "job", "--", folder.path().string()}).status, 126) << "a folder";
    EXPECT_EQ(run({"run", "job", "--", file + "/below"}).status, 126) << "below a file";
    EXPECT_FALSE(is_held());
}

TEST_F(exit_status, is_69_when_nobody_listens) {
    auto const nowhere = "unix://" + (folder.path() / "nobody.sock").string();
    for (auto const* command : {"status", "unlock"}) {
        words arguments{command, "job", "--server", nowhere};
        if (std::string(command) == "unlock") arguments.emplace_back("--force");
        auto const result = run(arguments);
        EXPECT_EQ(result.status, 69) << command;
        EXPECT_NE(result.errors.find("nobody.sock"), std::string::npos) << result.errors;
    }
    EXPECT_EQ(run({"run", "job", "--server", nowhere, "--", "true"}).status, 69);
    EXPECT_EQ(run({"hold", "job", "--server", nowhere}).status, 69);
    reserved_port const nobody;
    EXPECT_EQ(run({"ping", "--server", "redis://127.0.0.1:" + std::to_string(nobody.number())}).status, 69);
    EXPECT_EQ(run({"list", "--server", nowhere}).status, 69);
    EXPECT_EQ(run({"semaphore", "acquire", "job", "--server", nowhere}).status, 69);
    EXPECT_EQ(run({"semaphore", "available", "job", "--server", nowhere}).status, 69);
    EXPECT_EQ(run({"latch", "wait", "job", "--server", nowhere}).status, 69);
    EXPECT_EQ(run({"latch", "count-down", "job", "--server", nowhere}).status, 69);
}

TEST_F(exit_status, is_69_when_the_password_is_wrong) {
    redis_server closed({.over = server_options::transport::tcp, .arguments = {"--requirepass", "secret"}});
    auto const port = std::to_string(closed.address().port);
    EXPECT_EQ(run({"run", "job", "--server", "redis://:secret@127.0.0.1:" + port, "--", "true"}).status, 0);
    auto const result = run({"run", "job", "--server", "redis://:wr0ng@127.0.0.1:" + port, "--", "true"});
    EXPECT_EQ(result.status, 69);
    EXPECT_EQ(result.errors.find("wr0ng"), std::string::npos) << "a password is not shown: " << result.errors;
    EXPECT_EQ(run({"status", "job", "--server", "redis://127.0.0.1:" + port}).status, 69) << "none at all";
}

TEST_F(exit_status, is_69_when_a_right_is_missing) {
    server.run("ACL", "SETUSER", "default", "-eval", "-evalsha", "-restore");
    auto const result = run({"run", "job", "--", "true"});
    server.run("ACL", "SETUSER", "default", "+eval", "+evalsha", "+restore");
    EXPECT_EQ(result.status, 69) << result.errors;
}

TEST_F(exit_status, is_69_when_the_key_is_not_a_lock_and_nothing_changes) {
    server.run("SET", "job", "precious");
    auto const result = run({"run", "job", "--", "true"});
    EXPECT_EQ(result.status, 69);
    EXPECT_NE(result.errors.find("job"), std::string::npos) << result.errors;
    EXPECT_EQ(run({"run", "job", "--no-wait", "--", "true"}).status, 69);
    EXPECT_EQ(run({"status", "job"}).status, 69);
    EXPECT_EQ(run({"unlock", "job", "--force"}).status, 69);
    EXPECT_EQ(server.run("GET", "job").text, "precious");
    server.run("DEL", "job");
}

TEST_F(exit_status, is_69_when_the_key_is_a_hash_of_something_else_and_nothing_changes) {
    server.run("HSET", "user:1", "name", "Bob", "age", "51");
    for (words const& arguments :
         {words{"status", "user:1"}, words{"unlock", "user:1", "--force"}, words{"hold", "user:1", "--no-wait"},
          words{"run", "user:1", "--no-wait", "--", "true"}, words{"run", "user:1", "--wait", "1s", "--", "true"},
          words{"run", "user:1", "--wait", "1h", "--", "true"}, words{"run", "user:1", "--", "true"},
          words{"hold", "user:1"}, words{"elect", "user:1", "--who"}}) {
        auto const result = run(arguments);
        EXPECT_EQ(result.status, 69) << arguments.front();
        EXPECT_NE(result.errors.find("'user:1' is a hash, but not a lock"), std::string::npos) << result.errors;
        EXPECT_EQ(result.output, "") << arguments.front();
    }
    EXPECT_EQ(server.run("HGET", "user:1", "name").text, "Bob");
    EXPECT_EQ(server.run("HLEN", "user:1").integer, 2);
    server.run("DEL", "user:1");
}

TEST_F(exit_status, is_69_of_all_that_look_at_a_hash_that_is_no_lock) {
    std::string const java = "0e1f2a3b-0000-4000-8000-0123456789ab";
    for (auto const& [field, value] :
         std::vector<std::pair<std::string, std::string>>{{"foo", "bar"},
                                                          {"mode", "read"},
                                                          {java + ":x", "1"},
                                                          {java + ":7", "-5"},
                                                          {java + ":7", "0"},
                                                          {java + ":7", "99999999999999999999"},
                                                          {java + ":7", "1.5"},
                                                          {java + ":7", ""}}) {
        server.run("HSET", "cfg", field, value);
        for (words const& arguments :
             {words{"status", "cfg"}, words{"elect", "cfg", "--who"}, words{"unlock", "cfg", "--force"}}) {
            auto const result = run(arguments);
            EXPECT_EQ(result.status, 69) << arguments.front() << ' ' << field << '=' << value;
            EXPECT_EQ(result.output, "") << arguments.front();
            EXPECT_NE(result.errors.find("its field '" + field + "'"), std::string::npos) << result.errors;
        }
        auto const listed = run({"list", "--json"});
        EXPECT_EQ(listed.status, 0);
        EXPECT_EQ(listed.output, "") << field << '=' << value;
        EXPECT_EQ(server.run("DEL", "cfg").integer, 1) << "nothing was changed";
    }
}

TEST_F(exit_status, is_69_when_a_hash_of_something_else_takes_the_place_of_the_lock_during_the_wait) {
    hold_as_stranger(server, "job", 1h);
    auto const tool = start({"run", "job", "--", "true"});
    ASSERT_TRUE(becomes_waited_for());
    // At once: the wait asks again when its subscription is confirmed, and would find the lock free in between.
    server.run("EVAL", "redis.call('del', KEYS[1]) return redis.call('hset', KEYS[1], 'name', 'Bob')", "1", "job");
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 69);
    EXPECT_NE(result.errors.find("'job' is a hash, but not a lock"), std::string::npos) << result.errors;
    server.run("DEL", "job");
}

} // namespace
} // namespace redlatch::test
