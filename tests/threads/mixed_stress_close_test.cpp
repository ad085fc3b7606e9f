// A client that is closed while its first asynchronous calls begin: its threads start and end at the same moment.
#include "mixed_stress.hpp"

#include <latch>

namespace redlatch::test {
namespace {

TEST(mixed_stress, a_client_that_is_closed_at_once_answers_whoever_began) {
    redis_server const server;
    constexpr int rounds = 150;
    constexpr int callers = 3;
    std::atomic<int> answered{0};
    for (int round = 0; round < rounds; ++round) {
        client user{server.uri()};
        std::latch together(callers + 1);
        std::vector<std::thread> threads;
        for (int i = 0; i < callers; ++i)
            threads.emplace_back([&, lock = user.get_lock("lock")]() mutable {
                together.arrive_and_wait();
                lock.async_acquire({.owner = owner()}, {}, [&](std::error_code ec, hold) {
                    EXPECT_TRUE(!ec || ec == errc::closed) << ec.message();
                    ++answered;
                });
            });
        together.arrive_and_wait();
        user.close();
        for (auto& one : threads) one.join();
        EXPECT_TRUE(wait_until([&] { return answered.load() == (round + 1) * callers; }))
            << (round + 1) * callers - answered.load() << " handlers have not run after round " << round;
        if (HasFailure()) return;
    }
    expect_clean(server);
}

} // namespace
} // namespace redlatch::test
