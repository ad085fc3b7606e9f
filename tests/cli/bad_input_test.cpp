// Whatever the command line says: a message, 64, and nothing has happened.
#include "tool.hpp"

#include <fstream>

namespace redlatch::test {
namespace {

class bad_input : public tool_test {};

struct wrong_line {
    words arguments;
    char const* says;
};

TEST_F(bad_input, is_refused_with_a_message_and_64) {
    std::string const long_name(64 * 1024 + 1, 'x');
    std::vector<wrong_line> const table{
        {{}, "no command"},
        {{"bogus"}, "no command 'bogus'"},
        {{"statsu", "job"}, "did you mean status?"},
        {{"lis"}, "did you mean list?"},
        {{"--server", "redis://x", "ping"}, "flags stand behind the command"},
        {{"job", "--", "true"}, "did you mean: redlatch run job -- COMMAND"},
        {{"run", "job", "ls", "-l"}, "the command stands behind --, as in: redlatch run NAME -- ls"},
        {{"run", "job", "--wiat", "5s", "--", "true"}, "no flag '--wiat'; did you mean --wait?"},
        {{"run", "job", "-n", "--", "true"}, "did you mean --no-wait?"},
        {{"hold", "job", "one", "two", "three"}, "'one' is one word too many; usage: redlatch hold NAME [FLAGS]"},
        {{"run", "job", "--wait", "--no-wait", "--", "true"}, "it looks like a flag"},
        {{"run", "job", "--json=maybe", "--", "true"}, "--json takes no value"},
        {{"unlock", "job", "--force="}, "--force takes no value"},
        {{"unlock", "job", "--force=5"}, "--force takes no value"},
        {{"unlock", "job", "--force=true"}, "--force takes no value"},
        {{"unlock", "job", "--force=false"}, "--force takes no value"},
        {{"server", "stop", "--force="}, "--force takes no value"},
        {{"permits", "set", "job", "3", "--resize="}, "--resize takes no value"},
        {{"acl", "--replicas="}, "--replicas takes no value"},
        {{"elect", "job", "--who="}, "--who takes no value"},
        {{"run", "job", "--no-wait=-1", "--", "true"}, "--no-wait takes no value"},
        {{"status", "job", "--help="}, "--help takes no value"},
        {{"run", "job", "--watchdog", "876600h", "--", "true"}, "--watchdog 876600h is too long: ten years"},
        {{"elect", "job", "--who", "--wait", "1s"}, "--who only asks"},
        {{"elect", "job", "--who", "--no-wait"}, "--who only asks"},
        {{"elect", "job", "--who", "--lease", "5s"}, "--who only asks"},
        {{"elect", "job", "--who", "--on-lost", "kill"}, "--who only asks"},
        {{"status", "job", "--type", "lock"}, "'lock' is none of semaphore|latch"},
        {{"help", "nope"}, "no command 'nope'"},
        {{"help", "semaphore", "nope"}, "no command 'nope'"},
        {{"ping", "--server", "redis-cluster://u:pw@h1:1,u:pw@h2:2"}, "stand once, before the first host"},
        {{"run", "job", "--wait"}, "--wait needs a value: --wait DURATION"},
        {{"hold", "job", "--lease", "1s", "--lease", "2s"}, "--lease is given twice"},
        {{"status", "--json"}, "NAME is missing; usage: redlatch status NAME"},
        {{"run"}, "name of the lock is missing"},
        {{"run", "--", "nice", "./backup.sh"},
         "missing before --, as in: redlatch run NAME -- nice; a name that begins"},
        {{"run", "--no-wait", "--", "nice", "--", "./backup.sh"}, "missing before --"},
        {{"run", "--", "", "true"}, "missing before --"},
        {{"elect", "--", "nice", "./backup.sh"},
         "missing before --, as in: redlatch elect NAME -- nice; a name that begins"},
        {{"elect", "--who", "--", "job"}, "missing before --"},
        {{"hold", "--"}, "NAME is missing"},
        {{"elect", "--candidate=", "job", "--", "true"}, "--candidate needs a value: --candidate TEXT"},
        {{"run", "--wait=", "job", "--", "true"}, "--wait needs a value: --wait DURATION"},
        {{"hold", "--permits=", "job"}, "--permits needs a value: --permits N[/OF]"},
        {{"status", "--server=", "job"}, "--server needs a value: --server URI"},
        {{"run", "job"}, "no command to run"},
        {{"run", "job", "--"}, "no command to run"},
        {{"run", "job", "true"}, "true"},
        {{"run", "", "--", "true"}, "empty"},
        {{"run", long_name, "--", "true"}, "65536"},
        {{"run", "job", "--bogus", "--", "true"}, "--bogus"},
        {{"run", "job", "--wait", "5", "--", "true"}, "--wait: '5' is not a duration"},
        {{"run", "job", "--wait", "--", "true"}, "--wait"},
        {{"run", "job", "--wait=-5s", "--", "true"}, "negative"},
        {{"run", "job", "--lease", "0s", "--", "true"}, "--lease"},
        {{"run", "job", "--lease", "10ms", "--", "true"}, "too short"},
        {{"run", "job", "--watchdog", "0ms", "--", "true"}, "too short"},
        {{"run", "job", "--max-hold", "0s", "--", "true"}, "--max-hold"},
        {{"run", "job", "--min-hold", "0s", "--", "true"}, "--min-hold"},
        {{"run", "job", "--min-hold", "6s", "--lease", "5s", "--", "true"}, "longer than --lease"},
        {{"hold", "job", "--lock-delay=-1s"}, "negative"},
        {{"elect", "job", "--min-hold", "0s", "--", "true"}, "--min-hold"},
        {{"elect", "job", "--min-hold", "6s", "--lease", "5s", "--", "true"}, "longer than --lease"},
        {{"run", "job", "--lease", "99999999999999999999h", "--", "true"}, "too long"},
        {{"run", "job", "--lease", "5s", "--watchdog", "5s", "--", "true"}, "one of them"},
        {{"run", "job", "--lease", "5s", "--max-hold", "5s", "--", "true"}, "one of them"},
        {{"run", "job", "--wait", "5s", "--no-wait", "--", "true"}, "one of them"},
        {{"run", "job", "--grace", "15s", "--", "true"}, "below half"},
        {{"run", "job", "--lease", "4s", "--grace", "2s", "--", "true"}, "below half"},
        {{"run", "job", "--max-hold", "1s", "--grace", "600ms", "--", "true"}, "below half"},
        {{"run", "job", "--on-lost", "shrug", "--", "true"}, "term|kill|warn"},
        {{"run", "job", "--conflict-exit-code", "256", "--", "true"}, "0 to 255"},
        {{"run", "job", "--conflict-exit-code", "x", "--", "true"}, "whole number"},
        {{"run", "job", "--wait", "1s", "--wait", "2s", "--", "true"}, "--wait"},
        {{"hold"}, "NAME"},
        {{"hold", "job", "more"}, "more"},
        {{"hold", "job", "--grace", "1s"}, "--grace"},
        {{"status"}, "NAME"},
        {{"status", ""}, "empty"},
        {{"unlock", "job"}, "--force"},
        {{"unlock", "--force"}, "NAME"},
        {{"list", "a", "b"}, "b"},
        {{"server"}, "server status"},
        {{"server", "start"}, "'start'"},
        {{"server", "statsu"}, "did you mean status?"},
        {{"semaphore"}, "set, acquire, release, add, available, drain or remove"},
        {{"semaphore", "aquire", "job"}, "did you mean acquire?"},
        {{"semaphore", "job"}, "it has set, acquire, release, add, available, drain and remove"},
        {{"semaphore", "--json", "drain", "job"}, "flags stand behind the command"},
        {{"semaphore", "set", "job"}, "PERMITS is missing; usage: redlatch semaphore set NAME PERMITS"},
        {{"semaphore", "set", "job", "-1"}, "PERMITS: '-1' is not a whole number from 0 to 2147483647"},
        {{"semaphore", "set", "job", "2147483648"}, "from 0 to 2147483647"},
        {{"semaphore", "set", "job", "1.5"}, "PERMITS: '1.5' is not a whole number"},
        {{"semaphore", "set", "job", ""}, "PERMITS: '' is not a whole number"},
        {{"semaphore", "set", "job", "1", "--expiry", "0s"}, "--expiry 0s is too short"},
        {{"semaphore", "set", "job", "1", "--expiry", "5"}, "--expiry: '5' is not a duration"},
        {{"semaphore", "set", "", "1"}, "the name of the semaphore is empty"},
        {{"semaphore", "set", long_name, "1"}, "the name of the semaphore has 65537 bytes"},
        {{"semaphore", "acquire"}, "NAME is missing"},
        {{"semaphore", "acquire", "job", "--permits", "0"},
         "--permits: '0' is not a whole number from 1 to 2147483647"},
        {{"semaphore", "acquire", "job", "--wait", "5s", "--no-wait"}, "one of them"},
        {{"semaphore", "acquire", "job", "--conflict-exit-code", "256"}, "0 to 255"},
        {{"semaphore", "release", "job", "2"}, "'2' is one word too many"},
        {{"semaphore", "release", "job", "--permits", "-1"}, "'-1' is not a whole number from 1"},
        {{"semaphore", "release", "job", "--wait", "1s"}, "no flag '--wait'"},
        {{"semaphore", "available", "job", "--permits", "1"}, "no flag '--permits'"},
        {{"latch"}, "set, count-down, wait, count or remove"},
        {{"latch", "countdown", "job"}, "did you mean count-down?"},
        {{"latch", "set", "job"}, "COUNT is missing"},
        {{"latch", "set", "job", "0"}, "COUNT: '0' is not a whole number from 1 to 2147483647"},
        {{"latch", "set", "job", "three"}, "COUNT: 'three' is not a whole number"},
        {{"latch", "count", ""}, "the name of the latch is empty"},
        {{"latch", "wait", "job", "--wait", "5s", "--no-wait"}, "one of them"},
        {{"latch", "wait", "job", "--permits", "1"}, "no flag '--permits'"},
        {{"ping", "job"}, "job"},
        {{"version", "job"}, "job"},
        {{"ping", "--server", "nonsense"}, "nonsense"},
        {{"ping", "--server", "http://127.0.0.1"}, "http"},
        {{"ping", "--server", "redis://127.0.0.1:99999"}, "99999"},
        {{"ping", "--server", "redis://127.0.0.1/x"}, "x"},
        {{"ping", "--server", ""}, "empty"},
        {{"ping", "--config", "/no/such/file.yaml"}, "/no/such/file.yaml"},
        {{"ping", "--config", "a", "--server", "b"}, "one of them"},
    };
    for (auto const& [arguments, says] : table) {
        std::string shown;
        for (auto const& word : arguments) shown += word.substr(0, 40) + ' ';
        auto const result = run(arguments);
        EXPECT_EQ(result.status, 64) << shown << result.errors;
        EXPECT_NE(result.errors.find(says), std::string::npos) << shown << "said: " << result.errors;
        EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << "one line: " << result.errors;
        EXPECT_EQ(result.output, "") << shown;
    }
}

TEST_F(bad_input, a_config_file_is_refused_with_its_line) {
    auto const file = (folder.path() / "redisson.yaml").string();
    std::ofstream(file) << "singleServerConfig:\n  address: \"" << server.uri() << "\"\n  timout: 3000\n";
    auto const result = run({"run", "job", "--config", file, "--", "true"});
    EXPECT_EQ(result.status, 64);
    EXPECT_NE(result.errors.find("timout"), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("line 3"), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("timeout"), std::string::npos) << "the nearest known name: " << result.errors;
}

TEST_F(bad_input, is_told_as_json_where_json_was_asked_for) {
    auto const result = run({"run", "job", "--json", "--wait", "5", "--", "true"});
    EXPECT_EQ(result.status, 64);
    EXPECT_TRUE(result.errors.starts_with("{\"event\":\"error\"")) << result.errors;
}

TEST_F(bad_input, a_name_cannot_talk_to_the_terminal) {
    auto const result = run({"run", "\x1b]0;owned\a", "--bogus", "--", "true"});
    EXPECT_EQ(result.errors.find('\x1b'), std::string::npos);
    hold_as_stranger(server, "\x1b[2J", std::chrono::hours(1));
    for (words const& arguments :
         {words{"run", "\x1b[2J", "--no-wait", "--", "true"}, words{"status", "\x1b[2J"}, words{"list"}}) {
        auto const shown = run(arguments);
        EXPECT_EQ((shown.output + shown.errors).find('\x1b'), std::string::npos) << arguments.front();
        EXPECT_NE((shown.output + shown.errors).find("\\x1b[2J"), std::string::npos) << shown.output << shown.errors;
    }
    server.run("DEL", "\x1b[2J");
}

TEST_F(bad_input, a_name_may_be_any_bytes) {
    for (std::string const& name : {std::string("{"), std::string("}{"), std::string("a b\n"), std::string("\xff\xfe"),
                                    std::string(64 * 1024, 'x'), std::string("*")}) {
        auto const result = run({"run", name, "--", "sh", "-c", "printf %s \"$REDLATCH_LOCK\" | cksum"});
        EXPECT_EQ(result.status, 0) << name.substr(0, 20) << result.errors;
    }
    EXPECT_EQ(run({"run", "--", "-dash", "sh", "-c", "echo \"$REDLATCH_LOCK\""}).output, "-dash\n");
    EXPECT_EQ(run({"run", "--no-wait", "--", "-dash", "--", "echo", "x"}).output, "x\n");
    EXPECT_EQ(run({"elect", "--candidate", "-", "--", "-dash", "echo", "x"}).output, "x\n");
    EXPECT_EQ(run({"elect", "--who", "--", "-dash"}).status, 1);
    EXPECT_EQ(run({"status", "--", "-dash"}).status, 1);
    server.run("DEL", "redisson_lock_token:{-dash}"); // it outlives the lock
}

} // namespace
} // namespace redlatch::test
