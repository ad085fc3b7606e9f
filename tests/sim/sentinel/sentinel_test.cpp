// Simulated Sentinels: what is done to the servers that they watch, and to them, reaches the locks, and the locks live through
// it.
#include "sim/scenario/run.hpp"
#include "sim/scenario/same_run.hpp"
#include "sim/scenario/variations.hpp"
#include "sim/sentinel/simulated_sentinels.hpp"
#include "sim/server/node_client.hpp"
#include "sim/server/sentinel_view.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace redlatch::sim {
namespace {

/// One process has a lock from 100 ms on for two seconds, and another one comes for it after 200 ms.
scenario held_and_wanted() {
    scenario made;
    made.seed = 8;
    made.drifts = {0, 0};
    made.watchdog = 900;
    made.servers_are = topology::sentinel;
    made.replicas = 2;
    made.replica_delay = 1'000;
    made.servers = made.replicas + 1 + simulated_sentinels::sentinels;
    made.workers = {{.process = 0, .jobs = {{.pause = 100, .hold = 2'000}}},
                    {.process = 1, .jobs = {{.pause = 200, .hold = 10}}}};
    return made;
}

fault thing(fault::kind what, std::int64_t when, std::int64_t lasts, int server = 0, int way = 0) {
    return {.what = what, .at = when, .lasts = lasts, .strength = 100, .way = way, .server = server};
}

std::ptrdiff_t times(outcome const& seen, fact::kind what) {
    return std::count_if(seen.facts.begin(), seen.facts.end(), [&](fact const& one) { return one.what == what; });
}

std::ptrdiff_t lines_with(outcome const& seen, std::string const& first, std::string const& second) {
    return std::count_if(seen.trace.begin(), seen.trace.end(), [&](std::string const& line) {
        return line.find(first) != line.npos && line.find(second) != line.npos;
    });
}

outcome run_well(scenario const& plan) {
    auto seen = run(plan, true);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
    return seen;
}

/// Everybody gets the lock, and its first holder keeps it.
outcome keep_the_lock(scenario const& plan) {
    auto seen = run_well(plan);
    EXPECT_EQ(seen.acquired, 2U);
    EXPECT_EQ(times(seen, fact::kind::told_lost), 0);
    return seen;
}

TEST(sentinels, answer_what_clients_ask) {
    sentinel_view const view{.host = "10.0.0.1", .port = 6380, .epoch = 7, .others = {6383, 6384}};
    redis_node node{[&] {
        node_settings made;
        made.sentinel = &view;
        return made;
    }()};
    node_client me(node);
    EXPECT_EQ(me("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mymaster"), "*2\r\n$8\r\n10.0.0.1\r\n$4\r\n6380\r\n");
    EXPECT_EQ(me("SENTINEL", "get-master-addr-by-name", "other"), "*-1\r\n");
    EXPECT_NE(me("SENTINEL", "MASTER", "mymaster").find("config-epoch\r\n$1\r\n7\r\n"), std::string::npos);
    EXPECT_EQ(me("SENTINEL", "MASTER", "other"), "-ERR No such master with that name\r\n");
    EXPECT_TRUE(me("SENTINEL", "SENTINELS", "mymaster").starts_with("*2\r\n*4\r\n$2\r\nip\r\n$8\r\n10.0.0.1\r\n"));
    EXPECT_TRUE(me("ROLE").starts_with("*2\r\n$8\r\nsentinel\r\n"));
    me("SUBSCRIBE", "+switch-master");
    node.hear("+switch-master", "mymaster 10.0.0.1 6379 10.0.0.1 6380", false);
    EXPECT_TRUE(me.received().starts_with("*3\r\n$7\r\nmessage\r\n"));
}

TEST(sentinels, lead_to_the_master_and_to_the_next_one) {
    auto plan = held_and_wanted();
    EXPECT_EQ(lines_with(keep_the_lock(plan), "server 1 runs", "CLIENT INFO"), 0);
    for (int const way : {0, with_its_machine, for_good, with_its_machine | for_good}) {
        plan.faults = {thing(fault::kind::lose_master, 500, 600, 0, way)};
        auto const seen = keep_the_lock(plan);
        EXPECT_EQ(times(seen, fact::kind::missed), 0) << way;
        EXPECT_GT(lines_with(seen, "server 1 runs", "CLIENT INFO"), 0) << way;
    }
}

TEST(sentinels, move_clients_from_a_master_that_goes_on_answering) {
    auto plan = held_and_wanted();
    plan.faults = {thing(fault::kind::switch_master, 500, 1'500)};
    plan.faults.front().strength = 100; // to the one that has heard of most
    auto const seen = keep_the_lock(plan);
    EXPECT_GT(lines_with(seen, "reaches process 0", "+switch-master"), 0);
    EXPECT_GT(lines_with(seen, "server 1 runs", "EVALSHA") + lines_with(seen, "server 1 runs", "EVAL "), 0);
}

TEST(sentinels, of_which_one_names_the_old_master_are_not_believed) {
    auto plan = held_and_wanted();
    for (int stale = 0; stale < simulated_sentinels::sentinels; ++stale) {
        plan.faults = {thing(fault::kind::part_sentinel, 400, 1'600, stale), thing(fault::kind::lose_master, 500, 300)};
        EXPECT_EQ(times(keep_the_lock(plan), fact::kind::missed), 0) << stale;
    }
}

TEST(sentinels, that_are_down_are_passed_over) {
    auto plan = held_and_wanted();
    for (int const way : {0, 1, 2}) {
        plan.faults = {thing(fault::kind::stop_sentinel, 50, 3'000, 0, way), thing(fault::kind::lose_master, 500, 600)};
        keep_the_lock(plan);
    }
}

TEST(sentinels, forget_a_hold_that_the_next_master_had_not_heard_of_and_its_holder_is_told) {
    auto plan = held_and_wanted();
    plan.faults = {thing(fault::kind::slow_replica, 50, 900, 1), thing(fault::kind::slow_replica, 50, 900, 2),
                   thing(fault::kind::lose_master, 110, 600)};
    for (auto& one : plan.faults)
        if (one.what == fault::kind::slow_replica) one.strength = 5'000;
    auto const seen = run_well(plan);
    EXPECT_EQ(times(seen, fact::kind::missed), 1);
    EXPECT_EQ(times(seen, fact::kind::told_lost), 1);
    EXPECT_EQ(seen.acquired, 2U);
}

TEST(sentinels, may_have_two_masters_for_a_while) {
    auto plan = held_and_wanted();
    plan.workers.pop_back();
    // It takes the lock from a master that has been replaced, and is cut off from everything else.
    plan.workers.front().jobs = {{.pause = 300, .hold = 1'500}};
    plan.faults = {thing(fault::kind::part_master, 150, 900, 0, static_cast<int>(parting::from_all_but_one_process))};
    auto const seen = run_well(plan);
    EXPECT_GE(times(seen, fact::kind::missed), 1);
    EXPECT_EQ(times(seen, fact::kind::told_lost), 1);
}

TEST(sentinels, keep_a_lock_that_all_replicas_have_confirmed) {
    auto plan = held_and_wanted();
    plan.workers.front().jobs.front().confirmed = replica_policy::at_least(2, duration(2'000));
    plan.faults = {thing(fault::kind::slow_replica, 50, 2'900, 1), thing(fault::kind::slow_replica, 50, 2'900, 2)};
    for (auto& one : plan.faults) one.strength = 300;
    for (std::int64_t when = 300; when < 700; when += 50) {
        plan.faults.push_back(thing(fault::kind::lose_master, when, 600));
        auto const seen = run_well(plan);
        bool told = false; // that it has it
        for (auto const& one : seen.facts) {
            told = told || one.what == fact::kind::confirmed;
            EXPECT_FALSE(told && one.what == fact::kind::told_lost) << when;
        }
        plan.faults.pop_back();
    }
}

TEST(sentinels, meet_all_that_may_happen_to_them) {
    std::map<fact::kind, int> facts;
    std::map<fault::kind, int> faults;
    std::ptrdiff_t replicas = 0;
    std::ptrdiff_t switches = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        auto made = generate(seed);
        change_kind(made, seed % 4 == 0 ? lock_kind::fair : lock_kind::reentrant);
        change_topology(made, topology::sentinel);
        for (auto const& one : made.faults) ++faults[one.what];
        auto const seen = run_well(made);
        for (auto const& one : seen.facts) ++facts[one.what];
        replicas += lines_with(seen, " runs for ", "ROLE -> *5");
        switches += lines_with(seen, "reaches process", "+switch-master");
    }
    EXPECT_GT(replicas, 20); // who was told of an old master
    EXPECT_GT(switches, 100);
    for (auto const one : {fact::kind::missed, fact::kind::returned, fact::kind::told_lost, fact::kind::confirmed})
        EXPECT_GT(facts[one], 5) << static_cast<int>(one);
    for (auto const one :
         {fault::kind::lose_master, fault::kind::part_master, fault::kind::switch_master, fault::kind::part_sentinel,
          fault::kind::stop_sentinel, fault::kind::slow_replica, fault::kind::part_replica, fault::kind::cut})
        EXPECT_GT(faults[one], 5) << static_cast<int>(one);
}

TEST(sentinels, give_the_same_run_for_the_same_seed) {
    expect_the_same_run_for_the_same_seed(topology::sentinel);
}

} // namespace
} // namespace redlatch::sim
