// redlatch list --type: semaphores, latches and permit semaphores, which are numbers on the server. And status --type permits.
#include "counter_tool.hpp"

#include <redlatch/client.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class list_type : public counter_tool_test {
protected:
    void TearDown() override {
        server.run("FLUSHALL");
        counter_tool_test::TearDown();
    }

    /// Its lines, sorted: they come in no order.
    static std::vector<std::string> lines_of(std::string const& text) {
        std::vector<std::string> lines;
        std::istringstream all(text);
        for (std::string line; std::getline(all, line);) lines.push_back(line);
        std::sort(lines.begin(), lines.end());
        return lines;
    }
    using lines = std::vector<std::string>;

    client user{server.uri()};
};

TEST_F(list_type, shows_semaphores_with_their_free_permits) {
    EXPECT_EQ(run({"semaphore", "set", "reports", "3"}).status, 0);
    EXPECT_EQ(run({"semaphore", "set", "images", "2"}).status, 0);
    EXPECT_EQ(run({"semaphore", "acquire", "images", "--permits", "2"}).status, 0);
    EXPECT_EQ(lines_of(output_of({"list", "--type", "semaphore"})),
              (lines{"NAME              FREE", "images            0", "reports           3"}))
        << "and not the records of the requests";
    EXPECT_EQ(lines_of(output_of({"list", "--type", "semaphore", "--json"})),
              (lines{R"({"name":"images","state":"set","type":"semaphore","value":0})",
                     R"({"name":"reports","state":"set","type":"semaphore","value":3})"}));
    EXPECT_EQ(output_of({"list", "reports", "--type", "semaphore", "--json"}),
              output_of({"status", "reports", "--type", "semaphore", "--json"}));
}

TEST_F(list_type, shows_latches_with_their_counts) {
    EXPECT_EQ(run({"latch", "set", "loaded", "3"}).status, 0);
    EXPECT_EQ(run({"latch", "count-down", "loaded"}).status, 0);
    EXPECT_EQ(output_of({"list", "--type", "latch"}), "NAME              COUNT\nloaded            2\n");
    EXPECT_EQ(output_of({"list", "--type", "latch", "--json"}),
              output_of({"status", "loaded", "--type", "latch", "--json"}));
}

TEST_F(list_type, shows_permit_semaphores_also_where_no_permit_is_taken) {
    EXPECT_EQ(run({"permits", "set", "pool", "2"}).status, 0);
    auto reports = user.get_permit_semaphore("reports");
    EXPECT_TRUE(reports.try_set_permits(3));
    permits const leased = reports.acquire({.lease = 3h + 30s});
    permits const for_ever = reports.acquire();
    auto const text = output_of({"list", "--type", "permits"});
    EXPECT_EQ(lines_of(text), (lines{"NAME              FREE    TAKEN   TTL", "pool              2       0       -",
                                     "reports           1       2       3h"}))
        << text;
    EXPECT_EQ(output_of({"list", "pool", "--type", "permits", "--json"}),
              output_of({"permits", "show", "pool", "--json"}));
    auto const seen = nlohmann::json::parse(output_of({"list", "reports", "--type", "permits", "--json"}));
    EXPECT_EQ(seen["type"], "permit_semaphore");
    EXPECT_EQ(seen["available"], 1);
    EXPECT_EQ(seen["taken"], 2);
    ASSERT_EQ(seen["leases"].size(), 2U);
    EXPECT_EQ(seen["leases"][0]["id"], leased.ids().front());
    EXPECT_TRUE(seen["leases"][1]["ttl_ms"].is_null());
    EXPECT_EQ(output_of({"list", "--type", "semaphore", "--json"}).find("reports"), std::string::npos)
        << "its permits say what it is";
}

TEST_F(list_type, shows_what_matches_the_pattern) {
    for (auto const* name : {"a:1", "a:2", "b:1", "a*"}) server.run("SET", name, "7");
    EXPECT_EQ(lines_of(output_of({"list", "a:*", "--type", "semaphore"})),
              (lines{"NAME              FREE", "a:1               7", "a:2               7"}));
    EXPECT_EQ(output_of({"list", "[bc]:?", "--type", "latch"}), "NAME              COUNT\nb:1               7\n");
    EXPECT_EQ(output_of({"list", "a\\*", "--type", "permits"}),
              "NAME              FREE    TAKEN   TTL\na*                7       0       -\n");
    EXPECT_EQ(output_of({"list", "none*", "--type", "latch"}), "NAME              COUNT\n");
    EXPECT_EQ(output_of({"list", "none*", "--type", "latch", "--json"}), "");
}

TEST_F(list_type, shows_no_locks_no_other_values_and_no_numbers_of_locks) {
    hold_as_stranger(server, "lock", 1h);
    server.run("SET", "redisson_lock_token:{lock}", "41");
    hold const read = user.get_read_write_lock("shared").read_lock().acquire();
    server.run("SET", "text", "precious");
    server.run("SET", "empty", "");
    server.run("SET", "almost", "3 permits");
    server.run("RPUSH", "list", "3");
    server.run("ZADD", "sorted", "3", "3");
    server.run("SET", "number", "3");
    EXPECT_EQ(output_of({"list", "--type", "semaphore"}), "NAME              FREE\nnumber            3\n");
    EXPECT_EQ(output_of({"list", "--type", "latch"}), "NAME              COUNT\nnumber            3\n");
    EXPECT_EQ(output_of({"list", "--type", "permits"}),
              "NAME              FREE    TAKEN   TTL\nnumber            3       0       -\n");
    EXPECT_FALSE(command_counts(server).contains("keys")) << "SCAN, never KEYS";
}

TEST_F(list_type, leaves_the_list_of_locks_as_it_is) {
    hold_as_stranger(server, "lock", 1h);
    EXPECT_EQ(run({"semaphore", "set", "reports", "3"}).status, 0);
    auto const text = output_of({"list", "--json"});
    EXPECT_EQ(lines_of(text).size(), 1U) << text;
    EXPECT_EQ(nlohmann::json::parse(text)["name"], "lock");
    auto const help = run({"list", "--help"}).output;
    EXPECT_NE(help.find("are not shown, but with --type"), std::string::npos) << help;
}

TEST_F(list_type, is_one_of_three) {
    for (auto const* type : {"lock", "permit_semaphore"}) {
        auto const result = run({"list", "--type", type});
        EXPECT_EQ(result.status, 64) << type;
        EXPECT_NE(result.errors.find("is none of semaphore|latch|permits"), std::string::npos) << result.errors;
    }
}

TEST_F(list_type, obeys_nothing_that_a_name_holds) {
    server.run("SET", "\x1b]0;owned\x07", "3");
    for (words const& command : {words{"list", "--type", "semaphore"}, words{"list", "--type", "permits", "--json"}}) {
        auto const text = output_of(command);
        EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
        EXPECT_NE(text.find("owned"), std::string::npos) << text;
    }
}

TEST_F(list_type, names_the_right_that_is_missing) {
    server.run("SET", "one", "1");
    server.run("SET", "two", "2");
    server.run("ACL", "SETUSER", "default", "-scan");
    auto const refused = run({"list", "--type", "semaphore"});
    server.run("ACL", "SETUSER", "default", "+scan", "-getrange");
    auto const blind = run({"list", "--type", "semaphore"});
    auto const as_json = run({"list", "--type", "permits", "--json"});
    server.run("ACL", "SETUSER", "default", "+@all");
    EXPECT_EQ(refused.status, 69);
    EXPECT_NE(refused.errors.find("'scan'"), std::string::npos) << refused.errors;
    EXPECT_EQ(blind.status, 0);
    EXPECT_EQ(blind.output, "NAME              FREE\n");
    EXPECT_EQ(std::count(blind.errors.begin(), blind.errors.end(), '\n'), 1) << blind.errors;
    for (auto const* part : {"not shown: ", "'getrange'", "1 more"})
        EXPECT_NE(blind.errors.find(part), std::string::npos) << part << " is not in " << blind.errors;
    EXPECT_EQ(as_json.output, "");
    auto const event = nlohmann::json::parse(as_json.errors);
    EXPECT_EQ(event["event"], "unreadable");
    EXPECT_EQ(event["count"], 2);
}

/// What redlatch acl prints is enough.
TEST_F(list_type, needs_the_rights_of_its_type) {
    EXPECT_EQ(run({"semaphore", "set", "jobs:a", "3"}).status, 0);
    auto const file = (folder.path() / "lister.yaml").string();
    std::ofstream(file) << "singleServerConfig:\n  address: \"" << server.uri()
                        << "\"\n  username: lister\n  password: secret\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_read); // or it is warned about
    for (auto const& [type, of_rule] : std::map<std::string, std::string>{
             {"semaphore", "semaphore"}, {"latch", "latch"}, {"permits", "permit_semaphore"}}) {
        auto const rule = output_of({"acl", "--types", of_rule, "--user", "lister"});
        words command;
        std::istringstream all(rule.substr(0, rule.find('\n')));
        for (std::string word; all >> word;) command.push_back(word == ">PASSWORD" ? ">secret" : word);
        command.insert(command.begin() + 3, "reset");
        EXPECT_EQ(server.admin().command(command).text, "OK") << rule;
        auto const listed = run({"list", "jobs:*", "--type", type, "--json", "--config", file});
        EXPECT_EQ(listed.status, 0) << listed.errors;
        EXPECT_NE(listed.output.find("\"name\":\"jobs:a\""), std::string::npos) << type << ": " << listed.output;
        EXPECT_EQ(listed.errors, "") << type;
    }
}

TEST_F(list_type, permits_is_one_of_status_too) {
    auto const unset = run({"status", "pool", "--type", "permits"});
    EXPECT_EQ(unset.status, 1);
    EXPECT_EQ(unset.output, "'pool' is not set\n");
    EXPECT_EQ(run({"permits", "set", "pool", "2"}).status, 0);
    EXPECT_EQ(output_of({"status", "pool", "--type", "permits"}), "'pool' has 2 permits in all: 2 free, 0 taken\n");
    EXPECT_EQ(output_of({"status", "pool", "--type", "permits", "--json"}),
              output_of({"permits", "show", "pool", "--json"}));
    hold_as_stranger(server, "lock", 1h);
    auto const lock = run({"status", "lock", "--type", "permits"});
    EXPECT_EQ(lock.status, 69);
    EXPECT_NE(lock.errors.find("is not a permit semaphore"), std::string::npos) << lock.errors;
}

} // namespace
} // namespace redlatch::test
