// How long a command takes, for whoever plans a simulation. Figures only: what is asserted is that the work was done.
#include "locking/wire_call.hpp"
#include "sim/server/node_client.hpp"

#include <ctime>
#include <gtest/gtest.h>
#include <iostream>

namespace redlatch::sim {
namespace {

TEST(node_speed, of_a_lock_cycle) {
    using namespace locking;
    redis_node node({});
    node_client client(node);
    client("SCRIPT", "LOAD", scripts::lock_acquire.text);
    client("SCRIPT", "LOAD", scripts::lock_release.text);
    constexpr auto owner = "71b96ce8-2746-4c9e-9f0e-3b0d0c2a7c11:17";
    auto const acquire = script_call(scripts::lock_acquire, {"orders"}, {"30000", owner});
    auto const release =
        script_call(scripts::lock_release, {"orders"}, {owner, "PUBLISH", "redisson_lock__channel:{orders}"});

    constexpr int cycles = 20'000;
    int done = 0;
    auto const begin = std::clock(); // of this process: others do not count
    for (int i = 0; i < cycles; ++i) {
        ++client.now_ms;
        bool const acquired = client.send(acquire.bytes) == "$-1\r\n";
        bool const released = client.send(release.bytes) == ":1\r\n";
        done += acquired && released ? 1 : 0;
    }
    auto const took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    EXPECT_EQ(done, cycles);
    std::cout << "acquire and release: " << took / cycles * 1e6 << " us\n";
}

} // namespace
} // namespace redlatch::sim
