// async_wait_lost: the end of a hold as an operation.
#include "asio/asio_fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <thread>

#ifdef REDLATCH_TEST_COROUTINES
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#endif

namespace redlatch::test {
namespace {

class wait_lost_test : public asio_test {
protected:
    hold held = async_acquire(lock, asio::use_future).get();

    /// A wait whose slot is used on the context only, as Asio demands.
    std::future<asio_error> wait_on_context() {
        auto promise = std::make_shared<std::promise<asio_error>>();
        asio::post(loop.context, [this, promise] {
            async_wait_lost(held, asio::bind_cancellation_slot(
                                      signal.slot(), asio::bind_executor(loop.context, [promise](asio_error code) {
                                          promise->set_value(code);
                                      })));
        });
        return promise->get_future();
    }
    void cancel() {
        asio::post(loop.context, [this] { signal.emit(asio::cancellation_type::terminal); });
    }
    static bool ends(std::future<asio_error> const& wait) { return wait.wait_for(20s) == std::future_status::ready; }

    void TearDown() override {
        held = hold();
        asio_test::TearDown();
    }

    asio::cancellation_signal signal;
};

TEST_P(wait_lost_test, ends_when_the_lock_is_taken_away) {
    auto loss = wait_on_context();
    EXPECT_TRUE(stays([&] { return loss.wait_for(0s) != std::future_status::ready; }, 100ms));
    EXPECT_TRUE(theirs.force_unlock());
    ASSERT_TRUE(ends(loss));
    EXPECT_FALSE(loss.get()) << "that is what was waited for";
    EXPECT_EQ(held.status(), hold_status::lost);
}

TEST_P(wait_lost_test, ends_at_once_where_it_is_lost_already) {
    theirs.force_unlock();
    ASSERT_TRUE(wait_until([&] { return held.status() == hold_status::lost; }));
    EXPECT_NO_THROW(async_wait_lost(held, asio::use_future).get());
    bool within = true;
    std::promise<bool> told;
    async_wait_lost(held, asio::bind_executor(loop.context, [&](asio_error code) { told.set_value(!code); }));
    within = false;
    EXPECT_TRUE(told.get_future().get());
    EXPECT_FALSE(within);
}

TEST_P(wait_lost_test, says_that_nothing_is_held) {
    held.release();
    auto const released = outcome_of([&] { async_wait_lost(held, asio::use_future).get(); });
    EXPECT_EQ(released.reason, errc::not_owner);
    EXPECT_NE(released.message.find("nothing is held"), std::string::npos) << released.message;
    EXPECT_EQ(outcome_of([&] { async_wait_lost(hold(), asio::use_future).get(); }).reason, errc::not_owner);
    EXPECT_EQ(outcome_of([&] { async_wait_lost(multi_hold(), asio::use_future).get(); }).reason, errc::not_owner);
    EXPECT_EQ(outcome_of([&] { async_wait_lost(permits(), asio::use_future).get(); }).reason, errc::not_owner);
}

TEST_P(wait_lost_test, is_cancelled_also_when_the_hold_is_gone) {
    auto loss = wait_on_context();
    cancel();
    ASSERT_TRUE(ends(loss));
    EXPECT_TRUE(equals(loss.get(), errc::cancelled));
    loss = wait_on_context();
    std::promise<void> begun;
    asio::post(loop.context, [&] { begun.set_value(); });
    begun.get_future().get();
    held = hold();
    EXPECT_TRUE(stays([&] { return loss.wait_for(0s) != std::future_status::ready; }, 50ms)) << "a release is no loss";
    cancel();
    ASSERT_TRUE(ends(loss));
    EXPECT_TRUE(equals(loss.get(), errc::cancelled));
}

TEST_P(wait_lost_test, ends_once_whatever_comes_first) {
    for (int round = 0; round < 50; ++round) {
        if (held.status() != hold_status::held) held = async_acquire(lock, asio::use_future).get();
        auto loss = wait_on_context();
        std::jthread const other_thread([&] { user.get_lock(name).force_unlock(); });
        cancel();
        ASSERT_TRUE(ends(loss)); // a second call of the handler would throw in set_value
        auto const code = loss.get();
        EXPECT_TRUE(!code || equals(code, errc::cancelled)) << code;
    }
}

TEST_P(wait_lost_test, of_several_locks_and_of_permits) {
    multi_lock pair{{user.get_lock(name + "-1"), user.get_lock(name + "-2")}};
    multi_hold both = async_acquire(pair, asio::use_future).get();
    auto of_both = async_wait_lost(both, asio::use_future);
    EXPECT_TRUE(other.get_lock(name + "-2").force_unlock());
    EXPECT_NO_THROW(of_both.get());
    std::promise<asio_error> released;
    async_release(std::move(both), [&](asio_error code) { released.set_value(code); });
    EXPECT_TRUE(equals(released.get_future().get(), errc::lease_lost));

    auto pool = user.get_permit_semaphore(name + "-pool");
    async_set_permits(pool, 1, asio::use_future).get();
    permits one = async_acquire(pool, leased_permit_options{.lease = 3s, .renewed = true}, asio::use_future).get();
    auto of_permits = async_wait_lost(one, asio::use_future);
    other.get_permit_semaphore(name + "-pool").release(one.ids().front());
    EXPECT_NO_THROW(of_permits.get());
    async_remove(pool, asio::use_future).get();
    one = permits(); // lost ones are given back in the background, which leaves a record for a minute
    EXPECT_TRUE(wait_until([&] { return user.stats().unresolved == 0; }));
    for (auto const& left : server.run("KEYS", "redlatch_request:*").items) {
        EXPECT_LE(pttl(server, left.text), 60'000);
        server.run("DEL", left.text);
    }
}

TEST_P(wait_lost_test, runs_a_handler_without_an_executor_where_the_client_does) {
    std::promise<std::pair<asio_error, std::thread::id>> told;
    async_wait_lost(held, [&](asio_error code) { told.set_value({code, std::this_thread::get_id()}); });
    theirs.force_unlock();
    auto const [code, where] = told.get_future().get();
    EXPECT_FALSE(code);
    EXPECT_NE(where, std::this_thread::get_id());

    held = async_acquire(lock, asio::use_future).get();
    std::promise<asio_error> cancelled;
    async_wait_lost(held,
                    asio::bind_cancellation_slot(signal.slot(), [&](asio_error how) { cancelled.set_value(how); }));
    signal.emit(asio::cancellation_type::terminal);
    EXPECT_TRUE(equals(cancelled.get_future().get(), errc::cancelled));
}

TEST_P(wait_lost_test, ends_with_the_client) {
    auto loss = wait_on_context();
    std::promise<void> begun;
    asio::post(loop.context, [&] { begun.set_value(); });
    begun.get_future().get();
    closed = true;
    user.close();
    ASSERT_TRUE(ends(loss));
    EXPECT_FALSE(loss.get());
}

TEST_P(wait_lost_test, is_destroyed_with_the_context_of_its_handler) {
    auto const owned = std::make_shared<int>(1);
    {
        asio::io_context context;
        async_wait_lost(held, asio::bind_executor(context, [owned](asio_error) { ADD_FAILURE() << "was called"; }));
        context.poll();
        EXPECT_EQ(owned.use_count(), 2);
    }
    EXPECT_EQ(owned.use_count(), 1);
    theirs.force_unlock();
    EXPECT_NO_THROW(async_wait_lost(held, asio::use_future).get()) << "and nobody is told of it any more";
}

#ifdef REDLATCH_TEST_COROUTINES

using namespace asio::experimental::awaitable_operators;

asio::awaitable<std::size_t> work_until_lost(hold const& held, std::chrono::milliseconds amount) {
    asio::steady_timer work(co_await asio::this_coro::executor, amount);
    auto working = work.async_wait(asio::use_awaitable);
    auto losing = async_wait_lost(held, asio::use_awaitable);
    auto either = std::move(working) || std::move(losing);
    auto const first = co_await std::move(either);
    co_return first.index();
}

TEST_P(wait_lost_test, ends_work_in_a_coroutine_and_is_ended_by_it) {
    EXPECT_EQ(asio::co_spawn(loop.context, work_until_lost(held, 10ms), asio::use_future).get(), 0U);
    auto working = asio::co_spawn(loop.context, work_until_lost(held, 60s), asio::use_future);
    theirs.force_unlock();
    EXPECT_EQ(working.get(), 1U);
    held = async_acquire(lock, asio::use_future).get();
    held.release();
    EXPECT_EQ(asio::co_spawn(loop.context, work_until_lost(held, 10ms), asio::use_future).get(), 0U)
        << "there is nothing to be lost, and the work goes on";
}

#endif

REDLATCH_FOR_BOTH(wait_lost_test);

} // namespace
} // namespace redlatch::test
