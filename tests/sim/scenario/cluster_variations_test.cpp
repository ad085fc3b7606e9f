// Locks of one slot in a cluster: that there are such scenarios, and what becomes of locks whose slot is on its way.
#include "sim/scenario/run.hpp"
#include "sim/scenario/stage.hpp"
#include "sim/scenario/variations.hpp"
#include "sim/server/key_slot.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace redlatch::sim {
namespace {

scenario in_a_cluster(std::uint64_t seed) {
    auto made = generate(seed);
    change_topology(made, topology::cluster);
    return made;
}

TEST(cluster_variations, let_locks_of_a_quarter_of_the_seeds_share_a_slot) {
    int sharing = 0;
    int divided = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        auto const made = in_a_cluster(seed);
        if (made.of_one_slot == 0) continue;
        ++sharing;
        EXPECT_GE(made.of_one_slot, 2);
        EXPECT_LE(made.of_one_slot, made.locks);
        divided += std::any_of(made.faults.begin(), made.faults.end(), [](auto const& one) {
            return one.what == fault::kind::migrate_slot && one.way >= migration_ways;
        });
        for (auto const& each : made.workers)
            for (auto const& one : each.jobs) EXPECT_LT(one.lock, made.locks);
    }
    EXPECT_NEAR(sharing, 100, 30);
    EXPECT_GT(divided, sharing / 5);
}

/// Three locks of one slot, all held by one process for longer than their leases.
scenario three_holds() {
    scenario made;
    made.seed = 5;
    made.processes = 1;
    made.drifts = {0};
    made.watchdog = 900;
    made.locks = 4;
    change_topology(made, topology::cluster, false);
    made.of_one_slot = 3;
    for (int i = 0; i < 3; ++i) made.workers.push_back({.jobs = {{.lock = i, .hold = 6'000}}});
    return made;
}

TEST(cluster_variations, name_locks_so_that_they_share_a_slot) {
    auto const plan = three_holds();
    stage const in(plan, false);
    std::set<std::uint16_t> slots;
    std::set<std::string> keys;
    for (int i = 0; i < plan.locks; ++i) {
        slots.insert(key_slot(in.key_of(i)));
        keys.insert(in.key_of(i));
    }
    EXPECT_EQ(slots.size(), 2U) << "that of three, and that of the fourth";
    EXPECT_EQ(keys.size(), 4U);
}

TEST(cluster_variations, keep_what_is_held_while_a_slot_is_divided) {
    auto plan = three_holds();
    for (int early = 0; early <= 3; ++early)
        for (int ending = 0; ending < migration_ways; ++ending)
            for (int to = 0; to <= plan.masters; ++to) { // to one of them it goes already
                plan.faults = {{.what = fault::kind::migrate_slot,
                                .at = 500,
                                .lasts = 5'000,
                                .way = early * migration_ways + ending,
                                .server = to}};
                auto const seen = run(plan);
                EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
                EXPECT_EQ(seen.acquired, 3U);
                for (auto const& one : seen.facts) EXPECT_NE(one.what, fact::kind::told_lost) << one.owner;
            }
}

/// Where its slot is now, a waiter hears of permits; requests with a record have two keys, which meet on the way (TRYAGAIN).
TEST(cluster_variations, wake_who_waits_for_permits_whose_slot_has_moved) {
    for (auto const kind : {lock_kind::semaphore, lock_kind::permit_semaphore})
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            scenario plan;
            plan.seed = seed;
            plan.drifts = {0, 0};
            plan.watchdog = 30'000; // nobody looks again before
            change_kind(plan, kind);
            change_topology(plan, topology::cluster, false);
            plan.workers = {{.process = 0, .jobs = {{.pause = 2, .hold = 3'000}}}, // all three
                            {.process = 1, .jobs = {{.pause = 100, .hold = 1}}}};
            plan.faults = {{.what = fault::kind::migrate_slot, .at = 500, .lasts = 1'000, .server = 0},
                           {.what = fault::kind::migrate_slot, .at = 500, .lasts = 1'000, .server = 1}};
            auto const seen = run(plan);
            EXPECT_FALSE(seen.broken) << seed << ": " << seen.broken->checker << ", " << seen.broken->text;
            EXPECT_EQ(seen.acquired, 2U);
            EXPECT_LT(seen.lasted, std::chrono::seconds(25)) << "with what follows the last job";
        }
}

/// Where its keys have gone already the release and the question behind it are sent to another node, in any order.
TEST(cluster_variations, wake_who_waits_beside_a_release_while_the_slot_is_on_its_way) {
    for (std::uint64_t seed = 1; seed <= 79;
         seed += 2) { // even ones have a record, and wait for the move's end: TRYAGAIN
        scenario plan;
        plan.seed = seed;
        plan.processes = 1;
        plan.drifts = {0};
        plan.watchdog = 30'000;
        change_kind(plan, lock_kind::semaphore);
        change_topology(plan, topology::cluster, false);
        plan.workers = {{.jobs = {{.pause = 2, .hold = 3'000}}}, // all three
                        {.jobs = {{.pause = 2'600, .hold = 1}}}};
        for (int to = 0; to < plan.masters; ++to)
            plan.faults.push_back({.what = fault::kind::migrate_slot,
                                   .at = 500,
                                   .lasts = 8'000,
                                   .way = 2 * migration_ways,
                                   .server = to});
        auto const seen = run(plan);
        EXPECT_FALSE(seen.broken) << seed << ": " << seen.broken->checker << ", " << seen.broken->text;
        auto const taken = std::find_if(seen.facts.rbegin(), seen.facts.rend(),
                                        [](auto const& one) { return one.what == fact::kind::took_permits; });
        ASSERT_NE(taken, seen.facts.rend());
        EXPECT_LT(taken->when, std::chrono::milliseconds(3'100)) << seed;
    }
}

/// It has no slots yet, and there is no descriptor for a connection to it: nobody is told that a server had refused anything.
TEST(cluster_variations, say_that_a_new_node_cannot_be_reached) {
    scenario plan;
    plan.seed = 3;
    plan.processes = 1;
    plan.drifts = {0};
    plan.watchdog = 30'000;
    change_topology(plan, topology::cluster, false);
    plan.workers = {{.jobs = {{.pause = 1, .hold = 1}}},
                    {.jobs = {{.asks = job::how::asynchronous, .pause = 700, .hold = 1}}}};
    for (int i = 0; i < 40; ++i)
        plan.workers[0].jobs.push_back({.asks = job::how::once, .pause = i == 0 ? 800 : 20 + i, .hold = 1});
    plan.faults = {{.what = fault::kind::migrate_slot,
                    .at = 500,
                    .lasts = 5'000,
                    .way = 2 * migration_ways,
                    .server = plan.masters},
                   {.what = fault::kind::no_descriptors, .at = 600, .lasts = 2'000}};
    auto const seen = run(plan);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
    auto const unreachable = seen.count(fact::kind::not_acquired);
    EXPECT_GT(unreachable, 5);
    EXPECT_EQ(seen.acquired, 1 + plan.workers[0].jobs.size() - static_cast<std::size_t>(unreachable));
}

TEST(cluster_variations, play_all_but_values_and_red_locks_in_every_arrangement) {
    EXPECT_TRUE(can_be_played(lock_kind::red, topology::single));
    for (auto const with : {topology::cluster, topology::replicas, topology::sentinel}) {
        EXPECT_TRUE(can_be_played(lock_kind::semaphore, with));
        EXPECT_FALSE(can_be_played(lock_kind::red, with));
        EXPECT_FALSE(can_be_played(lock_kind::faster_multi, with));
    }
}

} // namespace
} // namespace redlatch::sim
