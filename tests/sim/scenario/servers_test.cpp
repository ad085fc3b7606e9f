// Worlds with several servers: what is wrong with one leaves the others as they are, and a red lock outlives a minority.
#include "sim/scenario/run.hpp"
#include "sim/scenario/variations.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace redlatch::sim {
namespace {

/// One process has a red lock from 100 ms on for two seconds.
scenario one_holder() {
    scenario made;
    made.seed = 4;
    made.processes = 1;
    made.drifts = {0};
    made.watchdog = 900;
    made.workers = {{.jobs = {{.pause = 100, .hold = 2'000}}}};
    change_kind(made, lock_kind::red);
    return made;
}

fault at_server(fault::kind what, int server, std::int64_t at = 500, std::int64_t lasts = 300) {
    return {.what = what, .at = at, .lasts = lasts, .lock = server, .server = server};
}

/// How often it was seen to be believed in, by a look each 100 ms.
std::ptrdiff_t looks_at_belief(outcome const& seen) {
    return std::count_if(seen.facts.begin(), seen.facts.end(),
                         [](fact const& one) { return one.what == fact::kind::probe_majority; });
}

TEST(several_servers, have_a_member_each) {
    auto const plan = one_holder();
    EXPECT_EQ(plan.servers, 3);
    EXPECT_EQ(plan.locks, 3);
    auto const seen = run(plan);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
    EXPECT_EQ(seen.count(fact::kind::acquired), 3) << "also the one that joined late";
    EXPECT_EQ(seen.count(fact::kind::told_lost), 0);
    EXPECT_GT(looks_at_belief(seen), 15);
}

TEST(several_servers, a_minority_that_forgets_ends_no_hold) {
    auto plan = one_holder();
    plan.faults = {at_server(fault::kind::restart_lost, 1)};
    auto const seen = run(plan);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
    EXPECT_EQ(seen.count(fact::kind::told_lost), 1) << "that member";
    EXPECT_GT(looks_at_belief(seen), 15);
}

TEST(several_servers, a_majority_that_forgets_ends_it) {
    auto plan = one_holder();
    plan.faults = {at_server(fault::kind::restart_lost, 1), at_server(fault::kind::restart_lost, 2)};
    auto const seen = run(plan);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
    EXPECT_EQ(seen.count(fact::kind::told_lost), 2);
    EXPECT_LT(looks_at_belief(seen), 15);
}

TEST(several_servers, a_majority_is_enough_to_acquire_and_to_renew) {
    auto plan = one_holder();
    plan.faults = {at_server(fault::kind::stop_server, 2, 50, 3'000)};
    auto const seen = run(plan);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
    EXPECT_EQ(seen.acquired, 1U);
    EXPECT_EQ(seen.count(fact::kind::acquired), 2);
    EXPECT_GT(looks_at_belief(seen), 15);
}

TEST(several_servers, connections_break_to_one_or_to_all) {
    auto const failed = [](int server) {
        auto plan = one_holder();
        plan.faults = {at_server(fault::kind::refuse, server)};
        plan.faults.front().lock = 0;
        auto const seen = run(plan, true);
        EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
        std::set<int> greeted; // by new connections, later on
        for (auto const& line : seen.trace)
            for (int i = 0; i < plan.servers; ++i)
                if (std::stod(line) > 500 && line.find("server " + std::to_string(i) + " runs") != line.npos
                    && line.find(": INFO") != line.npos)
                    greeted.insert(i);
        return greeted;
    };
    EXPECT_EQ(failed(1), std::set<int>{1});
    EXPECT_EQ(failed(every_server), (std::set<int>{0, 1, 2}));
}

TEST(several_servers, of_the_scenarios_only_one_forgets) {
    std::set<int> forgetful;
    std::set<int> on_links;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        auto made = generate(seed);
        change_kind(made, lock_kind::red);
        std::set<int> here;
        for (auto const& one : made.faults) {
            if (one.what == fault::kind::restart_lost || one.what == fault::kind::failover
                || one.what == fault::kind::remove_key || one.what == fault::kind::force_unlock) {
                here.insert(one.server);
                EXPECT_EQ(made.server_of(one.lock), one.server);
            }
            if (is_on_a_link(one.what)) on_links.insert(one.server);
            EXPECT_LT(one.lock, made.locks);
        }
        EXPECT_LE(here.size(), 1U) << "seed " << seed;
        forgetful.merge(here);
    }
    EXPECT_EQ(forgetful, (std::set<int>{0, 1, 2}));
    EXPECT_EQ(on_links, (std::set<int>{every_server, 0, 1, 2}));
}

} // namespace
} // namespace redlatch::sim
