// Each rule of redlatch doctor, on facts that are made for it.
#include "guarantees.hpp"

#include <algorithm>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>
#include <string>

namespace redlatch::cli {

void PrintTo(standing state, std::ostream* out) {
    *out << (state == standing::holds ? "holds" : state == standing::fails ? "fails" : "unknown");
}

namespace {

using namespace std::chrono_literals;
using role_kind = server_facts::role_kind;
using testing::HasSubstr;

/// Of a server for which everything holds.
server_facts good() {
    server_facts facts;
    facts.address = "redis://db1:6379";
    facts.software = "redis";
    facts.version = "7.0.15";
    facts.eviction_policy = "noeviction";
    facts.memory_limit = 1'000'000;
    facts.memory_used = 500'000;
    facts.evicted_keys = 0;
    facts.append_only = true;
    facts.append_fsync = "always";
    facts.snapshots = "";
    facts.last_save_worked = true;
    facts.role = role_kind::master;
    facts.replicas = 0;
    facts.min_replicas = 0;
    facts.wait_command = true;
    facts.role_command = true;
    facts.messages = true;
    facts.rights_known = true;
    facts.round_trips = {1000us, 2000us};
    return facts;
}

/// `masters`: of a cluster, each with these facts.
std::vector<guarantee> judged(server_facts const& facts, server_setup setup = {}, lock_plans const& plans = {},
                              std::size_t masters = 3) {
    setup.servers.assign(setup.mode == server_mode::cluster ? masters : 1, facts);
    return guarantees_of(setup, facts, plans);
}

/// None: it does not concern the server.
std::optional<guarantee> found_in(std::vector<guarantee> const& all, std::string_view name) {
    auto const at = std::find_if(all.begin(), all.end(), [&](guarantee const& one) { return one.name == name; });
    return at == all.end() ? std::nullopt : std::optional(*at);
}

struct row {
    char const* name;
    standing state;
    char const* said; ///< a part of reason or advice
    std::function<void(server_facts&)> change;
};

TEST(guarantees, all_hold_for_a_server_that_is_set_up_for_locks) {
    auto const all = judged(good());
    EXPECT_GE(all.size(), 8U);
    for (auto const& one : all) {
        EXPECT_EQ(one.state, standing::holds) << one.name << ": " << one.reason;
        EXPECT_TRUE(one.reason.ends_with('.')) << one.reason;
        EXPECT_FALSE(one.promise.empty());
    }
}

TEST(guarantees, depend_on_the_facts) {
    row const table[]{
        {"version", standing::fails, "6.0.16", [](auto& facts) { facts.version = "6.0.16"; }},
        {"version", standing::holds, "6.2.0", [](auto& facts) { facts.version = "6.2.0"; }},
        {"version", standing::holds, "10.0", [](auto& facts) { facts.version = "10.0"; }},
        {"version", standing::holds, "valkey 7.2.5",
         [](auto& facts) {
             facts.software = "valkey";
             facts.version = "7.2.5";
         }},
        {"version", standing::unknown, "never tried",
         [](auto& facts) {
             facts.software = "else";
             facts.version = "9.9.9";
         }},
        {"version", standing::unknown, "never tried", [](auto& facts) { facts.version = "latest"; }},
        {"version", standing::unknown, "does not say", [](auto& facts) { facts.version = ""; }},
        {"takes_locks", standing::fails, "its master", [](auto& facts) { facts.role = role_kind::replica; }},
        {"takes_locks", standing::fails, "refuses writes until one works",
         [](auto& facts) {
             facts.last_save_worked = false;
             facts.refused = {{"HDEL", "MISCONF Redis is configured to save RDB snapshots"}};
         }},
        {"takes_locks", standing::holds, "nothing keeps it", [](auto& facts) { facts.last_save_worked = false; }},
        {"takes_locks", standing::unknown, "refuses writes for that is not known",
         [](auto& facts) {
             facts.last_save_worked = false;
             facts.refused = {{"HDEL", "NOPERM no"}};
         }},
        {"takes_locks", standing::holds, "nothing keeps it",
         [](auto& facts) {
             facts.refused = {{"HDEL", "NOPERM no"}};
         }},
        {"takes_locks", standing::fails, "within min-replicas-max-lag",
         [](auto& facts) {
             facts.replicas = facts.min_replicas = 1;
             facts.refused = {{"HDEL", "NOREPLICAS Not enough good replicas to write."}};
         }},
        {"takes_locks", standing::fails, "See CLUSTER INFO",
         [](auto& facts) {
             facts.refused = {{"HDEL", "CLUSTERDOWN The cluster is down"}};
         }},
        {"takes_locks", standing::fails, "memory is full", [](auto& facts) { facts.memory_used = facts.memory_limit; }},
        {"takes_locks", standing::fails, "min-replicas-to-write is 2",
         [](auto& facts) {
             facts.replicas = 1;
             facts.min_replicas = 2;
         }},
        {"takes_locks", standing::unknown, "INFO was not answered (NOPERM no)",
         [](auto& facts) {
             facts.role = role_kind::unknown;
             facts.refused = {{"INFO", "NOPERM no"}};
         }},
        {"kept_when_full", standing::fails, "volatile-lru",
         [](auto& facts) { facts.eviction_policy = "volatile-lru"; }},
        {"kept_when_full", standing::fails, "12 keys were removed",
         [](auto& facts) {
             facts.eviction_policy = "allkeys-random";
             facts.evicted_keys = 12;
         }},
        {"kept_when_full", standing::holds, "no maxmemory",
         [](auto& facts) {
             facts.eviction_policy = "volatile-lru";
             facts.memory_limit = 0;
         }},
        {"kept_when_full", standing::fails, "volatile-lru",
         [](auto& facts) {
             facts.eviction_policy = "volatile-lru";
             facts.memory_limit.reset();
         }},
        {"kept_when_full", standing::unknown, "does not say", [](auto& facts) { facts.eviction_policy.reset(); }},
        {"server_restart", standing::fails, "keeps nothing on disk", [](auto& facts) { facts.append_only = false; }},
        {"server_restart", standing::fails, "save 60 1",
         [](auto& facts) {
             facts.append_only = false;
             facts.snapshots = "60 1";
         }},
        {"server_restart", standing::fails, "if it makes any",
         [](auto& facts) {
             facts.append_only = false;
             facts.snapshots.reset();
         }},
        {"server_restart", standing::holds, "appendonly yes", [](auto& facts) { facts.append_fsync = "everysec"; }},
        {"server_restart", standing::unknown, "does not say", [](auto& facts) { facts.append_only.reset(); }},
        {"machine_crash", standing::fails, "last second", [](auto& facts) { facts.append_fsync = "everysec"; }},
        {"machine_crash", standing::fails, "appendfsync no", [](auto& facts) { facts.append_fsync = "no"; }},
        {"machine_crash", standing::fails, "no append-only file", [](auto& facts) { facts.append_only = false; }},
        {"machine_crash", standing::unknown, "CONFIG GET appendfsync was not answered (ERR unknown)",
         [](auto& facts) {
             facts.append_fsync.reset();
             facts.refused = {{"CONFIG GET appendfsync", "ERR unknown"}};
         }},
        {"machine_crash", standing::unknown, "+config|get", [](auto& facts) { facts.append_fsync.reset(); }},
        {"failover", standing::fails, "Of its 1 replica one may", [](auto& facts) { facts.replicas = 1; }},
        {"failover", standing::unknown, "does not say", [](auto& facts) { facts.replicas.reset(); }},
        {"lone_master", standing::fails, "min-replicas-to-write is 0", [](auto& facts) { facts.replicas = 1; }},
        {"lone_master", standing::holds, "min-replicas-to-write is 1",
         [](auto& facts) {
             facts.replicas = 2;
             facts.min_replicas = 1;
         }},
        {"lone_master", standing::unknown, "+config|get",
         [](auto& facts) {
             facts.replicas = 1;
             facts.min_replicas.reset();
         }},
        {"commands", standing::fails, "does not know hset, zadd.",
         [](auto& facts) {
             facts.unknown_commands = {"restore", "hset", "zadd"};
         }},
        {"commands", standing::holds, "restore (a script takes free locks)",
         [](auto& facts) { facts.unknown_commands = {"restore"}; }},
        {"rights", standing::fails, "ACL SETUSER default +hset +client|kill.",
         [](auto& facts) {
             facts.missing_rights = {"+hset", "+client|kill"};
         }},
        {"rights", standing::fails, "--name-prefix", [](auto& facts) { facts.missing_rights = {"~*"}; }},
        {"rights", standing::fails, "There may be others",
         [](auto& facts) {
             facts.missing_rights = {"+eval"};
             facts.rights_known = false;
         }},
        {"rights", standing::unknown, "cannot say", [](auto& facts) { facts.rights_known = false; }},
        {"rights", standing::unknown, "EVAL was not answered (ERR odd)",
         [](auto& facts) {
             facts.rights_known = false;
             facts.refused = {{"EVAL", "ERR odd"}};
         }},
        {"messages", standing::fails, "(SUBSCRIBE: ERR no such command)",
         [](auto& facts) {
             facts.messages = false;
             facts.refused = {{"SUBSCRIBE channel", "ERR no such command"}};
         }},
        {"messages", standing::unknown, "(SPUBLISH: NOPERM)",
         [](auto& facts) {
             facts.messages.reset();
             facts.refused = {{"SPUBLISH channel", "NOPERM"}};
         }},
        {"messages", standing::fails, "No message can be published (PUBLISH: ERR unknown command 'PUBLISH')",
         [](server_facts& facts) {
             facts.messages.reset();
             facts.refused.push_back({"PUBLISH channel", "ERR unknown command 'PUBLISH'"});
         }},
        {"messages", standing::fails, "See rename-command in its configuration",
         [](auto& facts) {
             facts.messages = false;
             facts.refused = {{"SUBSCRIBE channel", "ERR unknown command 'SUBSCRIBE', with args beginning with: "}};
         }},
        {"renewal_in_time", standing::fails, "501.000 ms",
         [](auto& facts) {
             facts.round_trips = {1ms, 501ms, 2ms};
         }},
        {"renewal_in_time", standing::holds, "500.000 ms", [](auto& facts) { facts.round_trips = {500ms}; }},
        {"renewal_in_time", standing::unknown, "answers", [](auto& facts) { facts.round_trips.clear(); }},
    };
    for (auto const& [name, state, said, change] : table) {
        auto facts = good();
        change(facts);
        auto const one = found_in(judged(facts), name);
        ASSERT_TRUE(one) << name;
        EXPECT_EQ(one->state, state) << name << ": " << one->reason;
        EXPECT_THAT(one->reason + " " + one->advice, HasSubstr(said)) << name;
        EXPECT_TRUE(one->reason.ends_with('.')) << one->reason;
        EXPECT_TRUE(state == standing::holds || one->advice.ends_with('.')) << name << ": " << one->advice;
    }
}

TEST(guarantees, compare_round_trips_with_the_lease_that_is_configured) {
    auto facts = good();
    facts.round_trips = {20ms};
    EXPECT_EQ(found_in(judged(facts), "renewal_in_time")->state, standing::holds);
    EXPECT_EQ(found_in(judged(facts, {}, {.watchdog = 900ms}), "renewal_in_time")->state, standing::fails);
}

TEST(guarantees, of_commands_are_left_out_where_nobody_could_ask) {
    auto facts = good();
    facts.rights_known = false;
    EXPECT_FALSE(found_in(judged(facts), "commands"));
    facts.missing_rights = {"+eval"};
    EXPECT_FALSE(found_in(judged(facts), "commands"));
    facts.missing_rights = {"~jobs:*"};
    EXPECT_EQ(found_in(judged(facts), "commands")->state, standing::holds);
    facts.unknown_commands = {"role"};
    EXPECT_EQ(found_in(judged(facts), "commands")->state, standing::holds);
    EXPECT_EQ(found_in(judged(facts, {}, {.replicas = replica_policy::all()}), "commands")->state, standing::fails);
}

TEST(guarantees, speak_of_the_user_who_asks) {
    auto facts = good();
    facts.missing_rights = {"+hset"};
    EXPECT_THAT(found_in(judged(facts, {}, {.user = "locks"}), "rights")->advice, HasSubstr("ACL SETUSER locks +hset"));
}

TEST(guarantees, of_replicas_concern_only_servers_that_should_have_some) {
    EXPECT_FALSE(found_in(judged(good()), "lone_master"));
    EXPECT_FALSE(found_in(judged(good()), "automatic_failover"));
    EXPECT_TRUE(found_in(judged(good(), {.mode = server_mode::replicated}), "lone_master"));
    EXPECT_FALSE(found_in(judged(good(), {.mode = server_mode::replicated}), "automatic_failover"));
    auto const lone = found_in(judged(good(), {.mode = server_mode::cluster}), "lone_master");
    ASSERT_TRUE(lone);
    EXPECT_THAT(lone->advice, testing::StartsWith("When it has one, ")) << "followed now it would refuse every lock";
    auto replica = good();
    replica.role = role_kind::replica;
    replica.replicas.reset();
    EXPECT_FALSE(found_in(judged(replica), "failover"));
    EXPECT_FALSE(found_in(judged(replica, {.mode = server_mode::sentinel}), "lone_master"));
}

TEST(guarantees, of_locks_that_replicas_confirm_depend_on_the_policy) {
    auto facts = good();
    facts.replicas = 2;
    struct of_policy {
        replica_policy replicas;
        standing confirm;
        standing failover;
    };
    auto accepting = replica_policy::at_least(2);
    accepting.shortage = replica_shortage::accept;
    for (auto const& one : {of_policy{replica_policy::at_least(2), standing::holds, standing::holds},
                            of_policy{replica_policy::at_least(1), standing::holds, standing::fails},
                            of_policy{replica_policy::at_least(3), standing::fails, standing::holds},
                            of_policy{replica_policy::all(), standing::holds, standing::fails},
                            of_policy{replica_policy::redisson_default(), standing::holds, standing::fails},
                            of_policy{accepting, standing::holds, standing::fails}}) {
        auto const all = judged(facts, {}, {.replicas = one.replicas});
        auto const shown = std::to_string(one.replicas.replicas) + ", " + std::to_string(one.replicas.required);
        EXPECT_EQ(found_in(all, "replicas_confirm")->state, one.confirm) << shown;
        EXPECT_EQ(found_in(all, "failover")->state, one.failover) << shown;
    }
    EXPECT_FALSE(found_in(judged(facts), "replicas_confirm"));
    facts.min_replicas = 2;
    EXPECT_EQ(found_in(judged(facts, {}, {.replicas = replica_policy::all()}), "failover")->state, standing::holds)
        << "it takes no lock while one of them is away";
}

TEST(guarantees, of_locks_that_replicas_confirm_need_what_asks_the_replicas) {
    auto facts = good();
    facts.replicas = 1;
    auto const confirm = [&](replica_policy const& policy) {
        return found_in(judged(facts, {}, {.replicas = policy}), "replicas_confirm").value();
    };
    facts.role_command = false;
    EXPECT_THAT(confirm(replica_policy::all()).reason,
                HasSubstr("ROLE cannot be used, so every acquisition is refused"));
    EXPECT_EQ(found_in(judged(facts, {}, {.replicas = replica_policy::all()}), "failover")->state, standing::fails);
    EXPECT_EQ(confirm(replica_policy::at_least(1)).state, standing::holds) << "which ROLE is not asked for";
    facts.role_command.reset();
    EXPECT_EQ(confirm(replica_policy::all()).state, standing::unknown);
    facts.role_command = true;
    facts.wait_command = false;
    for (auto const& policy : {replica_policy::all(), replica_policy::at_least(1)})
        EXPECT_EQ(found_in(judged(facts, {}, {.replicas = policy}), "failover")->state, standing::fails)
            << "none is waited for";
    EXPECT_EQ(confirm(replica_policy::all()).state, standing::fails);
    EXPECT_THAT(confirm(replica_policy::all()).reason, HasSubstr("every acquisition is refused"));
    EXPECT_THAT(confirm(replica_policy::redisson_default()).reason, HasSubstr("locks are given all the same"));
    auto accepting = replica_policy::at_least(1);
    accepting.shortage = replica_shortage::accept;
    EXPECT_THAT(confirm(accepting).reason, HasSubstr("locks are given all the same"));
    facts.wait_command.reset();
    EXPECT_EQ(confirm(replica_policy::all()).state, standing::unknown);
    facts = good();
    EXPECT_EQ(confirm(replica_policy::all()).state, standing::fails) << "there is none";
    EXPECT_EQ(confirm(replica_policy::at_least(1)).state, standing::fails);
    facts.replicas.reset();
    EXPECT_EQ(confirm(replica_policy::at_least(1)).state, standing::unknown);
    facts.role = role_kind::replica;
    EXPECT_FALSE(found_in(judged(facts, {}, {.replicas = replica_policy::all()}), "replicas_confirm"));
}

TEST(guarantees, of_a_cluster_want_a_replica_of_each_master) {
    auto facts = good();
    EXPECT_EQ(found_in(judged(facts, {.mode = server_mode::cluster}), "automatic_failover")->state, standing::fails);
    facts.replicas = 1;
    EXPECT_EQ(found_in(judged(facts, {.mode = server_mode::cluster}), "automatic_failover")->state, standing::holds);
    facts.replicas.reset();
    EXPECT_EQ(found_in(judged(facts, {.mode = server_mode::cluster}), "automatic_failover")->state, standing::unknown);
}

TEST(guarantees, of_a_cluster_want_three_masters_that_elect_a_replica) {
    auto facts = good();
    facts.replicas = 1;
    for (std::size_t const masters : {1U, 2U, 3U, 4U}) {
        auto const found = found_in(judged(facts, {.mode = server_mode::cluster}, {}, masters), "automatic_failover");
        EXPECT_EQ(found->state, masters < 3 ? standing::fails : standing::holds) << masters;
    }
    auto const of_two = found_in(judged(facts, {.mode = server_mode::cluster}, {}, 2), "automatic_failover").value();
    EXPECT_THAT(of_two.reason, HasSubstr("The cluster has 2 masters with slots"));
    EXPECT_THAT(of_two.advice, HasSubstr("three masters or more"));
}

TEST(guarantees, of_one_replica_that_confirms_speak_of_one) {
    auto facts = good();
    facts.replicas = 1;
    lock_plans const plans{.replicas = replica_policy::all()};
    EXPECT_THAT(found_in(judged(facts, {}, plans), "failover")->advice, HasSubstr(", or wait for 1 replica ("));
}

TEST(guarantees, of_sentinels_want_a_majority_that_survives) {
    auto facts = good();
    facts.replicas = 1;
    auto const judged_with = [&](std::optional<int> sentinels, std::optional<int> quorum) {
        server_setup setup{.mode = server_mode::sentinel};
        setup.sentinels =
            sentinel_facts{.sentinels = sentinels, .reachable = sentinels, .quorum = quorum, .promotable = 1};
        return found_in(judged(facts, setup), "automatic_failover").value();
    };
    auto const with = [&](auto... numbers) { return judged_with(numbers...).state; };
    EXPECT_THAT(judged_with(1, 1).reason, testing::StartsWith("There is 1 Sentinel with "));
    EXPECT_THAT(judged_with(3, 2).reason, testing::StartsWith("There are 3 Sentinels with "));
    EXPECT_EQ(with(3, 2), standing::holds);
    EXPECT_EQ(with(5, 5), standing::holds);
    EXPECT_EQ(with(2, 2), standing::fails);
    EXPECT_EQ(with(1, 1), standing::fails);
    EXPECT_EQ(with(3, 4), standing::fails);
    EXPECT_EQ(with(std::nullopt, 2), standing::unknown);
    EXPECT_EQ(with(3, std::nullopt), standing::unknown);
    facts.replicas = 0;
    EXPECT_EQ(with(3, 2), standing::fails);
    facts.replicas.reset();
    EXPECT_EQ(with(3, 2), standing::unknown);
}

TEST(guarantees, of_sentinels_count_those_that_can_be_reached) {
    auto facts = good();
    facts.replicas = 1;
    auto const judged_with = [&](int sentinels, std::optional<int> reachable, int quorum) {
        server_setup setup{.mode = server_mode::sentinel};
        setup.sentinels =
            sentinel_facts{.sentinels = sentinels, .reachable = reachable, .quorum = quorum, .promotable = 1};
        if (!reachable) setup.sentinels->refused = {{"SENTINEL SENTINELS orders", "NOPERM no"}};
        return found_in(judged(facts, setup), "automatic_failover").value();
    };
    auto const with = [&](auto... numbers) { return judged_with(numbers...).state; };
    EXPECT_EQ(with(3, 1, 2), standing::fails);
    EXPECT_EQ(with(3, 2, 2), standing::holds);
    EXPECT_EQ(with(5, 2, 2), standing::fails) << "the quorum is there, and no majority";
    EXPECT_EQ(with(5, 3, 2), standing::holds);
    EXPECT_EQ(with(5, 3, 4), standing::fails) << "a majority is there, and no quorum";
    EXPECT_EQ(with(3, std::nullopt, 2), standing::unknown);
    EXPECT_THAT(judged_with(3, 1, 2).reason, HasSubstr("of which 1 can be reached: a failover takes 2."));
    EXPECT_THAT(judged_with(3, 1, 2).advice, HasSubstr("Start the Sentinels that are away"));
    EXPECT_THAT(judged_with(3, 2, 2).reason, HasSubstr("of which 2 can be reached, and 1 replica."));
    EXPECT_THAT(judged_with(3, 2, 2).advice, HasSubstr("Start the Sentinels that are away"));
    EXPECT_EQ(judged_with(3, 3, 2).advice, "");
    EXPECT_THAT(judged_with(3, std::nullopt, 2).reason, HasSubstr("SENTINEL SENTINELS orders was not answered"));
}

TEST(guarantees, of_sentinels_want_a_replica_that_may_be_promoted) {
    auto facts = good();
    facts.replicas = 1;
    server_setup setup{.mode = server_mode::sentinel};
    setup.sentinels = sentinel_facts{.sentinels = 3, .reachable = 3, .quorum = 2, .promotable = 0};
    auto const none = found_in(judged(facts, setup), "automatic_failover").value();
    EXPECT_EQ(none.state, standing::fails);
    EXPECT_THAT(none.reason, HasSubstr("no replica that they may promote"));
    EXPECT_THAT(none.advice, HasSubstr("replica-priority"));
    setup.sentinels->promotable.reset();
    setup.sentinels->refused = {{"SENTINEL REPLICAS orders", "NOPERM no"}, {"OTHER", "ERR odd"}};
    auto const unknown = found_in(judged(facts, setup), "automatic_failover").value();
    EXPECT_EQ(unknown.state, standing::unknown);
    EXPECT_THAT(unknown.reason, HasSubstr("SENTINEL REPLICAS orders was not answered (NOPERM no)"));
}

TEST(guarantees, are_known_by_their_names) {
    auto const names = guarantee_names();
    auto facts = good();
    facts.replicas = 1;
    for (auto const mode : {server_mode::single, server_mode::sentinel, server_mode::cluster})
        for (auto const& one : judged(facts, {.mode = mode}))
            EXPECT_NE(std::find(names.begin(), names.end(), one.name), names.end()) << one.name;
}

TEST(guarantees, of_a_server_that_says_nothing_are_not_known) {
    server_facts silent;
    silent.address = "redis://db1:6379";
    for (auto const mode : {server_mode::single, server_mode::sentinel, server_mode::cluster, server_mode::replicated})
        for (auto const& one : judged(silent, {.mode = mode})) {
            EXPECT_EQ(one.state, standing::unknown) << one.name << ": " << one.reason;
            EXPECT_FALSE(one.advice.empty()) << one.name;
        }
}

} // namespace
} // namespace redlatch::cli
