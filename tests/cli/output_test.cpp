// status, list, unlock, ping, version; JSON, help.
#include "durations.hpp"
#include "support/sanitized.hpp"
#include "tool.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
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
    EXPECT_EQ(
        as_json.output,
        R"({"name":"job","state":"free","type":null,"owners":[],"token":null,"ttl_ms":null,"waiters":[],"truncated":false})"
        "\n");
}

TEST_F(tool_output, status_of_a_lock_that_java_holds) {
    std::string const client = "0e1f2a3b-0000-4000-8000-0123456789ab";
    hold_as_stranger(server, "job", 1h, client + ":71");
    std::chrono::milliseconds const before{pttl(server, "job")};
    auto const result = run({"status", "job"});
    std::chrono::milliseconds const after{pttl(server, "job")};
    EXPECT_EQ(result.status, 0);
    for (std::string const part : {"held", "reentrant", client.c_str(), "holder 71", "count 1"})
        EXPECT_NE(result.output.find(part), std::string::npos) << part << " is not in " << result.output;
    std::smatch time;
    ASSERT_TRUE(std::regex_search(result.output, time, std::regex(" for ([0-9a-z]+) still"))) << result.output;
    EXPECT_LE(cli::parse_duration(time.str(1)), before);
    EXPECT_GE(cli::parse_duration(time.str(1)), std::chrono::floor<std::chrono::seconds>(after)) << "rounded";
    auto const object = lines_of(run({"status", "job", "--json"}).output).at(0);
    EXPECT_EQ(keys_of(object), "name state type owners token ttl_ms waiters truncated ");
    EXPECT_EQ(object["state"], "held");
    EXPECT_EQ(object["type"], "reentrant");
    EXPECT_EQ(object["owners"], json::array({{{"owner", client + ":71"},
                                              {"client", client},
                                              {"holder", "71"},
                                              {"count", 1},
                                              {"label", nullptr},
                                              {"released", false}}}));
    EXPECT_GT(object["ttl_ms"], 3'500'000);
    server.run("DEL", "job");
}

TEST_F(tool_output, status_and_list_show_the_fencing_token) {
    auto const holding = start(script("echo ready; read line", {"--fenced"}));
    ASSERT_EQ(line_of(*holding), "ready");
    server.run("SET", "redisson_lock_token:{job}", "41");
    EXPECT_NE(run({"status", "job"}).output.find("the last fencing token was 41\n"), std::string::npos);
    for (auto const* const command : {"status", "list"})
        EXPECT_EQ(lines_of(run({command, "job", "--json"}).output).at(0)["token"], 41) << command;
    holding->write("\n");
    EXPECT_EQ(finish(*holding).status, 0);
    EXPECT_NE(run({"status", "job"}).output.find("is free\n  the last fencing token was 41\n"), std::string::npos);
    server.run("SET", "redisson_lock_token:{job}", "no number");
    EXPECT_EQ(run({"status", "job"}).output.find("token"), std::string::npos);
    server.run("DEL", "redisson_lock_token:{job}");
}

TEST_F(tool_output, status_and_list_show_the_queue_of_a_fair_lock) {
    std::string const java = "0e1f2a3b-0000-4000-8000-0123456789ab";
    auto const now = std::stoll(server.run("TIME").items.at(0).text) * 1'000;
    server.run("RPUSH", "redisson_lock_queue:{job}", java + ":7", java + ":8");
    server.run("ZADD", "redisson_lock_timeout:{job}", std::to_string(now + 7'200'000), java + ":7", "1", java + ":8");
    EXPECT_EQ(run({"status", "job"}).status, 1);
    auto const free = run({"status", "job"}).output;
    EXPECT_EQ(free.find("'job' is free for the first of its queue\n  waiting in place 1: client " + java
                        + ", holder 7; passed over in 1h59m"),
              0U)
        << free;
    EXPECT_NE(free.find("holder 8; passed over in 0s unless it asks again\n"), std::string::npos) << free;
    hold_as_stranger(server, "job", 1h);
    auto const held = run({"status", "job"});
    EXPECT_EQ(held.status, 0);
    EXPECT_NE(held.output.find("'job' is held (fair) for "), std::string::npos) << held.output;
    EXPECT_NE(held.output.find("  waiting in place 1: client " + java + ", holder 7"), std::string::npos)
        << held.output;
    auto const object = lines_of(run({"list", "--json"}).output).at(0);
    EXPECT_EQ(object["type"], "fair");
    ASSERT_EQ(object["waiters"].size(), 2U);
    EXPECT_EQ(keys_of(object["waiters"][0]), "owner client holder passed_over_in_ms label place ");
    EXPECT_EQ(object["waiters"][0]["owner"], java + ":7");
    EXPECT_GT(object["waiters"][0]["passed_over_in_ms"], 7'000'000);
    EXPECT_EQ(object["waiters"][1]["passed_over_in_ms"], 0);
    for (auto const* key : {"job", "redisson_lock_queue:{job}", "redisson_lock_timeout:{job}"}) server.run("DEL", key);
}

TEST_F(tool_output, says_that_more_hold_a_lock_than_are_shown) {
    words command{"HSET", "job", "mode", "read"};
    for (int reader = 1; reader <= 3000; ++reader)
        command.insert(command.end(), {"0e1f2a3b-0000-4000-8000-0123456789ab:" + std::to_string(reader), "1"});
    server.admin().command(command);
    auto const status = run({"status", "job"});
    EXPECT_EQ(status.status, 0);
    auto const shown = static_cast<int>(std::count(status.output.begin(), status.output.end(), '\n')) - 2;
    EXPECT_TRUE(status.output.ends_with("  and by more: at least " + std::to_string(shown + 1)
                                        + " hold it, and not all were read\n"))
        << status.output.substr(status.output.size() - 200);
    EXPECT_EQ(lines_of(run({"status", "job", "--json"}).output).at(0)["truncated"], true);
    EXPECT_NE(run({"list"}).output.find("(and more, which were not read)"), std::string::npos);
    auto const busy = run({"run", "job", "--no-wait", "--", "true"});
    EXPECT_NE(busy.errors.find(" and at least " + std::to_string(shown - 1) + " more\n"), std::string::npos)
        << busy.errors;
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
    EXPECT_EQ(keys_of(some[0]), "name state type owners token ttl_ms waiters truncated ");
    EXPECT_EQ(keys_of(some[0]["owners"][0]), "owner client holder count label released ");
    EXPECT_EQ(some[0]["name"], "alpha");
    EXPECT_EQ(run({"list", "none*", "--json"}).output, "");
    EXPECT_EQ(run({"list", "none*"}).status, 0);
    for (auto const* key : {"alpha", "beta", "string"}) server.run("DEL", key);
    EXPECT_FALSE(command_counts(server).contains("keys")) << "SCAN, never KEYS";
}

/// What a terminal would obey, or what deceives its reader.
bool is_harmless(std::string const& text) {
    for (std::string const part : {"\x1b", "\x07", "\x7f", "\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6"})
        if (text.find(part) != std::string::npos) return false;
    return true;
}

TEST_F(tool_output, nothing_that_the_server_says_reaches_the_terminal_as_it_is) {
    std::string const odd = "\x1b]0;owned\x07 \x7f \xc2\x9b \xe2\x80\xae \xe2\x81\xa6";
    hold_as_stranger(server, odd, 1h);
    server.run("HSET", "mode", "00000000-0000-4000-8000-000000000000:1", "1", "mode", odd);
    server.run("HSET", "fields", "00000000-0000-4000-8000-000000000000:" + odd, "1");
    server.run("SET", "text" + odd, "x");
    for (words const& command : {words{"list"},
                                 {"list", "--json"},
                                 {"status", odd},
                                 {"status", odd, "--json"},
                                 {"status", "mode"},
                                 {"status", "mode", "--json"},
                                 {"status", "fields"},
                                 {"status", "fields", "--json"},
                                 {"status", "text" + odd},
                                 {"status", "text" + odd, "--json"},
                                 {"run", odd, "--no-wait", "--", "true"},
                                 {"run", odd, "--no-wait", "--json", "--", "true"},
                                 {"unlock", "mode", "--force"}}) {
        auto const result = run(command);
        EXPECT_NE(result.output + result.errors, "");
        EXPECT_TRUE(is_harmless(result.output)) << command.front() << ": " << result.output;
        EXPECT_TRUE(is_harmless(result.errors)) << command.front() << ": " << result.errors;
    }
    auto const named = lines_of(run({"status", odd, "--json"}).output).at(0);
    EXPECT_EQ(named["name"], odd) << "whole, for programs";
    EXPECT_EQ(run({"status", "mode"}).status, 69) << "no lock has such a mode";
    EXPECT_EQ(run({"unlock", "mode", "--force"}).status, 69);
    EXPECT_EQ(server.run("EXISTS", "mode").integer, 1);
    server.run("FLUSHALL");
}

TEST_F(tool_output, a_long_name_does_not_flood_the_table) {
    std::string const name(65536, 'x');
    hold_as_stranger(server, name, 1h);
    server.run("EVAL",
               "for i = 1, 1000 do redis.call('hset', 'lock:' .. i, '00000000-0000-4000-8000-000000000000:1', 1) end",
               "0");
    auto const table = run({"list"});
    EXPECT_LT(table.output.size(), 200'000U) << "it was 64 KiB for each line";
    std::istringstream lines(table.output);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) EXPECT_LT(line.size(), 200U);
    EXPECT_EQ(count, 1002U);
    EXPECT_EQ(lines_of(run({"list", "xx*", "--json"}).output).at(0)["name"], name);
    EXPECT_LT(run({"status", name}).output.size(), 500U);
    server.run("FLUSHALL");
}

TEST_F(tool_output, a_key_that_may_not_be_read_does_not_hide_the_others) {
    hold_as_stranger(server, "L1", 1h);
    for (auto const* key : {"secret1", "secret2"}) hold_as_stranger(server, key, 1h);
    server.run("ACL", "SETUSER", "reader", "reset", "on", ">secret", "%R~L*", "+scan", "+hscan", "+pttl", "+exists");
    std::ofstream(folder.path() / "reader.yaml")
        << "singleServerConfig:\n  address: \"" << server.uri() << "\"\n  username: reader\n  password: secret\n";
    auto const file = (folder.path() / "reader.yaml").string();
    std::filesystem::permissions(file, std::filesystem::perms::owner_read); // or it is warned about
    auto const table = run({"list", "--config", file});
    EXPECT_EQ(table.status, 0) << table.errors;
    EXPECT_NE(table.output.find("\nL1 "), std::string::npos) << table.output;
    EXPECT_EQ(table.output.find("secret"), std::string::npos) << table.output;
    EXPECT_EQ(std::count(table.errors.begin(), table.errors.end(), '\n'), 1) << table.errors;
    for (auto const* part : {"not shown", "'secret", "NOPERM", "1 more"})
        EXPECT_NE(table.errors.find(part), std::string::npos) << part << " is not in " << table.errors;
    auto const as_json = run({"list", "--config", file, "--json"});
    EXPECT_EQ(lines_of(as_json.output).size(), 1U);
    EXPECT_EQ(lines_of(as_json.errors).at(0)["event"], "unreadable");
    EXPECT_EQ(lines_of(as_json.errors).at(0)["count"], 2);
    EXPECT_EQ(run({"status", "L1", "--config", file}).status, 0);
    auto const pong = run({"ping", "--config", file, "--json"});
    EXPECT_EQ(pong.status, 0) << pong.errors;
    EXPECT_NE(lines_of(pong.output).at(0)["version"], nullptr) << "HELLO says it where INFO may not be asked";
    server.run("FLUSHALL");
}

TEST_F(tool_output, whoever_holds_the_lock_is_named) {
    auto const holder = start(script("echo held; read line; exit 0", {}, "nightly"));
    ASSERT_EQ(line_of(*holder), "held");
    auto const label = ":" + std::to_string(holder->pid()) + ":sh";
    auto const owner = holders(server, "nightly").begin()->first;
    auto const shown = label + " (" + owner + ")";

    auto const status = run({"status", "nightly"});
    EXPECT_NE(status.output.find(label + ": client "), std::string::npos) << status.output;
    auto const list = run({"list"});
    EXPECT_NE(list.output.find(label + "\n"), std::string::npos) << list.output;
    auto const object = lines_of(run({"list", "--json"}).output).at(0);
    EXPECT_TRUE(object["owners"][0]["label"].get<std::string>().ends_with(label)) << object;

    auto const busy = run({"run", "nightly", "--no-wait", "--", "true"});
    EXPECT_NE(busy.errors.find("is held by "), std::string::npos) << busy.errors;
    EXPECT_NE(busy.errors.find(shown), std::string::npos) << busy.errors;
    // The first line does not wait for the name for longer than half of the wait, and never for longer than 100 ms.
    // With a sanitizer, and beside others that have one, it may never get its turns in that time.
    bool named_at_once = false;
    int const attempts = is_sanitized() ? 2 : 20;
    for (int attempt = 0; attempt < attempts && !named_at_once; ++attempt) {
        auto const timed_out = run({"run", "nightly", "--wait", "1s", "--verbose", "--", "true"});
        auto const last_line = timed_out.errors.find("was busy for 1s");
        ASSERT_NE(last_line, std::string::npos) << timed_out.errors;
        EXPECT_NE(timed_out.errors.find(shown, last_line), std::string::npos) << timed_out.errors;
        auto const first_line = timed_out.errors.substr(0, last_line);
        ASSERT_NE(first_line.find("waiting for the lock 'nightly'"), std::string::npos) << timed_out.errors;
        named_at_once = first_line.find("waiting for the lock 'nightly', held by ") != std::string::npos
                        && first_line.find(shown) != std::string::npos;
    }
    EXPECT_TRUE(named_at_once || is_sanitized()) << "in none of twenty runs";
    auto const event = lines_of(run({"run", "nightly", "--no-wait", "--json", "--", "true"}).errors).at(0);
    EXPECT_EQ(event["event"], "busy");
    EXPECT_EQ(event["holder"], owner);
    EXPECT_TRUE(event["label"].get<std::string>().ends_with(label)) << event;
    EXPECT_EQ(finish(*holder).status, 0);
}

TEST_F(tool_output, of_java_the_id_is_named) {
    hold_as_stranger(server, "job", 1h);
    auto const busy = run({"run", "job", "--no-wait", "--", "true"});
    EXPECT_NE(busy.errors.find("is held by 00000000-0000-4000-8000-000000000000:1\n"), std::string::npos)
        << busy.errors;
    EXPECT_NE(run({"list"}).output.find(" -\n"), std::string::npos);
    server.run("DEL", "job");
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
    EXPECT_EQ(run({"unlock", "job", "--force", "--json"}).output,
              R"({"name":"job","was_held":false,"passed_over":null})"
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
        EXPECT_TRUE(event["message"].is_string()) << event;
    }
    if (events.starts_with("waiting ")) events.erase(0, 8); // a server on a loaded machine may not answer at once
    EXPECT_EQ(events, "acquired started ended released ");

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

/// What cannot be written is not silently lost.
TEST_F(tool_output, a_full_device_is_an_error_of_each_command_that_prints) {
    hold_as_stranger(server, "job", 1h);
    for (char const* command :
         {"status job", "status job --json", "status free", "list", "list --json", "list 'none*'", "ping",
          "ping --json", "version", "version --json", "server status", "server status --json", "server stop",
          "unlock free --force", "--help", "list --help"}) {
        child_process tool({{"sh", "-c", std::string("exec " + the_tool() + " ") + command + " >/dev/full"},
                            {"REDLATCH_SERVER=" + server.uri(), "REDLATCH_RUNTIME_DIR=" + folder.path().string()},
                            {}});
        auto const result = finish(tool);
        EXPECT_EQ(result.status, 74) << command << ": " << result.errors;
        EXPECT_NE(result.errors.find("cannot be written to stdout: No space left on device"), std::string::npos)
            << command << ": " << result.errors;
    }
    server.run("DEL", "job");
}

TEST_F(tool_output, verbose_says_once_that_a_hold_is_lost) {
    auto const tool = start(script("echo ready; exec sleep 100", {"--verbose", "--watchdog", "600ms"}));
    ASSERT_EQ(line_of(*tool), "ready");
    server.run("DEL", "job");
    auto const result = finish(*tool);
    EXPECT_EQ(result.status, 79);
    auto const first = result.errors.find("on lock 'job' is lost");
    EXPECT_NE(first, std::string::npos) << result.errors;
    EXPECT_EQ(result.errors.find("on lock 'job' is lost", first + 1), std::string::npos) << result.errors;
}

TEST_F(tool_output, a_single_attempt_to_connect_is_not_counted) {
    auto const result = run({"ping", "--server", "unix://" + (folder.path() / "nobody.sock").string()});
    EXPECT_EQ(result.errors.find("attempt"), std::string::npos) << result.errors;
}

TEST_F(tool_output, help_is_there_at_each_level_and_names_each_flag) {
    for (words const& arguments : {words{"--help"}, {"-h"}, {"help"}, {"server", "--help"}}) {
        auto const result = run(arguments);
        EXPECT_EQ(result.status, 0);
        EXPECT_TRUE(result.output.starts_with("Usage: redlatch")) << result.output;
    }
    std::vector<std::pair<words, words>> const table{
        {{"run"},
         {"--wait",
          "--no-wait",
          "--lease",
          "--watchdog",
          "--max-hold",
          "--min-hold",
          "--lock-delay",
          "--fair",
          "--fenced",
          "--shared",
          "--write",
          "--on-lost",
          "--grace",
          "--server",
          "--config",
          "--verbose",
          "--json",
          "--conflict-exit-code",
          "79",
          "126",
          "127",
          "REDLATCH_VALID_UNTIL",
          "REDLATCH_TOKEN"}},
        {{"hold"},
         {"--wait", "--no-wait", "--lease", "--watchdog", "--max-hold", "--server", "--config", "--json", "79"}},
        {{"status"}, {"NAME", "--type", "--json", "--server", "Exit status"}},
        {{"list"}, {"PATTERN", "--type", "--json", "--server"}},
        {{"unlock"}, {"--force", "--json", "it was free", "64"}},
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
        auto example = "\nExamples:\n  redlatch " + command.front();
        if (command.size() > 1) example += ' ' + command.back();
        EXPECT_NE(result.output.find(example), std::string::npos) << result.output;
        for (auto const& part : parts)
            EXPECT_NE(result.output.find(part), std::string::npos)
                << command.front() << " --help says nothing of " << part;
        std::istringstream lines(result.output);
        for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
    }
}

} // namespace
} // namespace redlatch::test
