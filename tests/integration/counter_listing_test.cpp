// Listing semaphores, latches and permit semaphores: which numbers they are, in how many round trips, with which rights, and
// what a server may do meanwhile.
#include "integration/endless_server.hpp"
#include "integration/log_lines.hpp"
#include "integration/user_with_rights.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>

namespace redlatch::test {
namespace {

class counter_listing_test : public with_server {
protected:
    using numbers = std::map<std::string, std::int64_t>;

    static numbers counters_of(client& user, std::string_view pattern = "*") {
        numbers found;
        user.visit_counters(pattern, [&](std::vector<counter_info> const& some) {
            for (auto const& one : some) {
                EXPECT_EQ(one.problem, "") << one.name;
                EXPECT_TRUE(found.emplace(one.name, one.number).second) << one.name << " comes twice";
            }
        });
        return found;
    }
    static std::map<std::string, permit_info> permits_of(client& user, permit_visit_options const& options) {
        std::map<std::string, permit_info> found;
        user.visit_permit_semaphores(
            "*",
            [&](std::vector<permit_info> const& some) {
                for (auto const& one : some) EXPECT_TRUE(found.emplace(one.name, one).second) << one.name;
            },
            options);
        return found;
    }
    config with(words const& rights) const { return settings_with_rights(server, rights); }
};

TEST_F(counter_listing_test, finds_whole_numbers_and_nothing_else) {
    client user(quick(server.uri()));
    auto const least = std::numeric_limits<std::int64_t>::min();
    for (auto const& [key, text] : std::map<std::string, std::string>{{"a", "3"},
                                                                      {"a{b}c", "-2"},
                                                                      {"zero", "0"},
                                                                      {"least", std::to_string(least)},
                                                                      {"text", "precious"},
                                                                      {"empty", ""},
                                                                      {"more", "3x"},
                                                                      {"blank", " 3"},
                                                                      {"fraction", "3.5"},
                                                                      {"large", "9223372036854775808"},
                                                                      {"long", std::string(30, '0') + "7"},
                                                                      {"{a}:timeout", "3"}})
        server.run("SET", key, text);
    server.run("HSET", "hash", "field", "3");
    server.run("RPUSH", "list", "3");
    EXPECT_EQ(counters_of(user), (numbers{{"a", 3}, {"a{b}c", -2}, {"zero", 0}, {"least", least}, {"{a}:timeout", 3}}));
    EXPECT_EQ(counters_of(user, "a*"), (numbers{{"a", 3}, {"a{b}c", -2}}));
    EXPECT_EQ(counters_of(user, "none*"), numbers());
}

TEST_F(counter_listing_test, leaves_out_the_numbers_of_locks_and_of_requests) {
    client user(quick(server.uri()));
    auto semaphore = user.get_semaphore(name, {.exactly_once = true});
    EXPECT_TRUE(semaphore.try_set_permits(3));
    EXPECT_TRUE(semaphore.try_acquire());
    hold const numbered = user.get_fenced_lock("fenced").acquire();
    hold const read = user.get_read_write_lock("shared").read_lock().acquire();
    EXPECT_EQ(server.run("DBSIZE").integer, 7) << "and two records, two locks, a counter of tokens, a read hold";
    EXPECT_EQ(counters_of(user), (numbers{{name, 2}}));
}

TEST_F(counter_listing_test, knows_a_permit_semaphore_by_what_is_taken) {
    client user(quick(server.uri()));
    EXPECT_TRUE(user.get_semaphore("plain").try_set_permits(3));
    auto pool = user.get_permit_semaphore("pool");
    EXPECT_TRUE(pool.try_set_permits(2));
    EXPECT_EQ(counters_of(user), (numbers{{"plain", 3}, {"pool", 2}})) << "numbers, both";
    permits one = pool.acquire({.lease = 60s});
    EXPECT_EQ(counters_of(user), (numbers{{"plain", 3}}));
    EXPECT_EQ(permits_of(user, {}).size(), 1U);
    auto found = permits_of(user, {.with_untaken = true});
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found["plain"].permits, 3);
    EXPECT_EQ(found["plain"].available, 3);
    EXPECT_EQ(found["plain"].taken, 0);
    EXPECT_EQ(found["pool"].permits, 2);
    EXPECT_EQ(found["pool"].available, 1);
    ASSERT_EQ(found["pool"].leases.size(), 1U);
    EXPECT_EQ(found["pool"].leases.front().id, one.ids().front());
    one.release();
    EXPECT_EQ(permits_of(user, {}).size(), 0U);
    EXPECT_EQ(permits_of(user, {.with_untaken = true}).size(), 2U);
}

TEST_F(counter_listing_test, reads_no_more_of_a_string_than_a_number_has) {
    server.run("SETRANGE", "huge", "70000000", "x"); // no reply may be so long
    server.run("SET", "small", "3");
    client user(quick(server.uri()));
    EXPECT_EQ(counters_of(user), (numbers{{"small", 3}}));
    EXPECT_EQ(permits_of(user, {.with_untaken = true}).size(), 1U);
    EXPECT_EQ(user.stats().reconnects, 0U);
}

TEST_F(counter_listing_test, needs_few_round_trips_for_many) {
    server.run("EVAL", "for i = 1, 1200 do redis.call('set', 'n:' .. i, i) end", "0");
    byte_proxy proxy{server.address()};
    config settings = quick(proxy.uri());
    settings.timeout = 20s; // hundreds of commands pass through the proxy
    client user(settings);
    proxy.delay(direction::to_client, 20ms);
    auto const start = test_clock::now();
    std::size_t pages = 0;
    numbers found;
    user.visit_counters("n:*", [&](std::vector<counter_info> const& some) {
        ++pages;
        for (auto const& one : some) found.emplace(one.name, one.number);
    });
    EXPECT_EQ(found.size(), 1200U);
    EXPECT_EQ(found["n:1200"], 1200);
    EXPECT_GE(pages, 2U) << "as they are found";
    EXPECT_LT(since(start), 8s) << "one at a time they take 24 s";
    EXPECT_EQ(proxy.count(a_command("DBSIZE")), 1U);
    EXPECT_EQ(proxy.count(a_command("KEYS")), 0U);
}

TEST_F(counter_listing_test, shows_a_key_that_scan_names_twice_once) {
    byte_proxy proxy{server.address()};
    client user(quick(proxy.uri()));
    server.run("SET", "twice", "3");
    proxy.replace_reply(a_command("SCAN"), endless_server::page("9", {"twice", "twice"}));
    proxy.replace_reply([](words const& command) { return command.at(0) == "SCAN" && command.at(1) == "9"; },
                        endless_server::page("0", {"twice"}));
    EXPECT_EQ(counters_of(user), (numbers{{"twice", 3}}));
}

TEST_F(counter_listing_test, can_be_left_in_the_middle) {
    server.run("SET", name, "3");
    client user(quick(server.uri()));
    auto const leave = [](std::vector<counter_info> const&) { throw std::runtime_error("enough"); };
    EXPECT_THROW(user.visit_counters("*", leave), std::runtime_error);
    EXPECT_EQ(counters_of(user), (numbers{{name, 3}})) << "the client is as before";
}

TEST_F(counter_listing_test, lists_what_a_visit_shows_a_page_at_a_time) {
    server.run("EVAL", "for i = 1, 1200 do redis.call('set', 'n:' .. i, i) end", "0");
    client user(quick(server.uri()));
    numbers listed;
    for (auto const& one : user.list_counters("n:*")) listed.emplace(one.name, one.number);
    EXPECT_EQ(listed.size(), 1200U);
    EXPECT_EQ(listed, counters_of(user));
    EXPECT_EQ(user.list_permit_semaphores("n:1?", {.with_untaken = true}).size(), 10U);
    EXPECT_TRUE(user.list_permit_semaphores().empty());
}

TEST_F(counter_listing_test, visits_nothing_without_a_visitor) {
    client user(quick(server.uri()));
    auto const refused = outcome_of([&] { user.visit_counters("*", {}); });
    EXPECT_EQ(refused.reason, errc::invalid_argument);
    EXPECT_NE(refused.message.find("a visit needs a function"), std::string::npos) << refused;
}

TEST_F(counter_listing_test, is_given_up_where_a_scan_does_not_end) {
    endless_server endless([](std::size_t i) { return endless_server::page(std::to_string(1 + i % 3), {}); });
    client user(quick(endless.server.uri()));
    for (auto const& refused : {outcome_of([&] { counters_of(user); }), outcome_of([&] { permits_of(user, {}); })}) {
        EXPECT_EQ(refused.reason, errc::bad_reply) << refused;
        EXPECT_NE(refused.message.find("does not come to an end"), std::string::npos) << refused;
        EXPECT_NE(refused.message.find("fake.sock"), std::string::npos) << refused;
    }
}

TEST_F(counter_listing_test, ends_in_time_beside_a_server_that_hangs) {
    client user(quick(server.uri()));
    server.pause();
    auto const start = test_clock::now();
    auto const failed = outcome_of([&] { counters_of(user); });
    server.resume();
    EXPECT_EQ(failed.reason, errc::disconnected) << failed;
    EXPECT_NE(failed.message.find("listing semaphores and latches"), std::string::npos) << failed;
    EXPECT_LT(since(start), 10s);
}

TEST_F(counter_listing_test, names_the_right_that_is_missing) {
    server.run("SET", name, "3");
    client without_scan(with({"~*", "+getrange"}));
    auto const refused = outcome_of([&] { counters_of(without_scan); });
    EXPECT_EQ(refused.reason, errc::server_refused) << refused;
    EXPECT_NE(refused.message.find("'scan'"), std::string::npos) << refused;
    client without_reading(with({"~*", "+scan", "+zcount"}));
    std::vector<counter_info> found;
    without_reading.visit_counters("*", [&](std::vector<counter_info> some) { found = std::move(some); });
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().name, name);
    EXPECT_NE(found.front().problem.find("'getrange'"), std::string::npos) << found.front().problem;
    EXPECT_NE(found.front().problem.find("'" + name + "'"), std::string::npos) << found.front().problem;
}

TEST_F(counter_listing_test, goes_on_without_the_right_to_know_permit_semaphores) {
    client taker(quick(server.uri()));
    auto pool = taker.get_permit_semaphore("pool");
    EXPECT_TRUE(pool.try_set_permits(2));
    permits const one = pool.acquire();
    log_lines const logged;
    client user(with({"~*", "+scan", "+getrange"}));
    EXPECT_EQ(counters_of(user), (numbers{{"pool", 1}})) << "a number like any other";
    EXPECT_EQ(counters_of(user).size(), 1U);
    EXPECT_EQ(logged.count("does not let this user run 'zcount'"), 1) << "once";
    EXPECT_EQ(logged.count("does not let this user run 'dbsize'"), 1);
}

TEST_F(counter_listing_test, shows_the_others_beside_a_key_that_may_not_be_read) {
    if (test_server_is_before_7()) GTEST_SKIP() << needs_rules_of_7;
    server.run("SET", "N1", "3");
    server.run("SET", "secret", "4");
    client user(with({"%R~N*", "%R~{N*", "+scan", "+getrange", "+zcount", "+get", "+zrange", "+time"}));
    std::map<std::string, std::string> problems;
    user.visit_counters("*", [&](std::vector<counter_info> const& some) {
        for (auto const& one : some) problems.emplace(one.name, one.problem);
    });
    ASSERT_EQ(problems.size(), 2U);
    EXPECT_EQ(problems["N1"], "");
    EXPECT_NE(problems["secret"].find("~secret"), std::string::npos) << problems["secret"];
    auto seen = permits_of(user, {.with_untaken = true});
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen["N1"].problem, "");
    EXPECT_EQ(seen["N1"].permits, 3);
    EXPECT_NE(seen["secret"].problem.find("NOPERM"), std::string::npos) << seen["secret"].problem;
}

} // namespace
} // namespace redlatch::test
