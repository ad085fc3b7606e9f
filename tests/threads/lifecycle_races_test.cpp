// Closing and ending while others are busy.
#include "storm.hpp"

#include <optional>

namespace redlatch::test {
namespace {

TEST(lifecycle_races, close_ends_sixty_four_parked_callers) {
    redis_server const server;
    hold_as_stranger(server, "taken", 60s);
    auto user = std::make_optional<client>(server.uri());
    std::atomic<int> closed{0};
    std::atomic<unsigned> others{0};
    constexpr unsigned waiting = 64;
    std::vector<std::thread> waiters;
    for (unsigned i = 0; i < waiting; ++i)
        waiters.emplace_back([&, lock = user->get_lock(i % 2 == 0 ? "taken" : "own-" + std::to_string(i))]() mutable {
            std::error_code ec;
            while (!ec) { // the odd ones go round and round on locks of their own
                auto const hold = lock.acquire({}, ec);
                ++others;
            }
            if (ec == errc::closed) ++closed;
        });
    EXPECT_TRUE(wait_until([&] { return user->stats().waiters >= waiting / 2 && others.load() > waiting; }));
    user->close();
    for (auto& one : waiters) one.join();
    EXPECT_EQ(closed.load(), static_cast<int>(waiting));
    user.reset();
    release_as_stranger(server, "taken");
    expect_clean(server);
}

TEST(lifecycle_races, a_client_may_close_under_asynchronous_callers) {
    redis_server const server;
    for (int round = 0; round < 10; ++round) {
        std::atomic<int> answered{0};
        constexpr int each = 50;
        {
            client user{server.uri()};
            auto lock = user.get_lock("lock");
            for (int i = 0; i < each; ++i)
                lock.async_acquire({.owner = owner()}, {}, [&](std::error_code ec, hold) {
                    EXPECT_TRUE(!ec || ec == errc::closed) << ec.message();
                    ++answered;
                });
        }
        EXPECT_EQ(answered.load(), each) << "every handler has run when the client is gone";
        expect_clean(server);
    }
}

TEST(lifecycle_races, an_acquisition_that_comes_behind_the_releases_of_close_takes_nothing) {
    redis_server const server;
    auto admin = server.admin();
    constexpr unsigned busy = 6;
    for (int round = 0; round < 100; ++round) {
        auto user = std::make_optional<client>(server.uri());
        std::atomic<unsigned> taken{0};
        std::vector<std::thread> takers;
        for (unsigned i = 0; i < busy; ++i)
            takers.emplace_back([&, lock = user->get_lock("lock-" + std::to_string(i))]() mutable {
                std::error_code ec;
                while (!ec) {
                    auto const hold = lock.try_acquire(acquire_options{}, ec);
                    ++taken;
                }
            });
        EXPECT_TRUE(wait_until([&] { return taken.load() > 2 * busy; }));
        user->close();
        for (auto& one : takers) one.join();
        user.reset();
        EXPECT_EQ(admin.command("DBSIZE").integer, 0) << "round " << round;
    }
}

TEST(lifecycle_races, holds_may_end_on_other_threads_while_the_client_closes) {
    redis_server const server;
    for (int round = 0; round < 10; ++round) {
        auto user = std::make_optional<client>(server.uri());
        std::vector<hold> holds;
        for (int i = 0; i < 32; ++i) holds.push_back(user->get_lock("lock-" + std::to_string(i)).acquire());
        std::vector<std::thread> enders;
        std::atomic<bool> go{false};
        for (auto& one : holds)
            enders.emplace_back([&go, mine = std::move(one)]() mutable {
                while (!go.load()) std::this_thread::yield();
                hold const ends_here(std::move(mine));
            });
        go = true;
        user.reset();
        for (auto& one : enders) one.join();
        expect_clean(server);
    }
}

TEST(lifecycle_races, losses_reach_their_tokens_while_holders_come_and_go) {
    redis_server const server;
    client user{server.uri()};
    std::atomic<int> told{0};
    storm(8, [&](unsigned index, std::minstd_rand&) {
        auto admin = server.admin();
        auto const name = "lock-" + std::to_string(index);
        auto lock = user.get_lock(name);
        for (int round = 0; round < 10; ++round) {
            auto const mine = lock.acquire({.lease = 60ms});
            std::stop_callback const on_loss(mine.lost(), [&] { ++told; });
            if (round % 2 == 0) admin.command("DEL", name);
            EXPECT_TRUE(wait_until([&] { return mine.lost().stop_requested(); }));
            EXPECT_EQ(mine.status(), hold_status::lost);
        }
    });
    EXPECT_EQ(told.load(), 80);
    expect_nothing_in_hand(user);
    expect_clean(server);
}

TEST(lifecycle_races, a_listener_may_be_replaced_at_any_time) {
    redis_server const server;
    client user{server.uri()};
    std::atomic<int> heard{0};
    storm(6, [&](unsigned index, std::minstd_rand&) {
        auto lock = user.get_lock("lock-" + std::to_string(index));
        for (int round = 0; round < 8; ++round) {
            user.on_event([&](event const&) { ++heard; });
            auto const mine = lock.acquire({.lease = 40ms});
            EXPECT_TRUE(wait_until([&] { return mine.status() == hold_status::lost; }));
        }
    });
    user.on_event({});
    EXPECT_GT(heard.load(), 0);
}

} // namespace
} // namespace redlatch::test
