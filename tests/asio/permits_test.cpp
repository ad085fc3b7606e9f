// Permit semaphores with completion tokens.
#include "asio/asio_fixture.hpp"

#include <boost/asio/use_future.hpp>

#ifdef REDLATCH_TEST_COROUTINES
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#endif

namespace redlatch::test {
namespace {

class permits_test : public asio_test {
protected:
    permit_semaphore pool = user.get_permit_semaphore(name + "-pool");
    void TearDown() override {
        pool.remove();
        for (auto const& left : server.run("KEYS", "redlatch_request:*").items)
            server.run("DEL", left.text); // for a minute
        asio_test::TearDown();
    }
};

REDLATCH_FOR_BOTH(permits_test);

TEST_P(permits_test, futures) {
    EXPECT_TRUE(async_try_set_permits(pool, 1, std::nullopt, asio::use_future).get());
    async_set_permits(pool, 3, asio::use_future).get();
    permits one = async_acquire(pool, asio::use_future).get();
    permits two = async_acquire(pool, leased_permit_options{.permits = 2, .lease = 60s}, asio::use_future).get();
    ASSERT_EQ(two.ids().size(), 2U);
    EXPECT_FALSE(async_try_acquire(pool, asio::use_future).get());
    EXPECT_EQ(outcome_of([&] {
                  (void)async_acquire(pool, leased_permit_options{.wait = 1s}, asio::use_future).get();
              }).reason,
              errc::timed_out);
    EXPECT_EQ(async_get_permits(pool, asio::use_future).get(), 3);
    EXPECT_EQ(async_acquired_permits(pool, asio::use_future).get(), 3);
    EXPECT_EQ(async_inspect(pool, asio::use_future).get().leases.size(), 3U);
    auto const id = one.ids().front();
    EXPECT_TRUE(async_update_lease(pool, id, 100s, asio::use_future).get());
    EXPECT_GT(async_lease_of(pool, id, asio::use_future).get().value_or(0ms), 90s);
    async_release(std::move(one), asio::use_future).get();
    EXPECT_EQ(outcome_of([&] { async_release(pool, {id}, asio::use_future).get(); }).reason, errc::not_owner);
    EXPECT_FALSE(async_try_release(pool, {id}, asio::use_future).get()) << "no is an answer";
    EXPECT_EQ(outcome_of([&] { async_try_release(pool, {"x"}, asio::use_future).get(); }).reason,
              errc::invalid_argument);
    auto const ids = two.detach();
    EXPECT_FALSE(async_try_release(pool, {ids[0], id}, asio::use_future).get()) << "all or none";
    EXPECT_TRUE(async_try_release(pool, {ids[0]}, asio::use_future).get());
    async_release(pool, {ids[1]}, asio::use_future).get();
    async_add_permits(pool, -1, asio::use_future).get();
    EXPECT_EQ(async_available_permits(pool, asio::use_future).get(), 2);
    EXPECT_TRUE(async_try_acquire(pool, asio::use_future).get());
    EXPECT_EQ(pool.available_permits(), 2) << "what a future leaves behind is given back";
    EXPECT_TRUE(async_remove(pool, asio::use_future).get());
}

#ifdef REDLATCH_TEST_COROUTINES

using namespace asio::experimental::awaitable_operators;

asio::awaitable<std::size_t> permit_or_time_out(permit_semaphore from, std::chrono::milliseconds limit) {
    asio::steady_timer timer(co_await asio::this_coro::executor, limit);
    auto const first = co_await (async_acquire(from, asio::as_tuple(asio::use_awaitable))
                                 || timer.async_wait(asio::as_tuple(asio::use_awaitable)));
    co_return first.index();
}

TEST_P(permits_test, a_wait_that_loses_against_a_timer_takes_nothing) {
    pool.try_set_permits(0);
    EXPECT_EQ(asio::co_spawn(loop.context, permit_or_time_out(pool, 50ms), asio::use_future).get(), 1U);
    pool.add_permits(1);
    EXPECT_EQ(pool.available_permits(), 1);
    EXPECT_EQ(asio::co_spawn(loop.context, permit_or_time_out(pool, 20s), asio::use_future).get(), 0U);
    EXPECT_TRUE(wait_until([&] { return pool.available_permits() == 1; })) << "it was released with the coroutine";
}

#endif

} // namespace
} // namespace redlatch::test
