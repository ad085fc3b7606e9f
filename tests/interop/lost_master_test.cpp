// Both languages contend for one lock while its master is killed: each acquisition waits until the replica has it, which is the
// next master.
#include "contest.hpp"
#include "interop_test.hpp"
#include "support/redis_cluster.hpp"
#include "support/sentinel_set.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

/// More than a failover takes: who comes out meanwhile can still give back what it has.
constexpr std::chrono::milliseconds lease = 15s;
/// Neither side may wait for so long: each lease of the other one has ended before.
constexpr std::chrono::milliseconds longest_wait = 4 * lease;
/// Of each side, before the fault and after it.
constexpr std::int64_t least_entries = 20;

struct lost_master : interop_test {
    static config settings_for(std::string const& uri) {
        config settings{.address = uri};
        settings.lock_watchdog_timeout = lease;
        settings.timeout = lease; // a dead server is known by its broken connections
        settings.topology.scan_interval = 1000ms;
        return settings;
    }

    /// `lose()`: kills the master of the lock, and returns when there is another one. The counters of the contest are on a
    /// server that stays.
    template <class Lose> void contest_through_loss(std::string const& uri, std::string const& lock_name, Lose lose) {
        client contender(settings_for(uri));
        java_peer java{built_peer().folder, uri + " " + server().uri(), lease};
        auto lock = contender.get_lock(lock_name, {.replicas = replica_policy::redisson_default(5s)});
        contest_of all(server(), name, std::numeric_limits<std::int32_t>::max());
        std::atomic<std::int64_t> our_entries{0};
        auto const enter = [&] {
            auto in = lock.acquire({.wait = longest_wait});
            ++our_entries;
            return in;
        };
        std::vector<java_peer::ticket> theirs;
        std::vector<std::future<contest_part>> ours;
        for (auto const* const thread : {"a", "b"}) {
            theirs.push_back(all.begins(java, thread, "retriedContest", lock_name));
            ours.push_back(std::async(std::launch::async, [&] { return all.take_part(enter); }));
        }
        auto const both_enter = [&](char const* when) {
            auto const of_cpp = our_entries.load();
            auto const of_java = all.entries() - of_cpp;
            EXPECT_TRUE(wait_until(
                [&] {
                    auto const now = our_entries.load();
                    return now >= of_cpp + least_entries && all.entries() - now >= of_java + least_entries;
                },
                longest_wait))
                << when;
        };
        both_enter("before the fault");
        lose();
        auto const lost = std::chrono::steady_clock::now();
        both_enter("after the fault");
        auto const since = std::chrono::steady_clock::now() - lost;
        all.end();
        contest_part of_java;
        std::int64_t most_inside = 0;
        for (auto& one : ours) most_inside = std::max(most_inside, one.get().most_inside); // throws where one was lost
        for (auto const one : theirs) {
            auto const part = contest_of::end_of(java, one);
            most_inside = std::max(most_inside, part.most_inside);
            of_java.entries += part.entries;
            of_java.refusals += part.refusals;
            EXPECT_EQ(part.losses, 0);
        }
        EXPECT_EQ(most_inside, 1);
        std::printf("C++ had %d entries, Java %d and %d refusals; both had some %d ms after the loss\n",
                    int(our_entries), int(of_java.entries), int(of_java.refusals),
                    int(std::chrono::duration_cast<std::chrono::milliseconds>(since).count()));
    }
};

TEST_F(lost_master, of_a_cluster_lets_never_two_inside_and_leaves_nobody_waiting) {
    redis_cluster cluster{3, 1};
    contest_through_loss(cluster.uri(), cluster.name_on(0), [&] { cluster.lose(0); });
}

TEST_F(lost_master, behind_sentinels_lets_never_two_inside_and_leaves_nobody_waiting) {
    sentinel_set sentinels;
    contest_through_loss(sentinels.uri(), name, [&] {
        sentinels.servers()[0].kill9();
        sentinels.fail_over();
    });
}

} // namespace
} // namespace redlatch::test
