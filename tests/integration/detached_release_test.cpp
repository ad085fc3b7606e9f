// Releases that nobody waits for: hold::release_detached, and guards with config::detached_unlock.
#include "integration/fixture.hpp"

#include <thread>

namespace redlatch::test {
namespace {

class detached_release_test : public with_server {
protected:
    config detached(std::string address) const {
        auto settings = quick(std::move(address));
        settings.detached_unlock = true;
        return settings;
    }
    client user{detached(server.uri())};
    reentrant_lock lock = user.get_lock(name);
};

TEST_F(detached_release_test, returns_before_the_server_has_answered) {
    auto settings = detached(server.uri());
    settings.timeout = 20s;
    client patient(settings);
    auto adapter = patient.get_lock(name);
    adapter.lock();
    hold other = patient.get_lock(name + "-2").acquire();
    server.pause();
    auto const start = test_clock::now();
    adapter.unlock();
    other.release_detached();
    { hold none = std::move(other); }
    EXPECT_LT(since(start), 100ms);
    server.resume();
    EXPECT_TRUE(wait_until([&] { return !exists(name) && !exists(name + "-2"); }));
    EXPECT_TRUE(wait_until([&] { return patient.stats().released == 2; })) << "the answer is read although nobody asks";
    expect_idle(patient);
}

TEST_F(detached_release_test, is_followed_by_the_next_acquisition_on_the_same_connection) {
    for (int i = 0; i < 1'000; ++i) {
        auto const mine = lock.try_acquire();
        ASSERT_TRUE(mine) << "round " << i;
    }
    EXPECT_TRUE(wait_until([&] { return user.stats().released == 1'000; }));
    EXPECT_EQ(user.stats().lost, 0U);
    expect_idle(user);
    EXPECT_FALSE(exists(name));
}

TEST_F(detached_release_test, of_an_inner_level_writes_the_count) {
    hold outer = lock.acquire();
    hold inner = lock.acquire();
    inner.release_detached();
    EXPECT_TRUE(wait_until([&] { return server.run("HGET", name, outer.owner_id()).text == "1"; }));
    outer.release_detached();
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
    expect_idle(user);
}

TEST_F(detached_release_test, wakes_waiters_of_another_client) {
    hold mine = lock.acquire();
    client other{quick(server.uri())};
    auto waiter = in_thread([&] { return other.get_lock(name).acquire({.wait = 20s}); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    auto const start = test_clock::now();
    mine.release_detached();
    EXPECT_TRUE(waiter.get());
    EXPECT_LT(since(start), 5s);
}

TEST_F(detached_release_test, of_a_lock_that_is_gone_tells_the_listener) {
    event_log events(user);
    hold mine = lock.acquire();
    server.run("DEL", name);
    mine.release_detached();
    EXPECT_TRUE(events.wait_for(event::kind::release_failed, name));
    expect_idle(user);
    EXPECT_EQ(user.stats().lost, 1U);
    EXPECT_EQ(user.stats().released, 0U);
}

TEST_F(detached_release_test, is_repeated_when_its_answer_was_lost_and_is_no_loss) {
    byte_proxy proxy{server.address()};
    client distant{detached(proxy.address().uri())};
    event_log events(distant);
    auto far = distant.get_lock(name);
    far.lock();
    auto const trap = proxy.cut_after(a_release());
    far.unlock();
    ASSERT_TRUE(trap.wait());
    EXPECT_TRUE(wait_until([&] { return distant.stats().released == 1; }));
    EXPECT_FALSE(exists(name));
    EXPECT_EQ(events.count(event::kind::release_failed), 0U);
    expect_idle(distant);
}

TEST_F(detached_release_test, that_finds_nothing_when_its_validity_is_over_is_a_loss_although_it_was_repeated) {
    byte_proxy proxy{server.address()};
    client distant{detached(proxy.address().uri())};
    event_log events(distant);
    hold mine = distant.get_lock(name).acquire({.lease = 1s});
    auto const end = mine.valid_until();
    auto const trap = proxy.cut_before(a_release());
    proxy.refuse_connections(true);
    mine.release_detached();
    ASSERT_TRUE(trap.wait());
    ASSERT_TRUE(wait_until([&] { return lease_clock::now() >= end && !exists(name); }));
    proxy.refuse_connections(false);
    EXPECT_TRUE(events.wait_for(event::kind::release_failed, name)) << "others may have had it meanwhile";
    EXPECT_EQ(distant.stats().lost, 1U);
    EXPECT_EQ(distant.stats().released, 0U);
}

TEST_F(detached_release_test, is_through_before_close_returns) {
    std::vector<hold> holds;
    for (int i = 0; i < 100; ++i) holds.push_back(user.get_lock(name + std::to_string(i)).acquire());
    for (auto& one : holds) one.release_detached();
    user.close();
    expect_clean(server);
}

TEST_F(detached_release_test, of_many_threads_loses_none) {
    constexpr int threads = 8;
    constexpr int rounds = 300;
    std::vector<std::future<void>> workers;
    for (int i = 0; i < threads; ++i)
        workers.push_back(in_thread([&, i] {
            auto mine = user.get_lock(name + std::to_string(i % 3));
            for (int round = 0; round < rounds; ++round) {
                mine.lock();
                mine.unlock();
            }
        }));
    for (auto& one : workers) one.get();
    EXPECT_TRUE(wait_until([&] { return user.stats().released == threads * rounds; }));
    EXPECT_EQ(user.stats().lost, 0U);
    expect_idle(user);
    expect_clean(server);
}

} // namespace
} // namespace redlatch::test
