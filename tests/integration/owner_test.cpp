// Owners that are not threads, and the standard library's guards.
#include "integration/fixture.hpp"
#include "support/both_faces.hpp"

#include <redlatch/completion.hpp>
#include <redlatch/multi_lock.hpp>

#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

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

TEST_F(owner_test, a_release_that_waits_no_longer_for_another_call_of_its_owner_leaves_that_one_its_turn) {
    client impatient({.address = server.uri(), .timeout = 50ms});
    auto shared = impatient.get_lock(name);
    owner const job;
    auto outer = shared.acquire({.owner = job});
    auto inner = shared.acquire({.owner = job});
    server.pause();
    std::promise<std::error_code> entered;
    hold third;
    shared.async_acquire({.owner = job}, {}, [&](std::error_code ec, hold got) { // it waits for the server
        third = std::move(got);
        entered.set_value(ec);
    });
    std::error_code ec;
    auto const is_busy = [&] { return !shared.try_acquire({.owner = job}, ec) && ec == errc::busy; };
    ASSERT_TRUE(wait_until(is_busy));
    inner.release(ec); // it waits until its own time is over
    EXPECT_TRUE(is_busy()) << ec.message();
    server.resume();
    EXPECT_FALSE(entered.get_future().get());
    EXPECT_EQ(shared.hold_count(job), 2);
    third.release();
    outer.release();
    expect_idle(impatient);
}

TEST_F(owner_test, who_enters_again_while_the_server_is_silent_does_not_hear_that_somebody_else_holds_the_lock) {
    client impatient({.address = server.uri(), .timeout = 50ms});
    auto shared = impatient.get_lock(name);
    auto mine = shared.acquire();
    server.pause();
    // For a moment it is not known to be silent: it may be about to answer.
    EXPECT_TRUE(
        wait_until([&] { return outcome_of([&] { (void)shared.try_acquire(); }).reason == errc::disconnected; }));
    EXPECT_TRUE(wait_until(
        [&] { return outcome_of([&] { (void)shared.acquire({.wait = 50ms}); }).reason == errc::disconnected; }));
    server.resume();
    mine.release();
    expect_idle(impatient);
}

TEST_F(owner_test, two_owners_on_one_thread_exclude_each_other) {
    owner const one;
    owner const two;
    hold const mine = lock.acquire({.owner = one});
    EXPECT_FALSE(lock.try_acquire({.owner = two}));
    EXPECT_FALSE(lock.try_acquire());
}

TEST_F(owner_test, options_that_are_kept_mean_the_thread_that_calls) {
    acquire_options const kept{.wait = 0ms};
    redlatch::client& plain = user;
    auto one = plain.get_lock(name);
    auto const mine = one.acquire(kept);
    EXPECT_TRUE(one.is_held());
    EXPECT_FALSE(in_thread([&] { return one.try_acquire(kept); }).get()) << "another thread is another owner";
    EXPECT_TRUE(one.try_acquire(kept)) << "this one enters again";
    redlatch::multi_lock both({plain.get_lock(name + ":1"), plain.get_lock(name + ":2")});
    auto const held = both.acquire(kept);
    EXPECT_FALSE(in_thread([&] { return both.try_acquire(kept); }).get());
    EXPECT_TRUE(both.try_acquire(kept));
}

/// Takes what an operation that was started brings.
template <class Held> class brings final : public completion<Held> {
public:
    brings(std::shared_ptr<std::promise<std::error_code>> told, Held& into) : told_(std::move(told)), into_(into) {}
    void complete(redlatch::outcome const& end, Held got) noexcept override {
        into_ = std::move(got);
        told_->set_value(end.code());
        delete this;
    }
    void discard() noexcept override { delete this; }

private:
    std::shared_ptr<std::promise<std::error_code>> told_;
    Held& into_;
};

TEST_F(owner_test, operations_that_are_started_have_an_owner_each) {
    redlatch::client& plain = user;
    auto one = plain.get_lock(name);
    redlatch::multi_lock both({plain.get_lock(name + ":1"), plain.get_lock(name + ":2")});
    auto const code_of = [&](auto& asked, auto& into, acquire_options const& options) {
        auto const told = std::make_shared<std::promise<std::error_code>>();
        auto end = told->get_future();
        completion_ptr<std::decay_t<decltype(into)>> done(new brings<std::decay_t<decltype(into)>>(told, into));
        EXPECT_FALSE(asked.start_try_acquire(options, done));
        return end.get();
    };
    auto const mine = one.acquire();
    redlatch::hold entered;
    EXPECT_EQ(code_of(one, entered, {}), errc::busy) << "it does not enter the hold of this thread again";
    EXPECT_EQ(code_of(one, entered, {.owner = owner::this_thread()}), std::error_code()) << "this one was named";
    redlatch::multi_hold first;
    redlatch::multi_hold second;
    EXPECT_EQ(code_of(both, first, {}), std::error_code());
    EXPECT_EQ(code_of(both, second, {}), errc::busy);
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
