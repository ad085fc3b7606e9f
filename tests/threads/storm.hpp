// Many threads at once, with random timing from a fixed seed for each.
#pragma once

#include "support/lock_helpers.hpp"
#include "support/redis_server.hpp"
#include "support/wait_until.hpp"

#include <redlatch/redlatch.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace redlatch::test {

using namespace std::chrono_literals;

/// Runs `body(index, random)` on `count` threads and joins them.
inline void storm(unsigned count, std::function<void(unsigned, std::minstd_rand&)> const& body) {
    std::vector<std::thread> threads;
    threads.reserve(count);
    for (unsigned i = 0; i < count; ++i)
        threads.emplace_back([i, &body] {
            std::minstd_rand random(i + 1);
            body(i, random);
        });
    for (auto& one : threads) one.join();
}

/// Counts who is inside; more than one at a time is the failure that everything here looks for.
class critical_section {
public:
    void enter() {
        if (inside_.fetch_add(1) != 0) overlaps_.fetch_add(1);
        entries_.fetch_add(1);
    }
    void leave() { inside_.fetch_sub(1); }
    int overlaps() const { return overlaps_.load(); }
    int entries() const { return entries_.load(); }

private:
    std::atomic<int> inside_{0};
    std::atomic<int> overlaps_{0};
    std::atomic<int> entries_{0};
};

inline void expect_nothing_in_hand(client const& user) {
    counters now;
    bool const none = wait_until([&] {
        now = user.stats();
        return now.holds == 0 && now.waiters == 0 && now.subscriptions == 0 && now.unresolved == 0;
    });
    // Of a hold whose caller is gone more were acquired than released; of one that waits for its next holder, as many.
    EXPECT_TRUE(none) << "holds " << now.holds << ", waiters " << now.waiters << ", subscriptions " << now.subscriptions
                      << ", unresolved " << now.unresolved << "; acquired " << now.acquired << ", released "
                      << now.released << ", lost " << now.lost << ", renewals " << now.renewals << ", reconnects "
                      << now.reconnects;
}

} // namespace redlatch::test
