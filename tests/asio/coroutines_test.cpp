// Coroutines: errors as exceptions, races against timers, ten thousand holders on one thread.
//
// g++ 12 destroys temporaries in operands of co_await twice: every operand here has a name.
#include "asio/asio_fixture.hpp"

#ifdef REDLATCH_TEST_COROUTINES

#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>
#include <set>

namespace redlatch::test {
namespace {

using namespace asio::experimental::awaitable_operators;
using asio::awaitable;
using asio::use_awaitable;

class coroutines_test : public asio_test {
protected:
    /// Runs a coroutine on the context, and waits for its end; throws what it throws.
    template <class Coroutine> auto run(Coroutine what) {
        return asio::co_spawn(loop.context, std::move(what), asio::use_future).get();
    }
};

awaitable<bool> every_function(reentrant_lock lock, client user) {
    hold held = co_await async_acquire(lock, use_awaitable);
    bool good = static_cast<bool>(held) && co_await async_is_locked(lock, use_awaitable);
    good = good && (co_await async_remaining_lease(lock, use_awaitable)).has_value();
    lock_info const seen = co_await async_inspect(lock, use_awaitable);
    good = good && seen.owners.size() == 1;
    good = good && (co_await async_list_locks(user, "*", use_awaitable)).size() == 1;
    std::optional<hold> const second = co_await async_try_acquire(lock, use_awaitable);
    good = good && !second;
    co_await async_release(std::move(held), use_awaitable);
    bool const forced = co_await async_force_unlock(lock, use_awaitable);
    server_info const server = co_await async_ping(user, use_awaitable);
    server_setup const all = co_await async_inspect_servers(user, use_awaitable);
    co_return good && !forced && !server.version.empty() && all.servers.front().version == server.version;
}

TEST_P(coroutines_test, every_function_can_be_awaited) {
    EXPECT_TRUE(run(every_function(lock, user)));
}

awaitable<hold> acquire(reentrant_lock lock, acquire_options options) {
    co_return co_await async_acquire(lock, options, use_awaitable);
}

TEST_P(coroutines_test, errors_are_thrown_with_the_full_message) {
    hold const held = theirs.acquire();
    auto const late = outcome_of([&] { (void)run(acquire(lock, {.wait = 1s})); });
    EXPECT_EQ(late.reason, errc::timed_out);
    EXPECT_NE(late.message.find(name), std::string::npos) << late.message;
    EXPECT_EQ(outcome_of([&] { (void)run(acquire(lock, {.lease = -1ms})); }).reason, errc::invalid_argument);
}

awaitable<std::string> codes(reentrant_lock lock) {
    acquire_options const patient{.wait = 1s};
    auto const with_tuple = asio::as_tuple(use_awaitable);
    auto const [code, nothing] = co_await async_acquire(lock, patient, with_tuple);
    asio_error beside;
    auto with_code = asio::redirect_error(use_awaitable, beside);
    hold const empty = co_await async_acquire(lock, patient, with_code);
    std::string thrown = "nothing";
    try {
        hold const none = co_await async_acquire(lock, patient, asio::deferred);
    } catch (boost::system::system_error const& problem) {
        thrown = equals(problem.code(), errc::timed_out) ? "timed_out" : problem.what();
    }
    co_return code.message() + (nothing || empty ? "; a hold" : "") + "; " + beside.message() + "; " + thrown;
}

TEST_P(coroutines_test, errors_are_codes_for_whoever_wants_them) {
    hold const held = theirs.acquire();
    auto const message = make_error_code(errc::timed_out).message();
    EXPECT_EQ(run(codes(lock)), message + "; " + message + "; timed_out");
}

/// 0: the lock, 1: the timer.
awaitable<std::size_t> race(reentrant_lock lock, std::chrono::milliseconds patience) {
    asio::steady_timer timer(co_await asio::this_coro::executor, patience);
    auto first = async_acquire(lock, use_awaitable);
    auto second = timer.async_wait(use_awaitable);
    auto both = std::move(first) || std::move(second);
    std::variant<hold, std::monostate> const won = co_await std::move(both);
    co_return won.index();
}

TEST_P(coroutines_test, a_race_that_the_timer_wins_leaves_nothing_behind) {
    hold held = theirs.acquire();
    EXPECT_EQ(run(race(lock, 50ms)), 1U);
    EXPECT_TRUE(wait_until([&] { return user.stats().waiters == 0; }));
    held.release();
    EXPECT_TRUE(wait_until([&] { return !exists(name); })) << "nobody waits for it any more";
}

TEST_P(coroutines_test, a_race_that_the_lock_wins_cancels_the_timer) {
    auto const start = test_clock::now();
    EXPECT_EQ(run(race(lock, 60s)), 0U);
    EXPECT_LT(since(start), 10s);
}

TEST_P(coroutines_test, a_race_with_the_call_in_flight_leaves_nothing_behind) {
    lock.acquire().release();
    server.pause();
    EXPECT_EQ(run(race(lock, 50ms)), 1U);
    server.resume();
    EXPECT_TRUE(wait_until([&] { return user.stats().unresolved == 0; }));
    EXPECT_FALSE(exists(name));
}

TEST_P(coroutines_test, many_races_leave_nothing_behind) {
    constexpr int many = 200;
    std::atomic<int> ended{0};
    for (int i = 0; i < many; ++i)
        asio::co_spawn(loop.context, race(lock, std::chrono::milliseconds(1 + i % 7)),
                       [&](std::exception_ptr problem, std::size_t) {
                           EXPECT_FALSE(problem);
                           ++ended;
                       });
    EXPECT_TRUE(wait_until([&] { return ended == many; }));
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
}

struct counts {
    int now = 0;
    int most = 0;
    std::set<std::thread::id> threads{};
};

awaitable<void> hold_one(reentrant_lock lock, counts& seen, asio::steady_timer& until) {
    hold const held = co_await async_acquire(lock, use_awaitable);
    seen.most = std::max(seen.most, ++seen.now);
    seen.threads.insert(std::this_thread::get_id());
    auto const quietly = asio::as_tuple(use_awaitable);
    co_await until.async_wait(quietly);
    if (held) --seen.now;
}

TEST_P(coroutines_test, ten_thousand_holders_on_one_thread) {
    constexpr int many = 10'000;
    counts seen;
    asio::steady_timer until(loop.context, asio::steady_timer::time_point::max());
    std::atomic<int> failed{0};
    std::atomic<int> ended{0};
    asio::post(loop.context, [&] {
        for (int i = 0; i < many; ++i)
            asio::co_spawn(loop.context, hold_one(user.get_lock("many-" + std::to_string(i)), seen, until),
                           [&](std::exception_ptr problem) {
                               if (problem) ++failed;
                               ++ended;
                           });
    });
    EXPECT_TRUE(wait_until([&] { return user.stats().holds == many || failed > 0; }, 60s));
    EXPECT_EQ(server.run("DBSIZE").integer, many);
    // Whoever has been told only now, or not yet, does not wait any more either.
    asio::post(loop.context, [&] { until.expires_at(asio::steady_timer::time_point::min()); });
    EXPECT_TRUE(wait_until([&] { return ended == many; }, 60s));
    EXPECT_TRUE(wait_until([&] { return server.run("DBSIZE").integer == 0; }, 60s)) << "nobody waited for the releases";
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(seen.most, many);
    EXPECT_EQ(seen.now, 0) << "each was held until its end";
    EXPECT_EQ(seen.threads.size(), 1U);
}

awaitable<void> hold_and_pass_on(reentrant_lock lock, int& inside, std::atomic<int>& overlaps) {
    acquire_options const patient{.wait = 60s};
    hold held = co_await async_acquire(lock, patient, use_awaitable);
    if (++inside != 1) ++overlaps;
    co_await asio::post(use_awaitable); // it may go on on another thread
    if (--inside != 0) ++overlaps;
    co_await async_release(std::move(held), use_awaitable);
}

TEST_P(coroutines_test, coroutines_on_many_threads_exclude_each_other) {
    constexpr int many = 300;
    running_context wide(4);
    int inside = 0; // guarded by the lock
    std::atomic<int> overlaps{0};
    std::atomic<int> ended{0};
    for (int i = 0; i < many; ++i)
        asio::co_spawn(wide.context, hold_and_pass_on(lock, inside, overlaps), [&](std::exception_ptr problem) {
            EXPECT_FALSE(problem);
            ++ended;
        });
    EXPECT_TRUE(wait_until([&] { return ended == many; }, 60s));
    EXPECT_EQ(overlaps, 0);
}

awaitable<errc> hold_until_lost(reentrant_lock lock, std::promise<void>& holding) {
    hold held = co_await async_acquire(lock, use_awaitable);
    asio::steady_timer loss(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
    std::stop_callback const on_loss(held.lost(),
                                     [&loss] { asio::post(loss.get_executor(), [&loss] { loss.cancel(); }); });
    holding.set_value();
    auto const quietly = asio::as_tuple(use_awaitable);
    co_await loss.async_wait(quietly);
    auto const with_tuple = asio::as_tuple(use_awaitable);
    auto const [code] = co_await async_release(std::move(held), with_tuple);
    co_return static_cast<errc>(std::error_code(code).value());
}

TEST_P(coroutines_test, a_loss_is_told) {
    config settings = quick(server.uri());
    settings.lock_watchdog_timeout = 3s;
    client renewing = GetParam() == run_by::context ? make_client(loop.context, settings) : client(settings);
    std::promise<void> holding;
    auto ended = asio::co_spawn(loop.context, hold_until_lost(renewing.get_lock(name), holding), asio::use_future);
    holding.get_future().get();
    EXPECT_TRUE(theirs.force_unlock());
    EXPECT_EQ(ended.get(), errc::lease_lost);
    renewing.close();
}

REDLATCH_FOR_BOTH(coroutines_test);

} // namespace
} // namespace redlatch::test

#endif
