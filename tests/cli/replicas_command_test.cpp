// --replicas and --replicas-timeout.
#include "support/sentinel_set.hpp"
#include "tool.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace redlatch::test {
namespace {

class replicas_command : public tool_test {
protected:
    replica_set all{1};
    words const to_master{"--server", all.uri(0)};

    words flags(words more) const {
        more.insert(more.begin(), to_master.begin(), to_master.end());
        return more;
    }
};

TEST_F(replicas_command, the_command_runs_when_the_replicas_have_the_lock) {
    std::string const on_replica = "redis-cli -h 127.0.0.1 -p " + std::to_string(all.port(1)) + " exists job";
    for (std::string const replicas : {"1", "all"}) {
        auto const done = run(script(on_replica, flags({"--replicas", replicas, "--replicas-timeout", "20s"})));
        EXPECT_EQ(done.status, 0) << done.errors;
        EXPECT_EQ(done.output, "1\n") << replicas;
    }
}

TEST_F(replicas_command, says_how_many_have_it) {
    auto const done =
        run(script("true", flags({"--replicas", "1", "--replicas-timeout", "20s", "--verbose", "--json"})));
    auto const at = done.errors.find("{\"event\":\"acquired\"");
    ASSERT_NE(at, std::string::npos) << done.errors;
    auto const line = nlohmann::json::parse(done.errors.substr(at, done.errors.find('\n', at) - at));
    EXPECT_EQ(line["replicas"], 1);
    EXPECT_NE(line["message"].get<std::string>().find(", which 1 replica has too"), std::string::npos);
}

TEST_F(replicas_command, says_that_none_has_it_where_none_is_connected) {
    auto const done = run(script("true", {"--replicas", "all", "--verbose"}));
    EXPECT_EQ(done.status, 0) << done.errors;
    EXPECT_NE(done.errors.find(", which no replica has\n"), std::string::npos) << done.errors;
}

TEST_F(replicas_command, too_few_end_the_tool_with_69_and_the_lock_is_free) {
    for (std::string const verb : {"run", "hold", "elect"}) {
        words all_words{verb, "job", "--replicas", "2", "--replicas-timeout", "1s"};
        all_words.insert(all_words.end(), to_master.begin(), to_master.end());
        if (verb != "hold") all_words.insert(all_words.end(), {"--", "echo", "never"});
        auto const failed = run(all_words);
        EXPECT_EQ(failed.status, 69) << verb;
        EXPECT_EQ(failed.output, "") << verb;
        EXPECT_NE(failed.errors.find("lock 'job' was given back: only 1 of 2 replicas"), std::string::npos)
            << verb << ": " << failed.errors;
        EXPECT_TRUE(holders(all[0], "job").empty()) << verb;
        all[0].run("FLUSHALL"); // the counter of an election
    }
}

TEST_F(replicas_command, a_configuration_can_ask_for_them) {
    auto const file = (folder.path() / "redlatch.yaml").string();
    std::ofstream(file) << "singleServerConfig: {address: '" << all.uri(0)
                        << "'}\nredlatch: {replicas: 2, replicasTimeout: 1000}\n";
    auto const failed = run(script("echo never", {"--config", file}));
    EXPECT_EQ(failed.status, 69);
    EXPECT_NE(failed.errors.find("only 1 of 2 replicas"), std::string::npos) << failed.errors;
    auto const without = run(script("echo run", {"--config", file, "--replicas", "none"}));
    EXPECT_EQ(without.status, 0) << without.errors;
    EXPECT_EQ(without.output, "run\n");
}

TEST_F(replicas_command, a_lock_that_was_given_back_is_busy_and_the_reason_is_said) {
    auto const file = (folder.path() / "redlatch.yaml").string();
    std::ofstream(file) << "singleServerConfig: {address: '" << all.uri(0)
                        << "'}\nredlatch: {replicas: 2, replicasTimeout: 1000, onTooFewReplicas: giveBack}\n";
    for (words wait : {words{"--no-wait"}, words{"--wait", "20s"}, words{}}) {
        wait.insert(wait.end(), {"--config", file});
        auto const busy = run(script("echo never", wait));
        EXPECT_EQ(busy.status, 75) << busy.errors;
        EXPECT_EQ(busy.output, "");
        EXPECT_NE(busy.errors.find("lock 'job' was given back: only 1 of 2 replicas"), std::string::npos)
            << busy.errors;
    }
}

TEST_F(replicas_command, permits_are_confirmed_as_locks_are) {
    words given{"--replicas", "1", "--replicas-timeout", "20s", "--verbose", "--json", "--permits", "2/3"};
    auto const done = run(script("true", flags(given)));
    EXPECT_EQ(done.status, 0) << done.errors;
    EXPECT_NE(done.errors.find(", which 1 replica has too"), std::string::npos) << done.errors;
    EXPECT_NE(done.errors.find("\"replicas\":1"), std::string::npos) << done.errors;
    auto const failed =
        run(script("echo never", flags({"--replicas", "2", "--replicas-timeout", "1s", "--permits", "2/3"})));
    EXPECT_EQ(failed.status, 69);
    EXPECT_NE(failed.errors.find("2 permits of permit semaphore 'job' were given back: only 1 of 2 replicas"),
              std::string::npos)
        << failed.errors;
    auto const file = (folder.path() / "redlatch.yaml").string();
    std::ofstream(file) << "singleServerConfig: {address: '" << all.uri(0)
                        << "'}\nredlatch: {replicas: 2, replicasTimeout: 1000, onTooFewReplicas: giveBack}\n";
    auto const busy = run(script("echo never", {"--config", file, "--wait", "20s", "--permits", "2/3"}));
    EXPECT_EQ(busy.status, 75) << busy.errors;
    EXPECT_NE(busy.errors.find("were given back: only 1 of 2 replicas"), std::string::npos) << busy.errors;
}

TEST_F(replicas_command, a_lease_that_ends_before_the_replicas_have_answered_ends_the_tool_with_69) {
    for (words const& more : {words{}, words{"--permits", "1/3"}}) {
        words wanted{"--replicas", "2", "--replicas-timeout", "20s", "--lease", "500ms"};
        wanted.insert(wanted.end(), more.begin(), more.end());
        auto const failed = run(script("echo never", flags(wanted)));
        EXPECT_EQ(failed.status, 69) << failed.errors;
        EXPECT_EQ(failed.output, "");
        EXPECT_NE(failed.errors.find("before its replicas had confirmed it"), std::string::npos) << failed.errors;
        all[0].run("FLUSHALL");
    }
}

TEST_F(replicas_command, nobody_is_said_to_be_waited_for_where_the_lock_is_free) {
    words const wanted = flags({"--replicas", "1", "--replicas-timeout", "20s", "--json"});
    auto const free = run(script("true", wanted));
    EXPECT_EQ(free.status, 0) << free.errors;
    EXPECT_EQ(free.errors.find("\"event\":\"waiting\""), std::string::npos) << free.errors;

    auto const holder = start(script("echo held; read line; exit 0", flags({})));
    ASSERT_EQ(line_of(*holder), "held");
    auto const waiter = start(script("true", wanted));
    EXPECT_TRUE(wait_until([&] { return waiter->error_text().find("\"event\":\"waiting\"") != std::string::npos; }));
    EXPECT_EQ(finish(*holder).status, 0);
    EXPECT_EQ(finish(*waiter).status, 0);
}

TEST_F(replicas_command, what_cannot_be_is_refused) {
    auto const refusal = [&](words given) {
        auto const said = run(script("echo never", given));
        EXPECT_EQ(said.status, 64) << said.errors;
        return said.errors;
    };
    for (std::string const text : {"0", "-1", "some", "1001", "1x", ""})
        EXPECT_NE(refusal({"--replicas", text}).find("--replicas: '" + text + "' is neither a number"),
                  std::string::npos);
    EXPECT_NE(refusal({"--replicas-timeout", "1s"}).find("--replicas-timeout is for --replicas"), std::string::npos);
    EXPECT_NE(refusal({"--replicas", "1", "--replicas-timeout", "0s"}).find("too short"), std::string::npos);
}

} // namespace
} // namespace redlatch::test
