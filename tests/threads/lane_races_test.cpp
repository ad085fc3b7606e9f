// What happens to a lane when everything happens at once: deadlines while the reading role is handed over, cancellation while
// the own reply arrives, the reactor beside new callers, and a new connection under all of them.
#include "storm.hpp"

namespace redlatch::test {
namespace {

constexpr unsigned threads = 16;

TEST(lane_races, a_deadline_may_meet_the_promotion_to_reader) {
    redis_server const server;
    client user{server.uri()};
    critical_section inside;
    storm(threads, [&](unsigned index, std::minstd_rand& random) {
        // Half work on locks of their own and read for everybody, half give up on a busy one at random moments.
        auto own = user.get_lock("own-" + std::to_string(index));
        auto shared = user.get_lock("shared");
        for (int round = 0; round < 60; ++round) {
            if (index % 2 == 0) {
                auto const hold = own.acquire();
                EXPECT_TRUE(hold);
                continue;
            }
            std::error_code ec;
            if (auto const hold = shared.try_acquire({.wait = duration(random() % 8)}, ec)) {
                inside.enter();
                std::this_thread::yield();
                inside.leave();
            } else {
                // On a loaded machine the server may not have said a word within those few milliseconds.
                EXPECT_TRUE(ec == errc::busy || ec == errc::timed_out || ec == errc::disconnected) << ec.message();
            }
        }
    });
    EXPECT_EQ(inside.overlaps(), 0);
    expect_nothing_in_hand(user);
    expect_clean(server);
}

TEST(lane_races, a_cancellation_may_meet_the_own_reply) {
    redis_server const server;
    client user{server.uri()};
    constexpr unsigned names = 4;
    critical_section inside[names];
    std::atomic<int> cancelled{0};
    storm(threads, [&](unsigned index, std::minstd_rand& random) {
        auto lock = user.get_lock("lock-" + std::to_string(index % names));
        for (int round = 0; round < 40; ++round) {
            std::stop_source source;
            std::thread canceller([&, pause = random() % 300] {
                auto const until = std::chrono::steady_clock::now() + std::chrono::microseconds(pause);
                while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
                source.request_stop();
            });
            std::error_code ec;
            if (auto const hold = lock.acquire({.wait = 5s, .stop = source.get_token()}, ec)) {
                auto& section = inside[index % names];
                section.enter();
                std::this_thread::yield();
                section.leave();
            }
            canceller.join();
            if (ec == errc::cancelled)
                ++cancelled;
            else
                EXPECT_FALSE(ec) << ec.message();
        }
    });
    EXPECT_GT(cancelled.load(), 0);
    for (auto const& one : inside) EXPECT_EQ(one.overlaps(), 0);
    expect_nothing_in_hand(user);
    expect_clean(server);
}

TEST(lane_races, asynchronous_and_blocking_callers_share_a_lane) {
    redis_server const server;
    client user{server.uri()};
    std::atomic<int> answered{0};
    constexpr int rounds = 40;
    storm(threads, [&](unsigned index, std::minstd_rand&) {
        auto lock = user.get_lock("shared-" + std::to_string(index % 3));
        for (int round = 0; round < rounds; ++round) {
            if (index % 2 == 0) {
                auto const hold = lock.acquire();
                EXPECT_TRUE(hold);
            } else {
                lock.async_acquire({.owner = owner()}, {}, [&](std::error_code ec, hold got) {
                    EXPECT_FALSE(ec) << ec.message();
                    got.async_release({}, [&](std::error_code released) {
                        EXPECT_FALSE(released) << released.message();
                        ++answered;
                    });
                });
            }
        }
    });
    EXPECT_TRUE(wait_until([&] { return answered.load() == static_cast<int>(threads / 2) * rounds; }));
    expect_nothing_in_hand(user);
    expect_clean(server);
}

TEST(lane_races, a_new_connection_under_everything) {
    redis_server const server;
    client user{server.uri()};
    critical_section inside;
    std::atomic<bool> done{false};
    std::atomic<int> answered{0};
    std::atomic<int> started{0};
    std::thread killer([&] {
        auto admin = server.admin();
        for (int kills = 0; !done.load() && kills < 400; ++kills) {
            admin.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            admin.command("CLIENT", "KILL", "TYPE", "pubsub");
            for (int i = 0; i < 2000 && !done.load(); ++i) std::this_thread::yield();
        }
    });
    storm(threads, [&](unsigned index, std::minstd_rand& random) {
        auto lock = user.get_lock("contended");
        auto own = user.get_lock("own-" + std::to_string(index));
        for (int round = 0; round < 25; ++round) {
            std::error_code ec;
            switch (random() % 3) {
            case 0:
                if (auto const hold = lock.acquire({.wait = 10s}, ec)) {
                    inside.enter();
                    std::this_thread::yield();
                    inside.leave();
                }
                EXPECT_FALSE(ec) << ec.message();
                break;
            case 1: {
                auto const hold = own.acquire({.wait = 10s}, ec);
                EXPECT_FALSE(ec) << ec.message();
                break;
            }
            default:
                ++started;
                own.async_acquire({.wait = 10s, .owner = owner()}, {}, [&](std::error_code got_ec, hold got) {
                    EXPECT_FALSE(got_ec) << got_ec.message();
                    got.release_detached();
                    ++answered;
                });
            }
        }
    });
    done = true;
    killer.join();
    EXPECT_TRUE(wait_until([&] { return answered.load() == started.load(); }));
    EXPECT_EQ(inside.overlaps(), 0);
    EXPECT_GT(inside.entries(), 0);
    EXPECT_GT(user.stats().reconnects, 0U);
    expect_nothing_in_hand(user);
    // Nobody waits for a detached release, and the last one's connection may have been killed.
    EXPECT_TRUE(wait_until([&] { return server.run("DBSIZE").integer == 0; }));
    expect_clean(server);
}

} // namespace
} // namespace redlatch::test
