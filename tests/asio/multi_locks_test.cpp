// Multi locks with completion tokens.
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

class multi_locks_test : public asio_test {
protected:
    multi_lock both{{user.get_lock(name + "-1"), user.get_lock(name + "-2")}};
};

REDLATCH_FOR_BOTH(multi_locks_test);

TEST_P(multi_locks_test, futures) {
    auto held = async_acquire(both, asio::use_future).get();
    EXPECT_TRUE(held);
    EXPECT_FALSE(async_try_acquire(both, asio::use_future).get());
    EXPECT_EQ(outcome_of([&] {
                  static_cast<void>(async_acquire(both, acquire_options{.wait = 50ms}, asio::use_future).get());
              }).reason,
              errc::timed_out);
    async_release(std::move(held), asio::use_future).get();
    auto again = async_try_acquire(both, asio::use_future).get();
    ASSERT_TRUE(again);
    async_release(*std::move(again), asio::use_future).get();
    EXPECT_FALSE(exists(name + "-1") || exists(name + "-2"));
}

TEST_P(multi_locks_test, are_looked_at_and_forced_open) {
    auto const held = async_acquire(both, asio::use_future).get();
    auto const looks = async_inspect(both, asio::use_future).get();
    ASSERT_EQ(looks.size(), 2U);
    EXPECT_EQ(looks[1].owners.size(), 1U);
    EXPECT_TRUE(async_force_unlock(both, asio::use_future).get());
    EXPECT_FALSE(async_force_unlock(both, asio::use_future).get());
}

TEST_P(multi_locks_test, a_handler_gets_the_code) {
    auto const busy = other.get_lock(name + "-2").acquire();
    std::promise<bool> ended;
    async_try_acquire(both, [&](asio_error code, std::optional<multi_hold> const& held) {
        ended.set_value(equals(code, errc::busy) && !held);
    });
    EXPECT_TRUE(ended.get_future().get());
}

/// The first member's client is run by a context that ends while the other member is waited for.
TEST_P(multi_locks_test, a_context_that_ends_first_destroys_handlers) {
    auto context = std::make_unique<asio::io_context>();
    client ending = make_client(*context, quick(server.uri()));
    auto const busy = other.get_lock(name + "-2").acquire();
    multi_lock const mixed({ending.get_lock(name + "-1"), user.get_lock(name + "-2")});
    auto const alive = std::make_shared<int>(0);
    async_acquire(mixed, [alive](asio_error, multi_hold const&) { ADD_FAILURE() << "called"; });
    ASSERT_TRUE(wait_until([&] {
        context->poll();
        return somebody_waits(name + "-2");
    }));
    context.reset();
    EXPECT_EQ(alive.use_count(), 1) << "the handler is destroyed";
    EXPECT_TRUE(wait_until([&] { return user.stats().waiters == 0; }));
    EXPECT_FALSE(exists(name + "-1"));
}

TEST_P(multi_locks_test, a_blocking_wait_ends_where_no_thread_runs_the_context) {
    asio::io_context context;
    client standing = make_client(context, quick(server.uri()));
    multi_lock mixed({user.get_lock(name + "-1"), standing.get_lock(name + "-2")});
    auto waiting = std::async(std::launch::async, [&] {
        return outcome_of([&] { static_cast<void>(mixed.acquire({.wait = 100ms})); }).reason;
    });
    bool const ended = wait_until([&] { return is_ready(waiting); }, 5s);
    EXPECT_TRUE(ended);
    if (!ended) standing.close();
    EXPECT_NE(waiting.get(), errc{});
    EXPECT_TRUE(wait_until([&] { return !exists(name + "-1"); }));
}

TEST_P(multi_locks_test, a_blocking_wait_is_cancelled_where_no_thread_runs_the_context) {
    asio::io_context context;
    client standing = make_client(context, quick(server.uri()));
    multi_lock mixed({user.get_lock(name + "-1"), standing.get_lock(name + "-2")});
    std::stop_source stop;
    auto waiting = std::async(std::launch::async, [&] {
        return outcome_of([&] { static_cast<void>(mixed.acquire({.stop = stop.get_token()})); }).reason;
    });
    ASSERT_TRUE(wait_until([&] { return exists(name + "-1"); }));
    stop.request_stop();
    bool const ended = wait_until([&] { return is_ready(waiting); }, 5s);
    EXPECT_TRUE(ended);
    if (!ended) standing.close();
    EXPECT_EQ(waiting.get(), errc::cancelled);
    EXPECT_TRUE(wait_until([&] { return !exists(name + "-1"); }));
}

#ifdef REDLATCH_TEST_COROUTINES

using namespace asio::experimental::awaitable_operators;

asio::awaitable<std::size_t> acquire_or_time_out(multi_lock both, std::chrono::milliseconds limit) {
    asio::steady_timer timer(co_await asio::this_coro::executor, limit);
    auto const first = co_await (async_acquire(both, asio::as_tuple(asio::use_awaitable))
                                 || timer.async_wait(asio::as_tuple(asio::use_awaitable)));
    co_return first.index();
}

TEST_P(multi_locks_test, a_wait_that_loses_against_a_timer_leaves_nothing) {
    auto busy = other.get_lock(name + "-2").acquire();
    EXPECT_EQ(asio::co_spawn(loop.context, acquire_or_time_out(both, 50ms), asio::use_future).get(), 1U);
    EXPECT_TRUE(wait_until([&] { return !exists(name + "-1"); }));
    busy.release();
    EXPECT_EQ(asio::co_spawn(loop.context, acquire_or_time_out(both, 20s), asio::use_future).get(), 0U);
}

#endif

} // namespace
} // namespace redlatch::test
