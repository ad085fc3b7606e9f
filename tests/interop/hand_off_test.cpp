// A thousand times from one side to the other and back, and free contention; a counter in Redis watches for an overlap.
#include "interop_test.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class hand_off : public interop_test {};

/// The steps are described in HandOffs.java.
TEST_F(hand_off, thousand_alternating_ones_without_an_overlap) {
    constexpr int there_and_back = 500;
    auto lock = cpp.get_lock(name);
    raw_client redis = server().admin();
    auto const next = [&] { return redis.command("BLPOP", name + ":java", "20").items.at(1).text; };
    auto const tell = [&](std::string const& word) { redis.command("RPUSH", name + ":cpp", word); };
    std::int64_t most = 0;
    latencies to_java;

    lock.lock();
    auto const java_side = java().start("a", "handOffs", {name, name, std::to_string(there_and_back)});
    for (int round = 0; round < there_and_back; ++round) {
        most = std::max(most, redis.command("INCR", name + ":inside").integer);
        ASSERT_EQ(next(), "wants");
        // It sleeps because the waiters shall differ: from one that has hardly begun to one that sleeps.
        std::this_thread::sleep_for(round % 4 * 700us);
        redis.command("DECR", name + ":inside");
        auto const released = wall_microseconds();
        lock.unlock();
        to_java.add(std::stoll(next()) - released);

        tell("wants");
        lock.lock();
        tell(std::to_string(wall_microseconds()));
    }
    lock.unlock();

    auto const answer = java().end_of(java_side);
    ASSERT_TRUE(answer.ok) << answer.exception_class << ": " << answer.value;
    long long java_most = 0;
    long long slowest = 0;
    long long mean = 0;
    ASSERT_EQ(std::sscanf(answer.value.c_str(), "%lld,%lld,%lld", &java_most, &slowest, &mean), 3);
    std::printf("C++ -> Java: median %.2f ms, largest %.2f ms; Java -> C++: mean %.2f ms, largest %.2f ms\n",
                double(to_java.median()) / 1e3, double(to_java.largest()) / 1e3, double(mean) / 1e3,
                double(slowest) / 1e3);
    EXPECT_EQ(most, 1);
    EXPECT_EQ(java_most, 1);
    EXPECT_LT(to_java.largest(), 15'000'000) << "somebody slept until the lease of 30 s ended";
    EXPECT_LT(slowest, 15'000'000) << "somebody slept until the lease of 30 s ended";
    server().run("DEL", name + ":inside");
}

/// Four threads on each side take the lock as they can.
TEST_F(hand_off, free_contention_of_four_threads_on_each_side_never_lets_two_in) {
    constexpr int threads = 4;
    constexpr int rounds = 400;
    std::vector<java_peer::ticket> tickets;
    for (int thread = 0; thread < threads; ++thread)
        tickets.push_back(java().start("c" + std::to_string(thread), "contend", {name, name, std::to_string(rounds)}));
    std::atomic<std::int64_t> most = 0;
    {
        std::vector<std::jthread> workers;
        for (int thread = 0; thread < threads; ++thread) {
            workers.emplace_back([&, lock = cpp.get_lock(name)]() mutable {
                raw_client redis = server().admin();
                for (int round = 0; round < rounds; ++round) {
                    hold const held = lock.acquire();
                    auto const inside = redis.command("INCR", name + ":inside").integer;
                    if (inside > most.load()) most = inside;
                    redis.command("DECR", name + ":inside");
                }
            });
        }
    }
    for (auto const ticket : tickets) {
        auto const answer = java().end_of(ticket, 60s);
        EXPECT_TRUE(answer.ok) << answer.exception_class << ": " << answer.value;
        EXPECT_EQ(answer.value, "1") << "the largest number of threads inside";
    }
    EXPECT_EQ(most.load(), 1);
    EXPECT_EQ(server().run("GET", name + ":inside").text, "0");
    server().run("DEL", name + ":inside");
}

} // namespace
} // namespace redlatch::test
