#include "doctor_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace redlatch::cli {
namespace {

using testing::HasSubstr;

guarantee made(std::string_view name, standing state) {
    return {name, "Something is promised", state, "For a reason.", state == standing::holds ? "" : "Do something."};
}

diagnosis of_one(std::vector<guarantee> all) {
    diagnosis found;
    found.setup.servers.emplace_back();
    found.setup.servers.back().address = "redis://db1:6379";
    found.guarantees.push_back(std::move(all));
    return found;
}

TEST(diagnosis, is_as_bad_as_the_worst_that_is_not_accepted) {
    auto found = of_one({made("version", standing::holds)});
    EXPECT_EQ(found.verdict(), standing::holds);
    found.guarantees[0].push_back(made("rights", standing::unknown));
    EXPECT_EQ(found.verdict(), standing::unknown);
    found.guarantees[0].push_back(made("failover", standing::fails));
    EXPECT_EQ(found.verdict(), standing::fails);
    found.accepted = {"failover"};
    EXPECT_EQ(found.verdict(), standing::unknown);
    found.accepted = {"failover", "rights"};
    EXPECT_EQ(found.verdict(), standing::holds);
    found.setup.servers.emplace_back();
    found.setup.servers.back().problem = "it does not answer";
    found.guarantees.emplace_back();
    EXPECT_EQ(found.verdict(), standing::fails) << "a master of the cluster is away";
}

TEST(diagnosis, as_text_has_a_section_for_each_server) {
    auto found = of_one({made("failover", standing::fails), made("rights", standing::unknown)});
    found.setup.servers.emplace_back();
    found.setup.servers.back().address = "redis://db2:6379";
    found.setup.servers.back().problem = "the server redis://db2:6379 did not answer in time";
    found.guarantees.emplace_back();
    found.accepted = {"rights"};
    found.setup.servers[0].round_trips = {std::chrono::microseconds(8), std::chrono::microseconds(54)};
    auto const text = text_of(found);
    EXPECT_THAT(text, HasSubstr("0.008 ms to 0.054 ms, half of them at most "));
    EXPECT_THAT(text, HasSubstr("redis://db1:6379\n"));
    EXPECT_THAT(text, HasSubstr("does not hold: For a reason.\n"));
    EXPECT_THAT(text, HasSubstr("not known (accepted): For a reason.\n"));
    EXPECT_THAT(text, HasSubstr("Do something.\n"));
    EXPECT_THAT(text, HasSubstr("redis://db2:6379\n  the server redis://db2:6379 did not answer in time\n"));
    EXPECT_THAT(text, HasSubstr("A guarantee does not hold.\n"));
}

TEST(diagnosis, of_a_hostile_server_does_not_obey_it) {
    auto found = of_one({});
    auto& server = found.setup.servers.back();
    server.software = "red\x1b[31mis";
    server.version = "7\n8";
    server.eviction_policy = "no\x1b[2Jeviction\xff";
    server.refused = {{"INFO", "ERR \x1b]0;title\x07 \xc3\x28"}, {"TIME", "ERR \x1b]0;title\x07 \xc3\x28"}};
    auto const text = text_of(found);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_THAT(text, HasSubstr("INFO, TIME: ERR")) << "what was refused for one reason stands together";
    auto const json = json_of(found);
    EXPECT_EQ(json.find('\x1b'), std::string::npos);
    EXPECT_TRUE(nlohmann::json::accept(json));
}

TEST(diagnosis, as_json_says_null_of_what_is_not_known) {
    auto const json = nlohmann::json::parse(json_of(of_one({made("version", standing::unknown)})));
    EXPECT_EQ(json["verdict"], "unknown");
    EXPECT_EQ(json["mode"], "single");
    EXPECT_EQ(json["sentinels"], nullptr);
    auto const& server = json["servers"][0];
    for (auto const* const member :
         {"problem", "software", "version", "role", "eviction_policy", "memory_limit", "memory_used", "evicted_keys",
          "append_only", "append_fsync", "snapshots", "last_save_worked", "replicas", "min_replicas", "wait_command",
          "role_command", "messages", "message_us", "clock_ahead_us"})
        EXPECT_EQ(server.at(member), nullptr) << member;
    EXPECT_EQ(server["round_trips_us"], nlohmann::json::array());
    EXPECT_EQ(server["guarantees"][0]["state"], "unknown");
}

TEST(diagnosis, of_sentinels_says_how_many_can_be_reached) {
    auto found = of_one({});
    found.setup.sentinels = sentinel_facts{.sentinels = 3, .reachable = 3, .quorum = 2, .promotable = 1};
    EXPECT_THAT(text_of(found), HasSubstr("Sentinels          3, quorum 2\n"));
    found.setup.sentinels->reachable = 1;
    EXPECT_THAT(text_of(found), HasSubstr("Sentinels          3, of which 1 can be reached, quorum 2\n"));
    EXPECT_EQ(nlohmann::json::parse(json_of(found))["sentinels"]["reachable"], 1);
    EXPECT_EQ(nlohmann::json::parse(json_of(found))["sentinels"]["promotable"], 1);
    found.setup.sentinels->reachable.reset();
    EXPECT_THAT(text_of(found), HasSubstr("Sentinels          3, quorum 2\n"));
    EXPECT_EQ(nlohmann::json::parse(json_of(found))["sentinels"]["reachable"], nullptr);
}

} // namespace
} // namespace redlatch::cli
