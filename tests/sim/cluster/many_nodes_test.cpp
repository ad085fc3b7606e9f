// What a client costs in a cluster of very many nodes: as much as the nodes that it uses.
#include "sim/scenario/run.hpp"
#include "sim/scenario/variations.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <string_view>

namespace redlatch::sim {
namespace {

constexpr int many = 100;
constexpr int locks_held = 3;

/// A process that holds some locks for twenty seconds, and renews them every 300 ms.
scenario holder(int masters) {
    scenario made;
    made.seed = 8;
    made.drifts = {0, 0};
    made.watchdog = 900;
    for (int i = 0; i < locks_held; ++i)
        made.workers.push_back({.process = 0, .jobs = {{.lock = i, .pause = 100, .hold = 20'000}}});
    change_topology(made, topology::cluster, false);
    made.masters = masters;
    made.servers = 2 * masters + 1;
    made.locks = locks_held;
    made.shards_known = true;
    return made;
}

/// What the process sent.
struct cost {
    std::set<std::string> connections{};
    std::set<int> servers{};    ///< that executed anything
    std::set<int> with_locks{}; ///< that executed more than questions about the cluster
    int calls = 0;              ///< about locks
    int questions = 0;          ///< about the cluster, and greetings
};

cost cost_of(scenario const& plan) {
    auto const seen = run(plan, true);
    EXPECT_FALSE(seen.broken) << seen.broken->checker << ", " << seen.broken->text;
    EXPECT_EQ(seen.acquired, static_cast<std::size_t>(locks_held));
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

/// No more than a little chance between them.
void expect_as_little(cost const& in_many, cost const& in_few) {
    EXPECT_LE(in_many.connections.size(), in_few.connections.size() + 1);
    EXPECT_LE(in_many.servers.size(), in_few.servers.size() + 1);
    EXPECT_LE(in_many.calls, in_few.calls + 10);
    EXPECT_LE(in_many.questions, in_few.questions + 5);
}

TEST(many_nodes, cost_no_more_than_few_where_a_client_does_not_use_them) {
    auto const in_few = cost_of(holder(3));
    EXPECT_GE(in_few.calls, 100) << "renewals";
    expect_as_little(cost_of(holder(many)), in_few);
}

TEST(many_nodes, cost_no_more_than_few_when_the_master_of_the_locks_is_lost) {
    auto const with_a_loss = [](int masters) {
        auto plan = holder(masters);
        plan.faults = {{.what = fault::kind::lose_master, .at = 5'000, .lasts = 600, .strength = 100}};
        return cost_of(plan);
    };
    auto const in_few = with_a_loss(3);
    EXPECT_EQ(in_few.with_locks.size(), 2U) << "the former master and the present one";
    auto const in_many = with_a_loss(many);
    EXPECT_EQ(in_many.with_locks.size(), 2U);
    expect_as_little(in_many, in_few);
}

} // namespace
} // namespace redlatch::sim
