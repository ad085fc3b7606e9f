// Semaphores and latches with completion tokens.
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

class counters_test : public asio_test {
protected:
    semaphore permits = user.get_semaphore(name + "-permits");
    count_down_latch gate = user.get_count_down_latch(name + "-gate");
};

REDLATCH_FOR_BOTH(counters_test);

TEST_P(counters_test, futures) {
    EXPECT_TRUE(async_try_set_permits(permits, 3, std::nullopt, asio::use_future).get());
    async_acquire(permits, asio::use_future).get();
    async_acquire(permits, permit_options{.permits = 2}, asio::use_future).get();
    EXPECT_FALSE(async_try_acquire(permits, asio::use_future).get());
    EXPECT_EQ(outcome_of([&] { async_acquire(permits, permit_options{.wait = 1s}, asio::use_future).get(); }).reason,
              errc::timed_out);
    async_release(permits, 2, asio::use_future).get();
    EXPECT_TRUE(async_release_if_exists(permits, 1, asio::use_future).get());
    async_add_permits(permits, -1, asio::use_future).get();
    EXPECT_EQ(async_available_permits(permits, asio::use_future).get(), 2);
    EXPECT_EQ(async_drain_permits(permits, asio::use_future).get(), 2);
    EXPECT_TRUE(async_remove(permits, asio::use_future).get());

    EXPECT_TRUE(async_try_set_count(gate, 1, asio::use_future).get());
    EXPECT_EQ(async_count(gate, asio::use_future).get(), 1);
    auto waited = async_wait(gate, asio::use_future);
    EXPECT_TRUE(async_count_down(gate, asio::use_future).get());
    waited.get();
    async_wait(gate, wait_options{.wait = 1s}, asio::use_future).get();
    EXPECT_FALSE(async_remove(gate, asio::use_future).get());
}

#ifdef REDLATCH_TEST_COROUTINES

using namespace asio::experimental::awaitable_operators;

asio::awaitable<std::size_t> wait_or_time_out(semaphore permits, std::chrono::milliseconds limit) {
    asio::steady_timer timer(co_await asio::this_coro::executor, limit);
    auto const first = co_await (async_acquire(permits, asio::as_tuple(asio::use_awaitable))
                                 || timer.async_wait(asio::as_tuple(asio::use_awaitable)));
    co_return first.index();
}

TEST_P(counters_test, a_wait_that_loses_against_a_timer_takes_nothing) {
    permits.try_set_permits(0);
    EXPECT_EQ(asio::co_spawn(loop.context, wait_or_time_out(permits, 50ms), asio::use_future).get(), 1U);
    permits.release();
    EXPECT_EQ(permits.available_permits(), 1);
    EXPECT_EQ(asio::co_spawn(loop.context, wait_or_time_out(permits, 20s), asio::use_future).get(), 0U);
    EXPECT_EQ(permits.available_permits(), 0);
    permits.remove();
}

#endif

} // namespace
} // namespace redlatch::test
