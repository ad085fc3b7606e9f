// A cluster of simulated servers: what is done to it reaches the locks, and the locks live through it.
#include "sim/cluster/simulated_cluster.hpp"
#include "sim/scenario/run.hpp"
#include "sim/scenario/same_run.hpp"
#include "sim/scenario/shrink.hpp"
#include "sim/scenario/variations.hpp"
#include "sim/server/key_slot.hpp"
#include "sim/server/membership.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

namespace redlatch::sim {
namespace {

/// One process has a lock from 100 ms on for two seconds, and another one comes for it after 200 ms.
scenario holder_and_waiter() {
    scenario made;
    made.seed = 8;
    made.drifts = {0, 0};
    made.watchdog = 900;
    made.workers = {{.process = 0, .jobs = {{.pause = 100, .hold = 2'000}}},
                    {.process = 1, .jobs = {{.pause = 200, .hold = 10}}}};
    change_topology(made, topology::cluster, false);
    made.locks = 1;
    made.shards_known = true;
    for (auto& each : made.workers) each.jobs.front().lock = 0;
    return made;
}

fault at(fault::kind what, std::int64_t when, std::int64_t lasts, int server = 0, int way = 0) {
    return {.what = what, .at = when, .lasts = lasts, .strength = 100, .way = way, .server = server};
}

/// How often a server answered so.
std::ptrdiff_t answers(outcome const& seen, std::string const& word) {
    return std::count_if(seen.trace.begin(), seen.trace.end(), [&](std::string const& line) {
        return line.find(" runs for ") != line.npos && line.find("-> -" + word) != line.npos;
    });
}

/// How often a server was told ASKING for nothing, since no other command came behind it.
int wasted_permissions(outcome const& seen) {
    std::map<std::string, bool> asking; // by connection
    int wasted = 0;
    for (auto const& line : seen.trace) {
        auto const at = line.find(" runs for ");
        if (at == line.npos) continue;
        auto const connection = line.substr(at, line.find(": ", at) - at);
        bool const is_permission = line.find(": ASKING ->") != line.npos;
        wasted += std::exchange(asking[connection], is_permission) && is_permission;
    }
    return wasted;
}

/// Everybody gets the lock, and its first holder keeps it.
outcome expect_well(scenario const& plan) {
    auto seen = run(plan, true);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
    EXPECT_EQ(seen.acquired, 2U);
    EXPECT_EQ(seen.count(fact::kind::told_lost), 0);
    return seen;
}

TEST(cluster, moves_a_slot_while_its_lock_is_held_and_waited_for) {
    for (int to = 0; to <= 3; ++to) { // the last one has just joined
        auto plan = holder_and_waiter();
        plan.masters = 3;
        plan.servers = 7;
        plan.faults = {at(fault::kind::migrate_slot, 500, 400, to)};
        auto const seen = expect_well(plan);
        EXPECT_EQ(answers(seen, "CLUSTERDOWN"), 0);
    }
}

TEST(cluster, asks_where_a_slot_is_on_its_way_to) {
    auto plan = holder_and_waiter();
    plan.workers.front().jobs = std::vector<job>(60, {.pause = 20, .hold = 10});
    plan.workers.pop_back();
    int moves = 0;
    for (int to = 0; to < plan.masters; ++to) { // one of them has it
        plan.faults = {at(fault::kind::migrate_slot, 500, 500, to)};
        auto const seen = run(plan, true);
        EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
        EXPECT_EQ(seen.acquired, 60U);
        moves += answers(seen, "ASK") > 5;
    }
    EXPECT_EQ(moves, plan.masters - 1);
}

/// Whose key is there by then is renewed, and waited for, once that node is back: in between nobody asks again and again.
TEST(cluster, waits_for_a_node_that_is_away_while_a_slot_is_on_its_way_to_it) {
    auto plan = holder_and_waiter();
    plan.processes = 3; // who waits for a time only is not behind another one of its process
    plan.drifts = {0, 0, 0};
    plan.workers.push_back(
        {.process = 2, .jobs = std::vector<job>(9, {.asks = job::how::timed, .pause = 150, .wait = 60})});
    int moves = 0;
    for (int to = 0; to < plan.masters; ++to) { // one of them has it
        plan.faults = {at(fault::kind::migrate_slot, 200, 1'900, to), at(fault::kind::restart_kept, 1'450, 250, to),
                       at(fault::kind::slow, 1'690, 600, to)};
        plan.faults.back().process = 2; // its waits are over before it is connected
        auto const seen = expect_well(plan);
        auto const asked = answers(seen, "ASK");
        EXPECT_LT(asked, 100) << to;
        EXPECT_EQ(wasted_permissions(seen), 0) << to << ": of those who wait there no longer";
        moves += asked > 0;
    }
    EXPECT_EQ(moves, plan.masters - 1);
}

/// Of that node nothing is heard, although the one that names it answers all the time.
TEST(cluster, ends_a_wait_for_ever_where_a_slot_is_on_its_way_to_a_node_that_does_not_come_back) {
    auto plan = holder_and_waiter();
    plan.workers.front().jobs.front().lease = 200;
    plan.workers.back().jobs.front().pause = 900;
    int ended = 0;
    for (int to = 0; to < plan.masters; ++to) {
        plan.faults = {at(fault::kind::migrate_slot, 500, 90'000, to), at(fault::kind::restart_lost, 600, 80'000, to)};
        auto const seen = run(plan, true);
        EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
        for (auto const& one : seen.facts) {
            if (one.what != fact::kind::not_acquired) continue;
            ++ended;
            EXPECT_EQ(one.said, answer::disconnected);
            EXPECT_NEAR(std::chrono::duration<double>(one.when).count(), 61, 2);
        }
    }
    EXPECT_EQ(ended, plan.masters);
}

TEST(cluster, replaces_a_lost_master_without_a_loss_where_the_replica_had_heard_of_all) {
    for (int const way : {0, with_its_machine, for_good, with_its_machine | for_good}) {
        auto plan = holder_and_waiter();
        plan.faults = {at(fault::kind::lose_master, 500, 600, 0, way)};
        auto const seen = expect_well(plan);
        EXPECT_EQ(seen.count(fact::kind::missed), 0) << way;
    }
}

/// The process stands still meanwhile.
TEST(cluster, is_found_again_when_all_masters_were_replaced) {
    auto plan = holder_and_waiter();
    plan.masters = 2;
    plan.servers = simulated_cluster::servers_for(plan.masters);
    plan.locks = 20; // of both masters
    plan.of_one_slot = 0;
    plan.workers.pop_back();
    plan.processes = 1;
    plan.drifts = {0};
    plan.workers.front().jobs = {{.pause = 100, .hold = 20}, {.pause = 4'000, .hold = 20}};
    for (auto& one : plan.workers.front().jobs) one.lock = 0;
    plan.faults = {at(fault::kind::stop_process, 300, 3'000)};
    std::set<int> struck;
    for (int lock = 0; lock < plan.locks; ++lock) {
        constexpr int slots_of_each = 16'384 / 2;
        if (!struck.insert(key_slot("lock-" + std::to_string(lock)) / slots_of_each).second) continue;
        plan.faults.push_back(at(fault::kind::lose_master, 500, 20'000, 0, with_its_machine | for_good));
        plan.faults.back().lock = lock;
    }
    ASSERT_EQ(struck.size(), 2U);
    auto const seen = run(plan, true);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
    EXPECT_EQ(seen.acquired, 2U);
}

TEST(cluster, forgets_a_hold_that_the_replica_had_not_heard_of_and_its_holder_is_told) {
    auto plan = holder_and_waiter();
    plan.faults = {at(fault::kind::lose_master, 110, 600)};
    plan.faults.front().strength = 101; // it lags
    auto const seen = run(plan, true);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
    EXPECT_EQ(seen.count(fact::kind::missed), 1);
    EXPECT_EQ(seen.count(fact::kind::told_lost), 1);
}

TEST(cluster, has_two_masters_of_a_slot_until_the_former_one_steps_down) {
    auto plan = holder_and_waiter();
    plan.workers.pop_back();
    // It takes the lock from a master that is being replaced.
    plan.workers.front().jobs = {{.pause = 110, .hold = 1'500}};
    plan.faults = {at(fault::kind::part_master, 100, 900, 0, static_cast<int>(parting::from_all_but_one_process))};
    plan.faults.front().strength = 371; // so long after that, and for half as long at least it goes on answering
    auto const seen = run(plan, true);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
    EXPECT_GE(seen.count(fact::kind::missed), 1);
    EXPECT_EQ(seen.count(fact::kind::told_lost), 1);
}

TEST(cluster, is_found_again_by_clients_that_were_told_of_wrong_hosts) {
    for (auto const names :
         {membership::naming::no_host, membership::naming::refusing, membership::naming::unreachable}) {
        auto plan = holder_and_waiter();
        plan.workers.front().jobs.front().lease = 10'000; // it is not renewed meanwhile
        plan.faults = {at(fault::kind::wrong_hosts, 500, 300, every_server, static_cast<int>(names))};
        expect_well(plan);
    }
}

TEST(cluster, waits_while_it_is_down) {
    auto plan = holder_and_waiter();
    plan.workers.front().jobs.front().hold = 100;
    plan.faults = {at(fault::kind::cluster_down, 150, 300, every_server)};
    auto const seen = expect_well(plan);
    EXPECT_GT(answers(seen, "CLUSTERDOWN"), 0);
}

TEST(cluster, meets_all_that_may_happen_to_one) {
    std::map<std::string, int> answered;
    std::map<fact::kind, int> seen_facts;
    std::map<fault::kind, int> faults;
    std::set<lock_kind> broken;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        auto made = generate(seed);
        change_kind(made, seed % 4 == 0 ? lock_kind::fair : lock_kind::reentrant);
        change_topology(made, topology::cluster);
        for (auto const& one : made.faults) ++faults[one.what];
        auto const seen = run(made, true);
        EXPECT_FALSE(seen.broken) << "seed " << seed << ": " << seen.broken->checker << ", " << seen.broken->text;
        for (auto const& one : seen.facts) ++seen_facts[one.what];
        for (auto const* const word : {"MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN", "CROSSSLOT"})
            answered[word] += static_cast<int>(answers(seen, word));
    }
    for (auto const* const word : {"MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN"}) EXPECT_GT(answered[word], 20) << word;
    EXPECT_EQ(answered["CROSSSLOT"], 0);
    for (auto const one : {fact::kind::missed, fact::kind::returned, fact::kind::told_lost})
        EXPECT_GT(seen_facts[one], 5) << static_cast<int>(one);
    for (auto const one : {fault::kind::migrate_slot, fault::kind::lose_master, fault::kind::part_master,
                           fault::kind::wrong_hosts, fault::kind::cluster_down, fault::kind::cut})
        EXPECT_GT(faults[one], 5) << static_cast<int>(one);
}

TEST(cluster, gives_the_same_run_for_the_same_seed) {
    expect_the_same_run_for_the_same_seed(topology::cluster);
}

TEST(cluster, shrinks_to_what_makes_a_scenario_fail) {
    auto whole = generate(105);
    change_topology(whole, topology::cluster);
    auto const guilty = [](scenario const& candidate) { return candidate.is_cluster() && !candidate.workers.empty(); };
    ASSERT_TRUE(guilty(whole));
    auto const small = shrink(whole, guilty);
    EXPECT_TRUE(small.is_cluster());
    EXPECT_TRUE(small.faults.empty());
    EXPECT_TRUE(small.shards_known);
    EXPECT_FALSE(small.is_whole);
}

} // namespace
} // namespace redlatch::sim
