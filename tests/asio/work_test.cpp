// Coroutines that end when what they need is lost.
//
// g++ 12 destroys temporaries in operands of co_await twice: every operand here has a name.
#include "asio/asio_fixture.hpp"

#ifdef REDLATCH_TEST_COROUTINES

#include <redlatch/asio_work.hpp>

#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_future.hpp>

namespace redlatch::test {
namespace {

using asio::awaitable;
using asio::use_awaitable;

struct out_of_paper {};

class work_test : public asio_test {
protected:
    leader_election ann = user.get_leader_election(name, {.candidate = "ann"});
    std::atomic<int> begun{0};
    std::atomic<int> cancelled{0};

    void TearDown() override {
        server.run("DEL", "redisson_lock_token:{" + name + "}"); // it outlives the terms
        asio_test::TearDown();
    }

    /// Runs a coroutine on the context.
    template <class Coroutine> auto start(Coroutine what) {
        return asio::co_spawn(loop.context, std::move(what), asio::use_future);
    }

    awaitable<void> pause(std::chrono::milliseconds amount) {
        ++begun;
        asio::steady_timer timer(co_await asio::this_coro::executor, amount);
        asio_error ended;
        auto token = asio::redirect_error(use_awaitable, ended);
        auto waiting = timer.async_wait(token);
        co_await std::move(waiting);
        if (ended) ++cancelled;
    }
    awaitable<void> fail() {
        auto a_moment = pause(1ms);
        co_await std::move(a_moment);
        throw out_of_paper();
    }
    awaitable<void> resign(leadership& term) {
        auto a_moment = pause(1ms);
        co_await std::move(a_moment);
        term.resign_detached();
    }
    awaitable<void> many_steps() {
        for (;;) {
            auto a_moment = pause(0ms);
            co_await std::move(a_moment);
        }
    }
    awaitable<void> keep(std::shared_ptr<int> owned) {
        auto long_time = pause(600s);
        co_await std::move(long_time);
        EXPECT_EQ(*owned, 7);
    }
    awaitable<void> hold_and_fail() {
        auto acquiring = async_acquire(lock, use_awaitable);
        hold held = co_await std::move(acquiring);
        auto work = fail();
        auto whole = run_while_held(held, std::move(work));
        co_await std::move(whole);
    }
};

REDLATCH_FOR_BOTH(work_test);

TEST_P(work_test, ends_by_itself) {
    hold held = lock.acquire();
    start(run_while_held(held, pause(1ms))).get();
    EXPECT_EQ(begun, 1);
    EXPECT_EQ(cancelled, 0);
    EXPECT_TRUE(held);
    held.release();
}

TEST_P(work_test, is_cancelled_when_the_lock_is_lost) {
    hold held = lock.acquire();
    auto working = start(run_while_held(held, pause(600s)));
    ASSERT_TRUE(wait_until([&] { return begun == 1; }));
    theirs.force_unlock();
    EXPECT_EQ(outcome_of([&] { working.get(); }).reason, errc::lease_lost);
    EXPECT_EQ(cancelled, 1);
}

TEST_P(work_test, that_fails_ends_at_once_with_what_it_throws) {
    hold held = lock.acquire();
    EXPECT_THROW(start(run_while_held(held, fail())).get(), out_of_paper);
    EXPECT_TRUE(held) << "nothing is released";
    held.release();
    EXPECT_THROW(start(hold_and_fail()).get(), out_of_paper);
    EXPECT_TRUE(wait_until([&] { return server.run("EXISTS", name).integer == 0; }));
}

TEST_P(work_test, of_many_steps_is_cancelled_between_two_of_them) {
    hold held = lock.acquire();
    auto working = start(run_while_held(held, many_steps()));
    ASSERT_TRUE(wait_until([&] { return begun > 3; }));
    theirs.force_unlock();
    EXPECT_EQ(outcome_of([&] { working.get(); }).reason, errc::lease_lost);
}

TEST_P(work_test, is_destroyed_with_its_context) {
    auto owned = std::make_shared<int>(7);
    std::weak_ptr<int> const left = owned;
    hold held = lock.acquire();
    {
        asio::io_context context;
        auto whole = run_while_held(held, keep(std::move(owned)));
        asio::co_spawn(context, std::move(whole), asio::detached);
        context.poll();
        EXPECT_FALSE(left.expired());
    }
    EXPECT_TRUE(left.expired());
    theirs.force_unlock();
    EXPECT_NO_THROW(async_wait_lost(held, asio::use_future).get()) << "and nobody is told of it any more";
}

TEST_P(work_test, is_not_begun_for_what_is_not_held) {
    hold held = lock.acquire();
    held.release();
    EXPECT_EQ(outcome_of([&] { start(run_while_held(held, pause(600s))).get(); }).reason, errc::not_owner);
    EXPECT_EQ(outcome_of([&] { start(run_while_held(hold(), pause(600s))).get(); }).reason, errc::not_owner);
    held = lock.acquire();
    theirs.force_unlock();
    ASSERT_TRUE(wait_until([&] { return held.status() == hold_status::lost; }));
    EXPECT_EQ(outcome_of([&] { start(run_while_held(held, pause(600s))).get(); }).reason, errc::lease_lost);
    EXPECT_EQ(begun, 0);
}

TEST_P(work_test, is_cancelled_from_outside) {
    hold held = lock.acquire();
    asio::cancellation_signal stop;
    auto working = asio::co_spawn(loop.context, run_while_held(held, pause(600s)),
                                  asio::bind_cancellation_slot(stop.slot(), asio::use_future));
    ASSERT_TRUE(wait_until([&] { return begun == 1; }));
    asio::post(loop.context, [&] { stop.emit(asio::cancellation_type::terminal); });
    EXPECT_NO_THROW(working.get()) << "the work ended without an error";
    EXPECT_EQ(cancelled, 1);
    held.release();
}

TEST_P(work_test, of_a_leader_ends_with_its_resignation) {
    auto leading = start(async_run_as_leader(ann, [&](leadership& term) {
        EXPECT_TRUE(term);
        return pause(1ms);
    }));
    EXPECT_EQ(leading.get(), term_end::finished);
    EXPECT_FALSE(ann.leader());
}

TEST_P(work_test, of_a_leader_that_resigns_itself_is_finished) {
    auto leading = start(async_run_as_leader(ann, [&](leadership& term) { return resign(term); }));
    EXPECT_EQ(leading.get(), term_end::finished);
}

TEST_P(work_test, of_a_leader_is_cancelled_when_the_term_is_lost) {
    auto leading = start(async_run_as_leader(ann, [&](leadership&) { return pause(600s); }));
    ASSERT_TRUE(wait_until([&] { return begun == 1; }));
    theirs.force_unlock();
    EXPECT_EQ(leading.get(), term_end::lost);
    EXPECT_EQ(cancelled, 1);
}

TEST_P(work_test, of_a_leader_begins_again_after_a_loss) {
    std::uint64_t first = 0;
    auto leading = start(async_run_as_leader(ann,
                                             [&](leadership& term) {
                                                 bool const again = first != 0;
                                                 EXPECT_GT(term.token(), first);
                                                 first = term.token();
                                                 return pause(again ? 1ms : 600s);
                                             },
                                             {.again = true}));
    ASSERT_TRUE(wait_until([&] { return begun == 1; }));
    theirs.force_unlock();
    EXPECT_EQ(leading.get(), term_end::finished);
    EXPECT_EQ(begun, 2);
}

TEST_P(work_test, of_a_leader_that_fails_leaves_nobody_leading) {
    auto leading = start(async_run_as_leader(ann, [&](leadership&) { return fail(); }, {.again = true}));
    EXPECT_THROW(leading.get(), out_of_paper);
    EXPECT_TRUE(wait_until([&] { return !ann.leader(); }));
}

TEST_P(work_test, of_a_leader_that_is_cancelled_leaves_nobody_leading) {
    asio::cancellation_signal stop;
    auto leading = asio::co_spawn(loop.context, async_run_as_leader(ann, [&](leadership&) { return pause(600s); }),
                                  asio::bind_cancellation_slot(stop.slot(), asio::use_future));
    ASSERT_TRUE(wait_until([&] { return begun == 1; }));
    asio::post(loop.context, [&] { stop.emit(asio::cancellation_type::terminal); });
    EXPECT_EQ(leading.get(), term_end::finished) << "the work ended without an error";
    EXPECT_TRUE(wait_until([&] { return !ann.leader(); }));
}

TEST_P(work_test, of_a_leader_is_not_begun_after_a_stop) {
    auto term = ann.campaign();
    auto bob = user.get_leader_election(name, {.candidate = "bob"});
    std::stop_source stop;
    auto waiting = start(
        async_run_as_leader(bob, [&](leadership&) { return pause(600s); }, {.campaign = {.stop = stop.get_token()}}));
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1; }));
    stop.request_stop();
    EXPECT_EQ(waiting.get(), term_end::stopped);
    EXPECT_EQ(begun, 0);
    term.resign();
}

TEST_P(work_test, loss_of_a_leadership_is_an_operation) {
    EXPECT_EQ(outcome_of([&] { async_wait_lost(leadership(), asio::use_future).get(); }).reason, errc::not_owner);
    auto term = ann.campaign();
    auto lost = async_wait_lost(term, asio::use_future);
    theirs.force_unlock();
    EXPECT_NO_THROW(lost.get());
    EXPECT_FALSE(term);
}

} // namespace
} // namespace redlatch::test

#endif
