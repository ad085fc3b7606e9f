// Owners that are not threads, and the standard library's guards.
#include "integration/fixture.hpp"
#include "support/both_faces.hpp"

#include <mutex>
#include <thread>

namespace redlatch::test {
namespace {

class owner_test : public with_server {
protected:
    client user{quick(server.uri())};
    reentrant_lock lock = user.get_lock(name);
    void TearDown() override {
        expect_idle(user);
        expect_clean(server);
    }
};

TEST_F(owner_test, a_hold_of_an_explicit_owner_is_released_on_another_thread) {
    owner const job;
    hold mine = lock.acquire({.owner = job});
    EXPECT_TRUE(lock.is_held(job));
    EXPECT_FALSE(lock.is_held());
    std::thread([held = std::move(mine)]() mutable { held.release(); }).join();
    EXPECT_FALSE(lock.is_held(job));
    EXPECT_FALSE(exists(name));
}

TEST_F(owner_test, a_hold_of_a_thread_may_end_on_another_thread_too) {
    hold mine = lock.acquire();
    std::thread([held = std::move(mine)]() mutable { held.release(); }).join();
    EXPECT_FALSE(lock.is_held());
    EXPECT_FALSE(exists(name));
}

TEST_F(owner_test, one_owner_re_enters_from_several_threads) {
    owner const job;
    hold first = lock.acquire({.owner = job});
    hold second = in_thread([&] { return lock.acquire({.wait = 1s, .owner = job}); }).get();
    EXPECT_EQ(lock.hold_count(job), 2);
    EXPECT_EQ(first.owner_id(), second.owner_id());
    first.release();
    EXPECT_TRUE(exists(name));
    second.release();
}

TEST_F(owner_test, two_owners_on_one_thread_exclude_each_other) {
    owner const one;
    owner const two;
    hold const mine = lock.acquire({.owner = one});
    EXPECT_FALSE(lock.try_acquire({.owner = two}));
    EXPECT_FALSE(lock.try_acquire());
}

TEST_F(owner_test, unlock_gives_back_only_what_lock_took) {
    hold mine = lock.acquire();
    lock.lock();
    lock.unlock();
    EXPECT_TRUE(lock.is_held());
    EXPECT_EQ(outcome_of([&] { lock.unlock(); }).reason, errc::not_owner);
    EXPECT_TRUE(mine);
    mine.release();
}

TEST_F(owner_test, guards_of_the_standard_library_work) {
    {
        std::lock_guard const guard(lock);
        EXPECT_TRUE(lock.is_held());
    }
    {
        std::unique_lock guard(lock, 10s);
        EXPECT_TRUE(guard.owns_lock());
        auto const refused = in_thread([&] { return std::unique_lock(lock, 20ms).owns_lock(); }).get();
        EXPECT_FALSE(refused);
    }
    {
        std::unique_lock const guard(lock, std::try_to_lock);
        EXPECT_TRUE(guard.owns_lock());
    }
    {
        std::unique_lock const guard(lock, std::chrono::system_clock::now() + 10s);
        EXPECT_TRUE(guard.owns_lock());
    }
    EXPECT_FALSE(exists(name));
}

TEST_F(owner_test, scoped_lock_takes_several_locks_without_deadlock) {
    auto a = user.get_lock(unique_name());
    auto b = user.get_lock(unique_name());
    auto c = user.get_lock(unique_name());
    int shared = 0;
    auto const work = [&](reentrant_lock first, reentrant_lock second, reentrant_lock third) {
        for (int i = 0; i < 25; ++i) {
            std::scoped_lock const all(first, second, third);
            ++shared; // guarded by the locks only
        }
    };
    std::thread one([&] { work(a, b, c); });
    std::thread two([&] { work(c, b, a); });
    work(b, a, c);
    one.join();
    two.join();
    EXPECT_EQ(shared, 75);
}

TEST_F(owner_test, a_guard_whose_lock_was_lost_meanwhile_does_not_throw) {
    event_log events(user);
    {
        std::lock_guard const guard(lock);
        server.run("DEL", name);
    }
    EXPECT_TRUE(events.wait_for(event::kind::release_failed, name) || events.wait_for(event::kind::hold_lost, name));
    EXPECT_FALSE(lock.is_held());
}

TEST_F(owner_test, the_hold_of_lock_can_be_looked_at) {
    EXPECT_EQ(lock.current_hold().status(), hold_status::none);
    lock.lock();
    auto const view = lock.current_hold();
    EXPECT_EQ(view.status(), hold_status::held);
    EXPECT_EQ(view.lock_name(), name);
    view.ensure_held();
    lock.unlock();
    EXPECT_EQ(view.status(), hold_status::released);
    EXPECT_EQ(outcome_of([&] { view.ensure_held(); }).reason, errc::lease_lost);
}

} // namespace
} // namespace redlatch::test
