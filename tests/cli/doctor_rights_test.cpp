// The rights that a server is asked about are those of the rule that redlatch acl prints, and each that is missing is named.
#include "acl_rule.hpp"
#include "support/redis_cluster.hpp"
#include "support/sentinel_set.hpp"

#include <redlatch/client.hpp>

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>

namespace redlatch::cli {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;
using words_of_rule = std::vector<std::string>;

words_of_rule every_type() {
    auto const known = acl_types();
    return {known.begin(), known.end()};
}

words_of_rule commands_in(words_of_rule rule) {
    std::erase_if(rule, [](std::string const& word) { return word.front() != '+'; });
    return rule;
}

void set_user(test::redis_server const& server, words_of_rule const& rule) {
    words_of_rule command{"ACL", "SETUSER", "locks", "reset", "on", ">secret"};
    command.insert(command.end(), rule.begin(), rule.end());
    ASSERT_EQ(server.admin().command(command).text, "OK");
}

config asking(std::string const& uri) {
    config settings;
    settings.address = uri;
    settings.username = "locks";
    settings.password = "secret";
    settings.retry_attempts = 0;
    return settings;
}

server_facts inspected(std::string const& uri, std::string const& prefix) {
    client user(asking(uri));
    return user.inspect_servers({.name_prefix = prefix, .round_trips = 1}).servers.front();
}

TEST(doctor_rights, of_the_rule_are_complete) {
    test::redis_server server;
    for (auto const* const prefix : {"jobs:", "{jobs}", "a*[b]?", ""}) {
        set_user(server, acl_rule(every_type(), prefix));
        auto const facts = inspected(server.uri(), prefix);
        EXPECT_THAT(facts.missing_rights, IsEmpty()) << prefix;
        EXPECT_TRUE(facts.rights_known) << prefix;
    }
}

TEST(doctor_rights, are_the_commands_of_the_rule) {
    test::redis_server server;
    set_user(server, {"~*", "&*", "+eval"});
    auto rest = commands_in(acl_rule(every_type(), ""));
    std::erase(rest, "+eval");
    EXPECT_THAT(inspected(server.uri(), "jobs:").missing_rights, UnorderedElementsAreArray(rest));
}

TEST(doctor_rights, that_are_taken_away_are_named_one_by_one) {
    test::redis_server server;
    auto const rule = acl_rule(every_type(), "jobs:");
    for (auto const& right : rule) {
        if (right == "+eval" || right == "~jobs:*") continue; // without these nothing is known of the others
        if (right == "resetchannels") continue;               // it gives nothing
        auto rest = rule;
        rest.erase(std::find(rest.begin(), rest.end(), right));
        set_user(server, rest);
        EXPECT_THAT(inspected(server.uri(), "jobs:").missing_rights, UnorderedElementsAre(right));
    }
}

TEST(doctor_rights, that_lack_all_channels_are_these_and_no_commands) {
    test::redis_server server;
    auto rule = acl_rule(every_type(), "jobs:");
    words_of_rule channels;
    std::copy_if(rule.begin(), rule.end(), std::back_inserter(channels),
                 [](std::string const& word) { return word.front() == '&'; });
    std::erase_if(rule, [](std::string const& word) { return word.front() == '&'; });
    set_user(server, rule);
    auto const facts = inspected(server.uri(), "jobs:");
    EXPECT_THAT(facts.missing_rights, UnorderedElementsAreArray(channels));
    EXPECT_TRUE(facts.rights_known);
}

TEST(doctor_rights, without_eval_are_not_known_but_for_that) {
    test::redis_server server;
    auto rule = acl_rule(every_type(), "jobs:");
    rule.erase(std::find(rule.begin(), rule.end(), "+eval"));
    set_user(server, rule);
    auto const facts = inspected(server.uri(), "jobs:");
    EXPECT_THAT(facts.missing_rights, UnorderedElementsAre("+eval"));
    EXPECT_FALSE(facts.rights_known);
}

TEST(doctor_rights, of_names_that_this_user_may_not_use_are_the_patterns_of_these_names) {
    test::redis_server server;
    set_user(server, acl_rule(every_type(), "jobs:"));
    auto const facts = inspected(server.uri(), "payments:");
    EXPECT_FALSE(facts.rights_known) << "nothing can be said of commands";
    EXPECT_NE(std::find(facts.missing_rights.begin(), facts.missing_rights.end(), "~payments:*"),
              facts.missing_rights.end());
    for (auto const& one : facts.missing_rights) EXPECT_NE(one.front(), '+') << one;
}

TEST(doctor_rights, of_a_cluster_are_those_of_its_rule) {
    test::redis_cluster cluster;
    auto const rule = acl_rule(every_type(), "jobs:", {server_mode::cluster});
    auto const taken = [&](std::string const& right) {
        auto rest = rule;
        std::erase(rest, right);
        for (std::size_t i = 0; i < cluster.size(); ++i) set_user(cluster.node(i), rest);
        client user(asking(cluster.uri()));
        auto const setup = user.inspect_servers({.name_prefix = "jobs:", .round_trips = 1});
        EXPECT_EQ(setup.servers.size(), 3U);
        words_of_rule all;
        for (auto const& one : setup.servers)
            all.insert(all.end(), one.missing_rights.begin(), one.missing_rights.end());
        return all;
    };
    EXPECT_THAT(taken(""), IsEmpty());
    for (auto const* const right : {"+asking", "+ssubscribe", "+sunsubscribe", "+spublish", "+pubsub|shardnumsub"})
        EXPECT_THAT(taken(right), UnorderedElementsAre(right, right, right));
    for (std::size_t i = 0; i < cluster.size(); ++i) set_user(cluster.node(i), {"~*", "&*", "+eval", "+cluster|nodes"});
    client user(asking(cluster.uri()));
    auto rest = commands_in(rule);
    for (auto const* const one : {"+eval", "+cluster|nodes"}) std::erase(rest, one);
    EXPECT_THAT(commands_in(user.inspect_servers({.round_trips = 1}).servers.front().missing_rights),
                UnorderedElementsAreArray(rest));
}

TEST(doctor_rights, of_locks_that_replicas_confirm_include_role) {
    test::redis_server server;
    set_user(server, acl_rule(every_type(), "jobs:"));
    auto settings = asking(server.uri());
    settings.replicas = replica_policy::all();
    client user(settings);
    auto const missing =
        user.inspect_servers({.name_prefix = "jobs:", .round_trips = 1}).servers.front().missing_rights;
    EXPECT_THAT(missing, UnorderedElementsAre("+role"));
}

TEST(doctor_rights, of_a_master_that_is_found_are_those_of_its_rule) {
    test::sentinel_set all({.sentinels = 1, .replicas = 0});
    set_user(all.servers()[0], {"~*", "&*", "+eval"});
    auto rest = commands_in(acl_rule(every_type(), "", {server_mode::sentinel}));
    std::erase(rest, "+eval");
    EXPECT_THAT(commands_in(inspected(all.uri(), "").missing_rights), UnorderedElementsAreArray(rest));
}

} // namespace
} // namespace redlatch::cli
