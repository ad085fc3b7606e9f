// What a wait costs the server: questions beside a lock that is renewed, subscriptions.
#include "redisson_defects_test.hpp"
#include "support/lock_helpers.hpp"

#include <thread>
#include <vector>

namespace redlatch::test {
namespace {

/// A waiter may be told no more than this, and the lock never ends.
constexpr std::chrono::milliseconds short_lease = 1s;

/// Somebody else's lock, whose lease is set anew all the time.
class renewed_lock {
public:
    renewed_lock(redis_server const& server, std::string const& lock) {
        auto const lease = std::to_string(short_lease.count());
        hold_as_stranger(server, lock, short_lease);
        renews_ = std::jthread([redis = server.admin(), lock, lease](std::stop_token const& stop) mutable {
            while (!stop.stop_requested()) {
                redis.command("PEXPIRE", lock, lease);
                std::this_thread::sleep_for(5ms); // sleeps because a holder renews now and then
            }
        });
    }

private:
    std::jthread renews_{};
};

class redisson_defects_waiting : public redisson_defects_test {
protected:
    static constexpr int waiters = 8;
    static constexpr int leases = 3;

    /// A client that listens to nothing but what it waits for.
    client ours{as_variant(config{.address = server().uri(), .watched_holds = 0})};
};

TEST_F(redisson_defects_waiting, java_asks_in_each_lease_with_each_of_its_waiters) {
    renewed_lock const held(server(), name);
    std::vector<java_peer::ticket> waits;
    auto const thread = [](int number) { return "waiter-" + std::to_string(number); };
    for (int i = 0; i < waiters; ++i) waits.push_back(java_waits(thread(i), name, "lockInterruptibly"));
    auto const before = script_calls();
    EXPECT_TRUE(stays([&] { return exists(name); }, leases * short_lease)) << "it was never free";
    EXPECT_GE(script_calls() - before, waiters * (leases - 1));
    for (int i = 0; i < waiters; ++i) {
        interrupt(java(), thread(i));
        EXPECT_FALSE(java().end_of(waits[static_cast<std::size_t>(i)]).ok);
    }
}

TEST_F(redisson_defects_waiting, ours_asks_in_each_lease_with_one_of_its_waiters) {
    renewed_lock const held(server(), name);
    std::stop_source stop;
    std::vector<std::future<void>> waits;
    for (int i = 0; i < waiters; ++i)
        waits.push_back(in_thread([&] {
            std::error_code ec;
            EXPECT_FALSE(ours.get_lock(name).acquire({.owner = owner(), .stop = stop.get_token()}, ec));
        }));
    EXPECT_TRUE(wait_until([&] { return ours.stats().waiters == waiters && subscribers(name) == 1; }));
    auto const before = ours.stats().commands;
    EXPECT_TRUE(stays([&] { return exists(name); }, leases * short_lease)) << "it was never free";
    EXPECT_LT(ours.stats().commands - before, std::uint64_t{waiters});
    stop.request_stop();
    for (auto& one : waits) one.get();
}

TEST_F(redisson_defects_waiting, java_subscribes_anew_for_each_wait) {
    auto before = command_counts(server());
    for (int wait = 0; wait < 3; ++wait) {
        hold_as_stranger(server(), name, 60s);
        auto const waits = java_waits("a", name);
        release_as_stranger(server(), name);
        EXPECT_TRUE(java().end_of(waits).ok);
        java().value("a", "unlock", {name});
    }
    EXPECT_EQ(command_counts(server())["subscribe"] - before["subscribe"], 3U);
    EXPECT_TRUE(wait_until([&] { return command_counts(server())["unsubscribe"] == before["unsubscribe"] + 3; }));
}

TEST_F(redisson_defects_waiting, ours_stays_subscribed_between_two_waits) {
    auto before = command_counts(server());
    for (int wait = 0; wait < 3; ++wait) {
        hold_as_stranger(server(), name, 60s);
        auto waits = in_thread([&] { ours.get_lock(name).acquire({.wait = patience, .owner = owner()}).release(); });
        EXPECT_TRUE(wait_until([&] { return ours.stats().waiters == 1 && subscribers(name) == 1; }));
        release_as_stranger(server(), name);
        waits.get();
    }
    EXPECT_LT(command_counts(server())["subscribe"] - before["subscribe"], 3U);
}

} // namespace
} // namespace redlatch::test
