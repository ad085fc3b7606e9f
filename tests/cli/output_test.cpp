// status, list, unlock, ping, version; JSON, help.
#include "tool.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;
using json = nlohmann::ordered_json;

std::vector<json> lines_of(std::string const& text) {
    std::vector<json> result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) result.push_back(json::parse(line));
    return result;
}

std::string keys_of(json const& object) {
    std::string result;
    for (auto const& [key, value] : object.items()) result += key + " ";
    return result;
}

class tool_output : public tool_test {};

TEST_F(tool_output, status_of_a_free_lock) {
    auto const result = run({"status", "job"});
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.output, "'job' is free\n");
    auto const as_json = run({"status", "job", "--json"});
    EXPECT_EQ(as_json.status, 1);
    EXPECT_EQ(as_json.output, R"({"name":"job","state":"free","type":null,"owners":[],"ttl_ms":null})"
                              "\n");
}

TEST_F(tool_output, status_of_a_lock_that_java_holds) {
    std::string const client = "0e1f2a3b-0000-4000-8000-0123456789ab";
    hold_as_stranger(server, "job", 1h, client + ":71");
    auto const result = run({"status", "job"});
    EXPECT_EQ(result.status, 0);
    for (std::string const part : {"held", "reentrant", client.c_str(), "holder 71", "count 1", "59m59s"})
        EXPECT_NE(result.output.find(part), std::string::npos) << part << " is not in " << result.output;
    auto const object = lines_of(run({"status", "job", "--json"}).output).at(0);
    EXPECT_EQ(keys_of(object), "name state type owners ttl_ms ");
    EXPECT_EQ(object["state"], "held");
    EXPECT_EQ(object["type"], "reentrant");
    EXPECT_EQ(object["owners"],
              json::array({{{"owner", client + ":71"}, {"client", client}, {"holder", "71"}, {"count", 1}}}));
    EXPECT_GT(object["ttl_ms"], 3'500'000);
    server.run("DEL", "job");
}

TEST_F(tool_output, names_that_are_not_utf8_do_not_break_json) {
    hold_as_stranger(server,
                     "a\xff"
                     "b",
                     1h);
    auto const object = lines_of(run({"status",
                                      "a\xff"
                                      "b",
                                      "--json"})
                                     .output)
                            .at(0);
    EXPECT_EQ(object["name"], "a\xef\xbf\xbd"
                              "b");
    EXPECT_EQ(object["state"], "held");
    EXPECT_EQ(lines_of(run({"list", "--json"}).output).size(), 1U);
    server.run("DEL", "a\xff"
                      "b");
}

TEST_F(tool_output, list_shows_locks_and_only_locks) {
    hold_as_stranger(server, "alpha", 1h);
    hold_as_stranger(server, "beta", 1h);
    server.run("SET", "string", "x");
    auto const table = run({"list"});
    EXPECT_EQ(table.status, 0);
    EXPECT_TRUE(table.output.starts_with("NAME")) << table.output;
    EXPECT_NE(table.output.find("\nalpha "), std::string::npos) << table.output;
    EXPECT_NE(table.output.find("\nbeta "), std::string::npos) << table.output;
    EXPECT_EQ(table.output.find("string"), std::string::npos) << table.output;

    auto const some = lines_of(run({"list", "al*", "--json"}).output);
    ASSERT_EQ(some.size(), 1U);
    EXPECT_EQ(keys_of(some[0]), "name state type owners ttl_ms ");
    EXPECT_EQ(some[0]["name"], "alpha");
    EXPECT_EQ(run({"list", "none*", "--json"}).output, "");
    EXPECT_EQ(run({"list", "none*"}).status, 0);
    for (auto const* key : {"alpha", "beta", "string"}) server.run("DEL", key);
    EXPECT_FALSE(command_counts(server).contains("keys")) << "SCAN, never KEYS";
}

TEST_F(tool_output, unlock_ends_any_hold_and_wakes_the_waiter) {
    hold_as_stranger(server, "job", 1h);
    EXPECT_EQ(run({"unlock", "job"}).status, 64) << "not without --force";
    EXPECT_TRUE(is_held());
    auto const waiter = start({"run", "job", "--", "echo", "mine"});
    ASSERT_TRUE(becomes_waited_for());
    auto const result = run({"unlock", "job", "--force"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(line_of(*waiter), "mine");
    EXPECT_EQ(finish(*waiter).status, 0);
    EXPECT_EQ(run({"unlock", "job", "--force"}).status, 1) << "it was free";
    EXPECT_EQ(run({"unlock", "job", "--force", "--json"}).output, R"({"name":"job","was_held":false})"
                                                                  "\n");
}

TEST_F(tool_output, ping_shows_the_server) {
    auto const result = run({"ping"});
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.output.find(" ms\n"), std::string::npos) << result.output;
    auto const object = lines_of(run({"ping", "--json"}).output).at(0);
    EXPECT_EQ(keys_of(object), "server software version round_trip_us ");
    EXPECT_NE(server.run("INFO", "server").text.find(object["version"].get<std::string>()), std::string::npos);
    EXPECT_GT(object["round_trip_us"], 0);
}

TEST_F(tool_output, version) {
    auto const result = run({"version"});
    EXPECT_EQ(result.status, 0);
    EXPECT_TRUE(result.output.starts_with("redlatch ")) << result.output;
    EXPECT_EQ(run({"--version"}).output, result.output);
    EXPECT_EQ(keys_of(lines_of(run({"version", "--json"}).output).at(0)), "version ");
}

TEST_F(tool_output, events_are_json_lines_on_stderr) {
    auto const result = run(script("exit 3", {"--json"}));
    EXPECT_EQ(result.output, "");
    std::string events;
    for (auto const& event : lines_of(result.errors)) {
        events += event["event"].get<std::string>() + " ";
        EXPECT_TRUE(event["at_ms"].is_number_integer()) << event;
        EXPECT_TRUE(event["sentence"].is_string()) << event;
    }
    if (events.starts_with("waiting ")) events.erase(0, 8); // a server on a loaded machine may not answer at once
    EXPECT_EQ(events, "acquired started released ended ");

    hold_as_stranger(server, "job", 1h);
    auto const busy = lines_of(run({"run", "job", "--no-wait", "--json", "--", "true"}).errors);
    ASSERT_EQ(busy.size(), 1U);
    EXPECT_EQ(busy[0]["event"], "busy");
    EXPECT_EQ(busy[0]["name"], "job");
    server.run("DEL", "job");
}

TEST_F(tool_output, a_wait_is_an_event_only_when_there_is_one) {
    hold_as_stranger(server, "job", 1h);
    auto const tool = start({"run", "job", "--json", "--", "true"});
    ASSERT_TRUE(wait_until([&] { return tool->error_text().find("\"event\":\"waiting\"") != std::string::npos; }));
    ASSERT_TRUE(becomes_waited_for());
    release_as_stranger(server, "job");
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(lines_of(result.errors).at(0)["event"], "waiting");
    EXPECT_EQ(lines_of(result.errors).at(1)["event"], "acquired");
}

TEST_F(tool_output, verbose_says_what_happens) {
    auto const result = run(script("exit 0", {"--verbose"}));
    EXPECT_EQ(result.output, "");
    for (auto const* part : {"holding the lock 'job'", "started 'sh'", "gave back the lock 'job'", "status 0"})
        EXPECT_NE(result.errors.find(part), std::string::npos) << part << " is not in " << result.errors;
}

TEST_F(tool_output, help_is_there_at_each_level_and_names_each_flag) {
    for (words const& arguments : {words{"--help"}, {"-h"}, {"help"}, {"server", "--help"}}) {
        auto const result = run(arguments);
        EXPECT_EQ(result.status, 0);
        EXPECT_TRUE(result.output.starts_with("Usage: redlatch")) << result.output;
    }
    std::vector<std::pair<words, words>> const table{
        {{"run"},
         {"--wait", "--no-wait", "--lease", "--watchdog", "--max-hold", "--on-lost", "--grace", "--server", "--config",
          "--verbose", "--json", "--conflict-exit-code", "79", "126", "127", "REDLATCH_VALID_UNTIL"}},
        {{"hold"},
         {"--wait", "--no-wait", "--lease", "--watchdog", "--max-hold", "--server", "--config", "--json", "79"}},
        {{"status"}, {"NAME", "--json", "--server", "Exit status"}},
        {{"list"}, {"PATTERN", "--json", "--server"}},
        {{"unlock"}, {"--force", "--json"}},
        {{"ping"}, {"--server", "--json"}},
        {{"server", "status"}, {"--json", "Exit status"}},
        {{"server", "stop"}, {"--force", "75"}},
        {{"version"}, {"--json"}},
    };
    for (auto const& [command, parts] : table) {
        auto arguments = command;
        arguments.emplace_back("--help");
        auto const result = run(arguments);
        EXPECT_EQ(result.status, 0) << command.front();
        EXPECT_EQ(result.errors, "") << command.front();
        for (auto const& part : parts)
            EXPECT_NE(result.output.find(part), std::string::npos)
                << command.front() << " --help says nothing of " << part;
        std::istringstream lines(result.output);
        for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
    }
}

} // namespace
} // namespace redlatch::test
