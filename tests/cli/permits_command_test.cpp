// redlatch permits, and what status knows of semaphores and latches
#include "counter_tool.hpp"

#include <redlatch/client.hpp>

#include <nlohmann/json.hpp>
#include <regex>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;
using parsed = nlohmann::json;

class permits_command : public counter_tool_test {
protected:
    client user{server.uri()};
    permit_semaphore pool = user.get_permit_semaphore("reports");

    void remove() { EXPECT_EQ(run({"permits", "remove", "reports"}).status, 0); }
};

TEST_F(permits_command, sets_once_and_resizes_when_it_is_told_to) {
    EXPECT_EQ(output_of({"permits", "set", "reports", "3"}), "the permit semaphore 'reports' has 3 permits in all\n");
    auto const again = run({"permits", "set", "reports", "5"});
    EXPECT_EQ(again.status, 1);
    EXPECT_EQ(again.output, "the permit semaphore 'reports' was set already; nothing was changed\n");
    permits const one = pool.acquire();
    EXPECT_EQ(output_of({"permits", "set", "reports", "5", "--resize"}),
              "the permit semaphore 'reports' has 5 permits in all\n");
    EXPECT_EQ(pool.get_permits(), 5);
    EXPECT_EQ(pool.available_permits(), 4);
    EXPECT_EQ(json_of({"permits", "set", "reports", "2"}), "{\"name\":\"reports\",\"set\":false}\n");
    EXPECT_EQ(json_of({"permits", "set", "reports", "2", "--resize"}), "{\"name\":\"reports\",\"set\":true}\n");
    EXPECT_EQ(pool.get_permits(), 2);
    remove();
}

TEST_F(permits_command, shows_what_there_is_and_which_are_taken) {
    auto const nothing = run({"permits", "show", "reports"});
    EXPECT_EQ(nothing.status, 1);
    EXPECT_EQ(nothing.output, "'reports' is not set\n");
    pool.try_set_permits(3);
    EXPECT_EQ(output_of({"permits", "show", "reports"}), "'reports' has 3 permits in all: 3 free, 0 taken\n");
    permits const leased = pool.acquire({.lease = 1h});
    permits const for_ever = pool.acquire();
    auto const text = output_of({"permits", "show", "reports"});
    EXPECT_TRUE(text.starts_with("'reports' has 3 permits in all: 1 free, 2 taken\n")) << text;
    EXPECT_NE(text.find("  " + leased.ids().front() + " for 59m"), std::string::npos) << text;
    EXPECT_NE(text.find("  " + for_ever.ids().front() + " without expiry\n"), std::string::npos) << text;
    auto const seen = parsed::parse(json_of({"permits", "show", "reports"}));
    EXPECT_EQ(seen["state"], "taken");
    EXPECT_EQ(seen["type"], "permit_semaphore");
    EXPECT_EQ(seen["permits"], 3);
    EXPECT_EQ(seen["available"], 1);
    EXPECT_EQ(seen["taken"], 2);
    ASSERT_EQ(seen["leases"].size(), 2U);
    EXPECT_EQ(seen["leases"][0]["id"], leased.ids().front());
    EXPECT_GT(seen["leases"][0]["ttl_ms"], 3'500'000);
    EXPECT_EQ(seen["leases"][1]["id"], for_ever.ids().front());
    EXPECT_TRUE(seen["leases"][1]["ttl_ms"].is_null());
    remove();
    EXPECT_EQ(parsed::parse(json_of({"permits", "show", "reports"}))["state"], "unset");
}

TEST_F(permits_command, shows_what_is_left_of_one_whose_number_was_deleted) {
    pool.try_set_permits(3);
    permits const one = pool.acquire();
    server.run("DEL", "reports");
    auto const seen = run({"permits", "show", "reports"});
    EXPECT_EQ(seen.status, 1);
    EXPECT_TRUE(seen.output.starts_with("'reports' is not set: 1 taken\n  " + one.ids().front())) << seen.output;
    EXPECT_EQ(run({"permits", "remove", "reports"}).status, 0);
}

TEST_F(permits_command, releases_by_id_what_somebody_else_has_taken) {
    pool.try_set_permits(1);
    permits const one = pool.acquire({.renewed = true});
    auto const id = one.ids().front();
    EXPECT_EQ(output_of({"permits", "release", "reports", id}), "");
    EXPECT_EQ(pool.available_permits(), 1);
    auto const again = run({"permits", "release", "reports", id});
    EXPECT_EQ(again.status, 1);
    EXPECT_NE(again.errors.find("has no permit " + id + " that is taken"), std::string::npos) << again.errors;
    EXPECT_EQ(json_of({"permits", "release", "reports", id}), "{\"name\":\"reports\",\"released\":false}\n");
    auto const malformed = run({"permits", "release", "reports", "12"});
    EXPECT_EQ(malformed.status, 64);
    EXPECT_NE(malformed.errors.find("32 hexadecimal characters"), std::string::npos) << malformed.errors;
    remove();
}

TEST_F(permits_command, removes_what_is_set) {
    pool.try_set_permits(1);
    EXPECT_EQ(output_of({"permits", "remove", "reports"}), "the permit semaphore 'reports' was removed\n");
    auto const again = run({"permits", "remove", "reports"});
    EXPECT_EQ(again.status, 1);
    EXPECT_EQ(again.output, "the permit semaphore 'reports' was not set\n");
}

TEST_F(permits_command, refuses_what_is_something_else_or_no_number) {
    server.run("HSET", "hash", "name", "Bob");
    server.run("SET", "text", "precious");
    for (std::string const key : {"hash", "text"})
        for (words const& arguments : {words{"set", key, "3"}, words{"set", key, "3", "--resize"}, words{"show", key},
                                       words{"release", key, std::string(32, '0')}, words{"remove", key}}) {
            auto line = arguments;
            line.insert(line.begin(), "permits");
            auto const result = run(line);
            EXPECT_EQ(result.status, 69) << key << ' ' << arguments.front();
            EXPECT_NE(result.errors.find("not a permit semaphore"), std::string::npos) << result.errors;
        }
    EXPECT_EQ(value("text"), "precious");
    server.run("DEL", "hash", "text");
    for (std::string const bad : {"-1", "x", "2147483648"})
        EXPECT_EQ(run({"permits", "set", "reports", bad}).status, 64) << bad;
    EXPECT_NE(run({"permits", "sett"}).errors.find("did you mean set?"), std::string::npos);
}

TEST_F(permits_command, status_knows_a_permit_semaphore_by_what_is_taken) {
    pool.try_set_permits(2);
    {
        permits const one = pool.acquire({.lease = 1h});
        EXPECT_EQ(output_of({"status", "reports"}), output_of({"permits", "show", "reports"}));
        auto const seen = parsed::parse(json_of({"status", "reports"}));
        EXPECT_EQ(seen["type"], "permit_semaphore");
        EXPECT_EQ(seen["taken"], 1);
    }
    auto const text = output_of({"status", "reports"});
    EXPECT_TRUE(
        text.starts_with("'reports' is a number, 2: the free permits of a semaphore, what is left of a latch, or "))
        << text;
    EXPECT_EQ(json_of({"status", "reports"}),
              "{\"name\":\"reports\",\"state\":\"set\",\"type\":\"number\",\"value\":2}\n");
    remove();
    EXPECT_EQ(run({"status", "reports"}).status, 1);
    EXPECT_EQ(run({"latch", "set", "gate", "3"}).status, 0);
    EXPECT_EQ(parsed::parse(json_of({"status", "gate"}))["value"], 3) << "which may be a latch's";
    EXPECT_EQ(run({"latch", "remove", "gate"}).status, 0);
}

TEST_F(permits_command, list_shows_those_of_which_permits_are_taken) {
    hold const lock = user.get_lock("job").acquire();
    pool.try_set_permits(3);
    auto tagged = user.get_permit_semaphore("{shop}:pool");
    tagged.try_set_permits(1);
    user.get_permit_semaphore("untouched").try_set_permits(1);
    EXPECT_EQ(run({"semaphore", "set", "plain", "2"}).status, 0);
    server.run("ZADD", "a{b}:timeout", "1", "no id"); // of somebody else's
    permits const two = pool.acquire({.permits = 2, .lease = 1h});
    permits const one = tagged.acquire();
    auto const text = output_of({"list", "*"});
    EXPECT_NE(text.find("job "), std::string::npos) << text;
    EXPECT_TRUE(std::regex_search(text, std::regex("\nreports +permits +- +- +2/3 +(1h|59m)"))) << text;
    EXPECT_TRUE(std::regex_search(text, std::regex("\n\\{shop\\}:pool +permits +- +- +1/1 +for ever"))) << text;
    for (auto const* unknown : {"untouched", "plain", "a{b}"}) EXPECT_EQ(text.find(unknown), std::string::npos) << text;
    auto const found = parsed::parse(json_of({"list", "rep*"}));
    EXPECT_EQ(found["name"], "reports");
    EXPECT_EQ(found["leases"].size(), 2U);
    EXPECT_EQ(parsed::parse(json_of({"list", "{shop}*"}))["name"], "{shop}:pool");
    EXPECT_EQ(json_of({"list", "shop*"}), "");
    for (auto const* key :
         {"reports", "{reports}:timeout", "{shop}:pool", "{shop}:pool:timeout", "untouched", "plain", "a{b}:timeout"})
        server.run("DEL", key);
}

TEST_F(permits_command, list_says_which_it_may_not_read) {
    pool.try_set_permits(1);
    permits const one = pool.acquire();
    server.run("ACL", "SETUSER", "default", "-get");
    auto const blind = run({"list"});
    server.run("ACL", "SETUSER", "default", "+get");
    EXPECT_EQ(blind.status, 0) << blind.errors;
    EXPECT_NE(blind.errors.find("not shown: "), std::string::npos) << blind.errors;
    EXPECT_NE(blind.errors.find("'reports'"), std::string::npos) << blind.errors;
    remove();
}

} // namespace
} // namespace redlatch::test
