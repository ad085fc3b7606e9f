// redlatch semaphore
#include "counter_tool.hpp"
#include "support/byte_proxy.hpp"

#include <redlatch/client.hpp>

#include <csignal>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class semaphore_command : public counter_tool_test {
protected:
    std::string const channel = "redisson_sc:{reports}";
    void set(std::string const& permits) { EXPECT_EQ(run({"semaphore", "set", "reports", permits}).status, 0); }
    void remove() { EXPECT_EQ(run({"semaphore", "remove", "reports"}).status, 0); }
};

TEST_F(semaphore_command, sets_once) {
    EXPECT_EQ(output_of({"semaphore", "set", "reports", "3"}), "the semaphore 'reports' is set to 3 permits\n");
    auto const again = run({"semaphore", "set", "reports", "7"});
    EXPECT_EQ(again.status, 1);
    EXPECT_EQ(again.output, "the semaphore 'reports' was set already; nothing was changed\n");
    EXPECT_EQ(value("reports"), "3");
    EXPECT_EQ(pttl(server, "reports"), -1);
    remove();
}

TEST_F(semaphore_command, sets_with_an_expiry) {
    EXPECT_EQ(output_of({"semaphore", "set", "reports", "0", "--expiry", "1h"}),
              "the semaphore 'reports' is set to 0 permits for 1h\n");
    EXPECT_GT(pttl(server, "reports"), 3'500'000);
    EXPECT_LE(pttl(server, "reports"), 3'600'000);
    remove();
}

TEST_F(semaphore_command, takes_and_adds_permits_and_says_nothing) {
    set("5");
    EXPECT_EQ(output_of({"semaphore", "acquire", "reports"}), "");
    EXPECT_EQ(value("reports"), "4");
    EXPECT_EQ(output_of({"semaphore", "acquire", "reports", "--permits", "4"}), "");
    EXPECT_EQ(value("reports"), "0");
    EXPECT_EQ(output_of({"semaphore", "release", "reports", "--permits", "2"}), "");
    EXPECT_EQ(output_of({"semaphore", "release", "reports"}), "");
    EXPECT_EQ(value("reports"), "3");
    EXPECT_NE(run({"semaphore", "acquire", "reports", "--verbose"})
                  .errors.find("redlatch: took 1 permit of the semaphore 'reports'\n"),
              std::string::npos);
    remove();
}

TEST_F(semaphore_command, grows_and_shrinks) {
    set("5");
    EXPECT_EQ(output_of({"semaphore", "add", "reports", "3"}), "");
    EXPECT_EQ(value("reports"), "8");
    EXPECT_EQ(output_of({"semaphore", "add", "reports", "-10"}), "");
    EXPECT_EQ(value("reports"), "-2") << "as many have to be released before there is one again";
    EXPECT_EQ(run({"semaphore", "acquire", "reports", "--no-wait"}).status, 75);
    EXPECT_NE(run({"semaphore", "add", "reports", "2", "--verbose"})
                  .errors.find("redlatch: added 2 permits to the semaphore 'reports'\n"),
              std::string::npos);
    EXPECT_EQ(json_of({"semaphore", "add", "reports", "1"}), "{\"name\":\"reports\",\"added\":true}\n");
    EXPECT_EQ(value("reports"), "1");
    EXPECT_NE(run({"semaphore", "add", "reports", "-1", "--verbose"})
                  .errors.find("redlatch: took 1 permit from the semaphore 'reports'\n"),
              std::string::npos);
    remove();
    EXPECT_EQ(output_of({"semaphore", "add", "reports", "4"}), "") << "as a release does";
    EXPECT_EQ(value("reports"), "4");
    remove();
}

TEST_F(semaphore_command, wakes_who_waits_when_it_grows_and_keeps_its_expiry) {
    EXPECT_EQ(run({"semaphore", "set", "reports", "0", "--expiry", "1h"}).status, 0);
    auto const waiter = start({"semaphore", "acquire", "reports", "--permits", "2"});
    ASSERT_TRUE(somebody_listens_to(channel));
    EXPECT_EQ(output_of({"semaphore", "add", "reports", "3"}), "");
    EXPECT_EQ(finish(*waiter).status, 0);
    EXPECT_EQ(value("reports"), "1");
    EXPECT_GT(pttl(server, "reports"), 3'000'000);
    remove();
}

TEST_F(semaphore_command, refuses_to_grow_by_what_is_no_number) {
    for (auto const* const number : {"0", "x", "2147483648", "-2147483648", "1.5", ""}) {
        auto const result = run({"semaphore", "add", "reports", number});
        EXPECT_EQ(result.status, 64) << number;
        EXPECT_FALSE(result.errors.empty()) << number;
    }
    EXPECT_EQ(run({"semaphore", "add", "reports"}).status, 64);
    EXPECT_EQ(server.run("EXISTS", "reports").integer, 0);
}

TEST_F(semaphore_command, is_set_by_a_release) {
    EXPECT_EQ(output_of({"semaphore", "release", "reports", "--permits", "2"}), "");
    EXPECT_EQ(value("reports"), "2");
    remove();
}

TEST_F(semaphore_command, shows_how_many_there_are) {
    EXPECT_EQ(output_of({"semaphore", "available", "reports"}), "0\n") << "not set";
    set("12");
    EXPECT_EQ(output_of({"semaphore", "available", "reports"}), "12\n");
    server.run("SET", "reports", "-3"); // by add_permits() below zero
    EXPECT_EQ(output_of({"semaphore", "available", "reports"}), "-3\n");
    remove();
}

TEST_F(semaphore_command, drains) {
    EXPECT_EQ(output_of({"semaphore", "drain", "reports"}), "0\n");
    set("12");
    EXPECT_EQ(output_of({"semaphore", "drain", "reports"}), "12\n");
    EXPECT_EQ(value("reports"), "0");
    remove();
}

TEST_F(semaphore_command, removes_what_is_set) {
    set("1");
    EXPECT_EQ(output_of({"semaphore", "remove", "reports"}), "the semaphore 'reports' was removed\n");
    auto const again = run({"semaphore", "remove", "reports"});
    EXPECT_EQ(again.status, 1);
    EXPECT_EQ(again.output, "the semaphore 'reports' was not set\n");
}

TEST_F(semaphore_command, says_it_as_json) {
    EXPECT_EQ(json_of({"semaphore", "set", "reports", "3"}), "{\"name\":\"reports\",\"set\":true}\n");
    EXPECT_EQ(json_of({"semaphore", "set", "reports", "3"}), "{\"name\":\"reports\",\"set\":false}\n");
    EXPECT_EQ(json_of({"semaphore", "acquire", "reports"}), "{\"name\":\"reports\",\"acquired\":true}\n");
    EXPECT_EQ(json_of({"semaphore", "release", "reports"}), "{\"name\":\"reports\",\"released\":true}\n");
    EXPECT_EQ(json_of({"semaphore", "available", "reports"}), "{\"name\":\"reports\",\"available\":3}\n");
    EXPECT_EQ(json_of({"semaphore", "drain", "reports"}), "{\"name\":\"reports\",\"drained\":3}\n");
    auto const busy = run({"semaphore", "acquire", "reports", "--no-wait", "--json"});
    EXPECT_EQ(busy.status, 75);
    EXPECT_EQ(busy.output, "{\"name\":\"reports\",\"acquired\":false}\n");
    EXPECT_TRUE(busy.errors.starts_with("{\"event\":\"busy\"")) << busy.errors;
    EXPECT_EQ(json_of({"semaphore", "remove", "reports"}), "{\"name\":\"reports\",\"removed\":true}\n");
    EXPECT_EQ(json_of({"semaphore", "remove", "reports"}), "{\"name\":\"reports\",\"removed\":false}\n");
}

TEST_F(semaphore_command, says_that_there_are_too_few) {
    set("2");
    for (words const& how : {words{"--no-wait"}, words{"--wait", "0s"}, words{"--wait", "1s"}}) {
        words arguments{"semaphore", "acquire", "reports", "--permits", "3"};
        arguments.insert(arguments.end(), how.begin(), how.end());
        auto const begin = std::chrono::steady_clock::now();
        auto const result = run(arguments);
        EXPECT_EQ(result.status, 75) << how.back();
        EXPECT_EQ(result.output, "") << how.back();
        EXPECT_NE(result.errors.find("'reports' had fewer than 3 permits"), std::string::npos) << result.errors;
        if (how.back() == "1s") {
            EXPECT_GE(std::chrono::steady_clock::now() - begin, 1s);
        }
        arguments.insert(arguments.end(), {"--conflict-exit-code", "9"});
        EXPECT_EQ(run(arguments).status, 9);
    }
    EXPECT_EQ(value("reports"), "2");
    remove();
}

TEST_F(semaphore_command, a_tool_that_waits_is_woken_by_another_one) {
    set("1");
    auto const waiter = start({"semaphore", "acquire", "reports", "--permits", "3"});
    ASSERT_TRUE(somebody_listens_to(channel));
    EXPECT_EQ(output_of({"semaphore", "release", "reports"}), "") << "not enough yet";
    EXPECT_FALSE(waiter->ended());
    EXPECT_EQ(output_of({"semaphore", "release", "reports"}), "");
    auto const result = finish(*waiter);
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.output + result.errors, "");
    EXPECT_EQ(value("reports"), "0");
    remove();
}

TEST_F(semaphore_command, a_tool_waits_until_the_semaphore_is_set) {
    auto const waiter = start({"semaphore", "acquire", "reports", "--wait", "1h", "--verbose"});
    ASSERT_TRUE(somebody_listens_to(channel));
    ASSERT_TRUE(wait_until([&] {
        return waiter->error_text().find("waiting for 1 permit of the semaphore 'reports'\n") != std::string::npos;
    }));
    set("1");
    EXPECT_EQ(finish(*waiter).status, 0);
    EXPECT_EQ(value("reports"), "0");
    remove();
}

TEST_F(semaphore_command, shares_permits_with_the_library) {
    client user(server.uri());
    auto shared = user.get_semaphore("reports");
    set("1");
    EXPECT_TRUE(shared.try_acquire());
    auto const waiter = start({"semaphore", "acquire", "reports"});
    ASSERT_TRUE(somebody_listens_to(channel));
    shared.release();
    EXPECT_EQ(finish(*waiter).status, 0);
    EXPECT_FALSE(shared.try_acquire());
    EXPECT_EQ(output_of({"semaphore", "release", "reports"}), "");
    shared.acquire({.wait = 20s});
    remove();
}

TEST_F(semaphore_command, a_signal_ends_the_wait_at_once_and_takes_nothing) {
    set("1");
    for (int const number : {SIGINT, SIGTERM, SIGHUP}) {
        for (words const& how : {words{}, words{"--wait", "1h"}}) {
            words arguments{"semaphore", "acquire", "reports", "--permits", "2", "--json"};
            arguments.insert(arguments.end(), how.begin(), how.end());
            auto const tool = start(arguments);
            ASSERT_TRUE(somebody_listens_to(channel));
            auto const begin = std::chrono::steady_clock::now();
            tool->signal(number);
            auto const result = finish(*tool);
            EXPECT_EQ(result.status, died_of(number)) << result.errors;
            EXPECT_LT(std::chrono::steady_clock::now() - begin, 2s) << "at once, with patience for a loaded machine";
            EXPECT_EQ(result.output, "");
            EXPECT_NE(result.errors.find("{\"event\":\"signal\""), std::string::npos) << result.errors;
            ASSERT_TRUE(wait_until([&] { return server.run("PUBSUB", "NUMSUB", channel).items.at(1).integer == 0; }));
        }
    }
    server.run("INCR", "reports"); // whoever waited still would take them now
    EXPECT_EQ(output_of({"semaphore", "available", "reports"}), "2\n");
    remove();
}

TEST_F(semaphore_command, takes_once_although_an_answer_is_lost) {
    byte_proxy proxy(server.address());
    set("5");
    EXPECT_EQ(run({"semaphore", "acquire", "reports"}).status, 0); // the server knows the script
    auto const lost = proxy.cut_after(any_script());
    EXPECT_EQ(run({"semaphore", "acquire", "reports", "--server", proxy.uri()}).status, 0);
    EXPECT_TRUE(lost.wait());
    EXPECT_EQ(value("reports"), "3");
    remove();
}

TEST_F(semaphore_command, takes_nothing_where_the_answer_is_on_its_way_when_the_wait_ends) {
    byte_proxy proxy(server.address());
    set("5");
    EXPECT_EQ(run({"semaphore", "acquire", "reports"}).status, 0); // the server knows the script
    auto const by_signal = proxy.hold_reply(any_script());
    auto const tool = start({"semaphore", "acquire", "reports", "--server", proxy.uri()});
    ASSERT_TRUE(by_signal.wait());
    ASSERT_TRUE(wait_until([&] { return value("reports") == "3"; })) << "it was taken";
    tool->signal(SIGINT);
    by_signal.deliver();
    EXPECT_EQ(finish(*tool).status, died_of(SIGINT));
    EXPECT_TRUE(wait_until([&] { return value("reports") == "4"; })) << "and given back";
    remove();
}

TEST_F(semaphore_command, leaves_a_server_that_does_not_answer_in_time_and_takes_nothing) {
    {
        client user(server.uri()); // the server is to know the scripts, that which gives back too
        auto warm = user.get_semaphore("warm", {.exactly_once = true});
        warm.release();
        byte_proxy between(server.address());
        client other(between.uri());
        auto const late = between.hold_reply(any_script());
        std::error_code ec;
        other.get_semaphore("warm", {.exactly_once = true}).acquire({.wait = 100ms}, ec);
        ASSERT_TRUE(late.wait());
        late.deliver();
        ASSERT_TRUE(wait_until([&] { return warm.available_permits() == 1; }));
        warm.remove();
    }
    byte_proxy proxy(server.address());
    set("5");
    auto const late = proxy.hold_reply(any_script());
    auto const result = run({"semaphore", "acquire", "reports", "--wait", "300ms", "--server", proxy.uri()});
    EXPECT_EQ(result.status, 69) << result.errors;
    EXPECT_TRUE(late.wait());
    EXPECT_TRUE(wait_until([&] { return value("reports") == "5"; })) << value("reports");
    remove();
}

TEST_F(semaphore_command, gives_back_what_nobody_can_be_told_of) {
    set("1");
    child_process tool(child_options{{"sh", "-c", "exec " + the_tool() + " semaphore acquire reports --json >&-"},
                                     {"REDLATCH_SERVER=" + server.uri()},
                                     {}});
    auto const result = finish(tool);
    EXPECT_EQ(result.status, 74);
    EXPECT_NE(result.errors.find("given back"), std::string::npos) << result.errors;
    EXPECT_EQ(value("reports"), "1");
    remove();
}

TEST_F(semaphore_command, says_what_it_drained_where_stdout_cannot_be_written_to) {
    set("4");
    child_process tool(child_options{
        {"sh", "-c", "exec " + the_tool() + " semaphore drain reports >&-"}, {"REDLATCH_SERVER=" + server.uri()}, {}});
    auto const result = finish(tool);
    EXPECT_EQ(result.status, 74);
    EXPECT_NE(result.errors.find("4 permits of the semaphore 'reports' were taken"), std::string::npos)
        << result.errors;
    remove();
}

TEST_F(semaphore_command, refuses_a_key_that_is_something_else_and_changes_nothing) {
    server.run("SET", "text", "precious");
    server.run("HSET", "hash", "name", "Bob");
    for (std::string const key : {"text", "hash"})
        for (words const& arguments :
             {words{"set", key, "3"}, words{"acquire", key}, words{"acquire", key, "--no-wait"},
              words{"acquire", key, "--wait", "1h"}, words{"release", key}, words{"available", key},
              words{"drain", key}, words{"remove", key}}) {
            auto line = arguments;
            line.insert(line.begin(), "semaphore");
            auto const result = run(line);
            EXPECT_EQ(result.status, 69) << key << ' ' << arguments.front();
            EXPECT_NE(result.errors.find("not a semaphore"), std::string::npos) << result.errors;
            EXPECT_NE(result.errors.find("'" + key + "'"), std::string::npos) << result.errors;
            EXPECT_EQ(result.output, "") << arguments.front();
        }
    EXPECT_EQ(value("text"), "precious");
    EXPECT_EQ(server.run("HGET", "hash", "name").text, "Bob");
    server.run("DEL", "text", "hash");
}

TEST_F(semaphore_command, takes_any_name) {
    for (std::string const& name :
         {std::string("{"), std::string("a b\n"), std::string("-dash"), std::string("\xff")}) {
        EXPECT_EQ(run({"semaphore", "set", "--", name, "1"}).status, 0) << name;
        EXPECT_EQ(run({"semaphore", "acquire", "--", name}).status, 0) << name;
        EXPECT_EQ(run({"semaphore", "available", "--", name}).output, "0\n") << name;
        EXPECT_EQ(run({"semaphore", "remove", "--", name}).status, 0) << name;
    }
    EXPECT_EQ(run({"semaphore", "set", "\x1b[2J", "1"}).output, "the semaphore '\\x1b[2J' is set to 1 permit\n");
    EXPECT_EQ(run({"semaphore", "remove", "\x1b[2J"}).status, 0);
}

TEST_F(semaphore_command, is_shown_by_status_as_what_it_is_said_to_be) {
    set("3");
    EXPECT_EQ(output_of({"status", "reports", "--type", "semaphore"}), "'reports' has 3 free permits\n");
    EXPECT_EQ(output_of({"status", "reports", "--type", "latch"}),
              "'reports' opens when it has been counted down 3 times more\n");
    EXPECT_EQ(output_of({"status", "reports", "--type", "semaphore", "--json"}),
              "{\"name\":\"reports\",\"state\":\"set\",\"type\":\"semaphore\",\"value\":3}\n");
    remove();
    auto const unset = run({"status", "reports", "--type", "semaphore"});
    EXPECT_EQ(unset.status, 1);
    EXPECT_EQ(unset.output, "'reports' is not set\n");
    EXPECT_EQ(run({"status", "reports", "--type", "latch"}).output, "'reports' is open, or was never set\n");
    EXPECT_EQ(run({"status", "reports", "--type", "latch", "--json"}).output,
              "{\"name\":\"reports\",\"state\":\"unset\",\"type\":\"latch\",\"value\":null}\n");
    hold_as_stranger(server, "reports", std::chrono::hours(1));
    auto const lock = run({"status", "reports", "--type", "semaphore"});
    EXPECT_EQ(lock.status, 69);
    EXPECT_NE(lock.errors.find("'reports' is a lock, not a semaphore"), std::string::npos) << lock.errors;
    server.run("DEL", "reports");
}

TEST_F(semaphore_command, is_not_taken_for_a_lock) {
    set("3");
    auto const result = run({"unlock", "reports", "--force"});
    EXPECT_EQ(result.status, 69);
    EXPECT_NE(result.errors.find("is not a lock"), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("redlatch semaphore available"), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("redlatch latch count"), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("redlatch permits show"), std::string::npos) << result.errors;
    EXPECT_TRUE(output_of({"status", "reports"}).starts_with("'reports' is a number, 3: "));
    EXPECT_EQ(output_of({"list", "--json"}), "") << "neither it nor the records of its requests";
    EXPECT_EQ(value("reports"), "3");
    remove();
    server.run("SET", "text", "precious");
    EXPECT_EQ(run({"status", "text"}).errors.find("semaphore"), std::string::npos) << "not a number";
    server.run("DEL", "text");
}

} // namespace
} // namespace redlatch::test
