// redlatch latch
#include "counter_tool.hpp"
#include "support/byte_proxy.hpp"

#include <redlatch/client.hpp>

#include <csignal>
#include <fstream>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class latch_command : public counter_tool_test {
protected:
    std::string const channel = "redisson_countdownlatch__channel__{loaded}";
    void set(std::string const& count) { EXPECT_EQ(run({"latch", "set", "loaded", count}).status, 0); }
};

TEST_F(latch_command, sets_once) {
    EXPECT_EQ(output_of({"latch", "set", "loaded", "3"}), "the latch 'loaded' is set to 3\n");
    auto const again = run({"latch", "set", "loaded", "7"});
    EXPECT_EQ(again.status, 1);
    EXPECT_EQ(again.output, "the latch 'loaded' was set already; nothing was changed\n");
    EXPECT_EQ(output_of({"latch", "count", "loaded"}), "3\n");
    EXPECT_EQ(output_of({"latch", "remove", "loaded"}), "the latch 'loaded' was removed\n");
    auto const gone = run({"latch", "remove", "loaded"});
    EXPECT_EQ(gone.status, 1);
    EXPECT_EQ(gone.output, "the latch 'loaded' was not set\n");
}

TEST_F(latch_command, leaves_a_permit_semaphore_alone) {
    client owner(server.uri());
    auto permits = owner.get_permit_semaphore("loaded");
    ASSERT_TRUE(permits.try_set_permits(3));
    auto mine = permits.acquire();
    for (auto const& words : {std::vector<std::string>{"latch", "set", "loaded", "4"},
                              {"latch", "count-down", "loaded"},
                              {"latch", "count", "loaded"},
                              {"latch", "wait", "loaded", "--wait", "20s"},
                              {"latch", "remove", "loaded"},
                              {"semaphore", "available", "loaded"},
                              {"semaphore", "set", "loaded", "4"},
                              {"semaphore", "acquire", "loaded"},
                              {"semaphore", "release", "loaded"},
                              {"semaphore", "drain", "loaded"},
                              {"semaphore", "remove", "loaded"}}) {
        auto const result = run(words);
        EXPECT_EQ(result.status, 69) << words[1];
        EXPECT_NE(result.errors.find("is a permit semaphore, not a " + words[0] + ", and 1 permit of it is taken"),
                  std::string::npos)
            << result.errors;
        EXPECT_EQ(permits.get_permits(), 3);
    }
    mine.release();
    permits.remove();
}

TEST_F(latch_command, speaks_of_itself_when_the_server_does_not_answer) {
    byte_proxy proxy(server.address());
    auto const file = (folder.path() / "quick.yaml").string();
    std::ofstream(file) << "singleServerConfig: {address: '" << proxy.uri() << "', timeout: 200, retryAttempts: 0}\n";
    for (auto const& [command, kind] : {std::pair{words{"latch", "count-down", "loaded"}, "latch"},
                                        std::pair{words{"semaphore", "add", "loaded", "1"}, "semaphore"}}) {
        auto const look = proxy.hold_reply(a_command("ZCOUNT"));
        auto line = command;
        line.insert(line.end(), {"--config", file});
        auto const result = run(line);
        EXPECT_TRUE(look.sprung());
        EXPECT_EQ(result.status, 69) << result.errors;
        EXPECT_NE(result.errors.find(std::string("looking at ") + kind + " 'loaded'"), std::string::npos)
            << result.errors;
        EXPECT_EQ(result.errors.find("permit semaphore"), std::string::npos) << result.errors;
    }
    EXPECT_EQ(server.run("EXISTS", "loaded").integer, 0);
}

TEST_F(latch_command, is_counted_down_beside_a_list_that_is_no_permits) {
    set("2");
    server.run("ZADD", "{loaded}:timeout", "1", "no id of a permit");
    EXPECT_EQ(output_of({"latch", "count-down", "loaded"}), "");
    EXPECT_EQ(value("loaded"), "1");
    server.run("DEL", "{loaded}:timeout");
    EXPECT_EQ(run({"latch", "remove", "loaded"}).status, 0);
}

TEST_F(latch_command, counts_down_until_there_is_none) {
    set("2");
    EXPECT_EQ(output_of({"latch", "count-down", "loaded"}), "");
    EXPECT_EQ(output_of({"latch", "count", "loaded"}), "1\n");
    EXPECT_EQ(output_of({"latch", "count-down", "loaded"}), "");
    EXPECT_EQ(output_of({"latch", "count", "loaded"}), "0\n");
    auto const result = run({"latch", "count-down", "loaded"});
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.errors,
              "redlatch: the latch 'loaded' is not set, or was counted down to zero before; nothing was changed\n");
    EXPECT_EQ(server.run("EXISTS", "loaded").integer, 0);
}

TEST_F(latch_command, says_it_as_json) {
    EXPECT_EQ(json_of({"latch", "set", "loaded", "2"}), "{\"name\":\"loaded\",\"set\":true}\n");
    EXPECT_EQ(json_of({"latch", "set", "loaded", "2"}), "{\"name\":\"loaded\",\"set\":false}\n");
    EXPECT_EQ(json_of({"latch", "count", "loaded"}), "{\"name\":\"loaded\",\"count\":2}\n");
    EXPECT_EQ(json_of({"latch", "count-down", "loaded"}), "{\"name\":\"loaded\",\"counted\":true}\n");
    auto const busy = run({"latch", "wait", "loaded", "--no-wait", "--json"});
    EXPECT_EQ(busy.status, 75);
    EXPECT_EQ(busy.output, "{\"name\":\"loaded\",\"open\":false}\n");
    EXPECT_TRUE(busy.errors.starts_with("{\"event\":\"busy\"")) << busy.errors;
    EXPECT_EQ(json_of({"latch", "remove", "loaded"}), "{\"name\":\"loaded\",\"removed\":true}\n");
    EXPECT_EQ(json_of({"latch", "remove", "loaded"}), "{\"name\":\"loaded\",\"removed\":false}\n");
    EXPECT_EQ(json_of({"latch", "wait", "loaded"}), "{\"name\":\"loaded\",\"open\":true}\n");
    auto const none = run({"latch", "count-down", "loaded", "--json"});
    EXPECT_EQ(none.status, 1);
    EXPECT_EQ(none.output, "{\"name\":\"loaded\",\"counted\":false}\n");
    EXPECT_TRUE(none.errors.starts_with("{\"event\":\"no_latch\"")) << none.errors;
}

TEST_F(latch_command, does_not_wait_for_one_that_is_not_set) {
    EXPECT_EQ(output_of({"latch", "wait", "loaded"}), "");
    EXPECT_EQ(output_of({"latch", "wait", "loaded", "--no-wait"}), "");
}

TEST_F(latch_command, says_that_it_is_not_open) {
    set("1");
    for (words const& how : {words{"--no-wait"}, words{"--wait", "0s"}, words{"--wait", "1s"}}) {
        words arguments{"latch", "wait", "loaded"};
        arguments.insert(arguments.end(), how.begin(), how.end());
        auto const result = run(arguments);
        EXPECT_EQ(result.status, 75) << how.back();
        EXPECT_EQ(result.output, "");
        EXPECT_NE(result.errors.find("'loaded' was not counted down to zero"), std::string::npos) << result.errors;
        arguments.insert(arguments.end(), {"--conflict-exit-code", "0"});
        EXPECT_EQ(run(arguments).status, 0);
    }
    EXPECT_EQ(value("loaded"), "1");
    server.run("DEL", "loaded");
}

TEST_F(latch_command, all_tools_that_wait_go_on_when_another_one_has_counted_down) {
    set("2");
    std::vector<std::unique_ptr<child_process>> waiters;
    auto admin = server.admin();
    for (int i = 1; i <= 3; ++i) {
        waiters.push_back(start({"latch", "wait", "loaded"}));
        ASSERT_TRUE(wait_until([&] { return admin.command("PUBSUB", "NUMSUB", channel).items.at(1).integer == i; }));
    }
    EXPECT_EQ(output_of({"latch", "count-down", "loaded"}), "");
    for (auto const& waiter : waiters) EXPECT_FALSE(waiter->ended());
    EXPECT_EQ(output_of({"latch", "count-down", "loaded"}), "");
    for (auto const& waiter : waiters) {
        auto const result = finish(*waiter);
        EXPECT_EQ(result.status, 0);
        EXPECT_EQ(result.output + result.errors, "");
    }
}

TEST_F(latch_command, a_tool_that_waits_goes_on_when_the_latch_is_removed) {
    set("2");
    auto const waiter = start({"latch", "wait", "loaded", "--wait", "1h", "--verbose"});
    ASSERT_TRUE(somebody_listens_to(channel));
    ASSERT_TRUE(
        wait_until([&] { return waiter->error_text().find("waiting for the latch 'loaded'\n") != std::string::npos; }));
    EXPECT_EQ(run({"latch", "remove", "loaded"}).status, 0);
    auto const result = finish(*waiter);
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.errors.find("the latch 'loaded' is open\n"), std::string::npos) << result.errors;
}

TEST_F(latch_command, shares_latches_with_the_library) {
    client user(server.uri());
    auto shared = user.get_count_down_latch("loaded");
    EXPECT_TRUE(shared.try_set_count(2));
    auto const waiter = start({"latch", "wait", "loaded"});
    ASSERT_TRUE(somebody_listens_to(channel));
    EXPECT_EQ(output_of({"latch", "count-down", "loaded"}), "");
    EXPECT_EQ(shared.count(), 1);
    EXPECT_TRUE(shared.count_down());
    EXPECT_EQ(finish(*waiter).status, 0);
    set("1");
    EXPECT_FALSE(shared.try_wait());
    EXPECT_EQ(output_of({"latch", "count-down", "loaded"}), "");
    shared.wait({.wait = 20s});
}

TEST_F(latch_command, a_signal_ends_the_wait_at_once_and_changes_nothing) {
    set("1");
    for (int const number : {SIGINT, SIGTERM, SIGHUP}) {
        auto const tool = start({"latch", "wait", "loaded"});
        ASSERT_TRUE(somebody_listens_to(channel));
        auto const begin = std::chrono::steady_clock::now();
        tool->signal(number);
        auto const result = finish(*tool);
        EXPECT_EQ(result.status, died_of(number)) << result.errors;
        EXPECT_LT(std::chrono::steady_clock::now() - begin, 2s) << "at once, with patience for a loaded machine";
        EXPECT_EQ(result.output + result.errors, "");
        ASSERT_TRUE(wait_until([&] { return server.run("PUBSUB", "NUMSUB", channel).items.at(1).integer == 0; }));
    }
    EXPECT_EQ(value("loaded"), "1");
    server.run("DEL", "loaded");
}

TEST_F(latch_command, refuses_a_key_that_is_something_else_and_changes_nothing) {
    server.run("SET", "text", "precious");
    server.run("HSET", "hash", "name", "Bob");
    for (std::string const key : {"text", "hash"})
        for (words const& arguments : {words{"set", key, "3"}, words{"count-down", key}, words{"wait", key},
                                       words{"wait", key, "--no-wait"}, words{"count", key}, words{"remove", key}}) {
            auto line = arguments;
            line.insert(line.begin(), "latch");
            auto const result = run(line);
            EXPECT_EQ(result.status, 69) << key << ' ' << arguments.front();
            EXPECT_NE(result.errors.find("latch"), std::string::npos) << result.errors;
            EXPECT_EQ(result.output, "") << arguments.front();
        }
    EXPECT_EQ(value("text"), "precious");
    EXPECT_EQ(server.run("HGET", "hash", "name").text, "Bob");
    server.run("DEL", "text", "hash");
}

} // namespace
} // namespace redlatch::test
