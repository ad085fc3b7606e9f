// What a client costs in a cluster of very many nodes: as much as the nodes that it uses.
#include "sim/scenario/run.hpp"
#include "sim/scenario/variations.hpp"
#include "sim/server/key_slot.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::sim {
namespace {

constexpr int many = 100;

/// A process whose threads hold a lock each for twenty seconds, and renew it every 300 ms.
scenario holder(int masters, std::vector<int> const& locks) {
    scenario made;
    made.seed = 8;
    made.drifts = {0, 0};
    made.watchdog = 900;
    change_topology(made, topology::cluster, false);
    // Chance chooses which locks are taken, and how many of them have a slot in common, of jobs that are there before.
    for (auto const lock : locks)
        made.workers.push_back({.process = 0, .jobs = {{.lock = lock, .pause = 100, .hold = 20'000}}});
    made.masters = masters;
    made.servers = 2 * masters + 1;
    made.locks = *std::max_element(locks.begin(), locks.end()) + 1;
    made.of_one_slot = 0;
    made.first_share = 0;
    made.shards_known = true;
    return made;
}

/// One lock, which three threads have one after the other.
scenario holder_of_one_lock(int masters) {
    return holder(masters, {0, 0, 0});
}

/// So many locks on each of so many masters, and none on the others.
std::vector<int> locks_on(int nodes, int each, int masters) {
    std::map<unsigned, std::vector<int>> of_master;
    std::vector<int> chosen;
    for (int lock = 0; std::ssize(chosen) < nodes * each; ++lock) {
        auto const slot = key_slot("lock-" + std::to_string(lock));
        auto& there = of_master[slot * static_cast<unsigned>(masters) / slots_in_all];
        there.push_back(lock);
        if (std::ssize(there) == each) chosen.insert(chosen.end(), there.begin(), there.end());
    }
    return chosen;
}

/// What the process sent.
struct cost {
    std::set<std::string> connections{};
    std::set<int> servers{};    ///< that executed anything
    std::set<int> with_locks{}; ///< that executed more than questions about the cluster
    int calls = 0;              ///< about locks
    int questions = 0;          ///< about the cluster, and greetings
};

cost cost_of(scenario const& plan, patience const* how = nullptr) {
    auto const seen = run(plan, true, nullptr, how);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
    EXPECT_EQ(seen.acquired, plan.workers.size());
    cost all;
    constexpr std::string_view runs = " runs for 10.0.0.2:";
    for (auto const& line : seen.trace) {
        auto const at = line.find(runs);
        if (at == std::string::npos) continue;
        auto const space = line.find(' ', at + runs.size());
        auto const number = std::stoi(line.substr(line.rfind("server ", at) + 7));
        all.connections.insert(line.substr(at, space - at - 1));
        all.servers.insert(number);
        auto const call = std::string_view(line).substr(space + 1);
        bool const about_a_lock = call.starts_with("EVAL") || call.starts_with("RESTORE");
        ++(about_a_lock ? all.calls : all.questions);
        if (about_a_lock) all.with_locks.insert(number);
    }
    return all;
}

std::ostream& operator<<(std::ostream& out, cost const& one) {
    return out << std::setw(6) << one.calls << " calls about locks, " << std::setw(4) << one.connections.size()
               << " connections to " << std::setw(3) << one.servers.size() << " servers, " << std::setw(4)
               << one.questions << " questions and greetings";
}

/// No more than a little chance between them.
void expect_as_little(cost const& in_many, cost const& in_few) {
    EXPECT_LE(in_many.connections.size(), in_few.connections.size() + 1);
    EXPECT_LE(in_many.servers.size(), in_few.servers.size() + 1);
    EXPECT_LE(in_many.calls, in_few.calls + 10);
    EXPECT_LE(in_many.questions, in_few.questions + 5);
}

TEST(many_nodes, cost_no_more_than_few_where_a_client_does_not_use_them) {
    auto const in_few = cost_of(holder_of_one_lock(3));
    EXPECT_GE(in_few.calls, 100) << "renewals";
    expect_as_little(cost_of(holder_of_one_lock(many)), in_few);
}

TEST(many_nodes, cost_no_more_than_few_when_the_master_of_the_locks_is_lost) {
    auto const with_a_loss = [](int masters) {
        auto plan = holder_of_one_lock(masters);
        plan.faults = {{.what = fault::kind::lose_master, .at = 5'000, .lasts = 600, .strength = 100}};
        return cost_of(plan);
    };
    auto const in_few = with_a_loss(3);
    EXPECT_EQ(in_few.with_locks.size(), 2U) << "the former master and the present one";
    auto const in_many = with_a_loss(many);
    EXPECT_EQ(in_many.with_locks.size(), 2U);
    expect_as_little(in_many, in_few);
}

/// Of a process whose locks each have a slot of their own.
cost cost_of_use(int nodes, int each, int masters) {
    auto const plan = holder(masters, locks_on(nodes, each, masters));
    patience const without_rules_of_cost{}; // which are for processes with fewer locks
    auto seen = cost_of(plan, &without_rules_of_cost);
    EXPECT_EQ(seen.with_locks.size(), static_cast<std::size_t>(nodes));
    std::cout << std::setw(3) << nodes * each << " locks on " << std::setw(2) << nodes << " of " << std::setw(3)
              << masters << " nodes: " << seen << "\n";
    return seen;
}

/// Calls grow with the locks, and with nothing else; connections with the nodes that have some, beside the one that the client
/// began with.
void expect_cost_of_use(cost const& seen, int nodes, int locks, int calls_of_a_lock) {
    EXPECT_NEAR(seen.calls, locks * calls_of_a_lock, locks * 3);
    constexpr std::size_t each = 3; // for calls, for renewals, for messages
    auto const in_use = static_cast<std::size_t>(nodes);
    EXPECT_GE(seen.connections.size(), each * in_use);
    EXPECT_LE(seen.connections.size(), each * in_use + 1);
    EXPECT_LE(seen.servers.size(), in_use + 1);
}

TEST(many_nodes, cost_as_much_as_those_in_use) {
    auto const on_one = cost_of_use(1, 1, many);
    EXPECT_GE(on_one.calls, 60) << "renewals";
    auto const on_three = cost_of_use(3, 1, many);
    expect_cost_of_use(on_one, 1, 1, on_one.calls);
    expect_cost_of_use(on_three, 3, 3, on_one.calls);
    expect_cost_of_use(cost_of_use(30, 1, many), 30, 30, on_one.calls);
    expect_cost_of_use(cost_of_use(3, 10, many), 3, 30, on_one.calls);
    expect_as_little(on_three, cost_of_use(3, 1, 4));
}

} // namespace
} // namespace redlatch::sim
