// Cancellation through the handler's slot, at every stage: nothing is left behind.
#include "asio/asio_fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>

namespace redlatch::test {
namespace {

using asio::cancellation_type;

class cancellation_test : public asio_test {
protected:
    /// Begins an acquisition whose slot is used on the context only, as Asio demands.
    std::future<asio_error> acquire(reentrant_lock of, acquire_options const& options = {}) {
        auto promise = std::make_shared<std::promise<asio_error>>();
        auto future = promise->get_future();
        auto handler =
            asio::bind_executor(loop.context, [promise](asio_error code, hold) { promise->set_value(code); });
        asio::post(loop.context,
                   [=, this] { async_acquire(of, options, asio::bind_cancellation_slot(signal.slot(), handler)); });
        return future;
    }
    void emit(cancellation_type type) {
        asio::post(loop.context, [this, type] { signal.emit(type); });
    }

    asio::cancellation_signal signal;
};

TEST_P(cancellation_test, behind_a_holder_of_the_same_client) {
    hold held = lock.acquire({.owner = owner()});
    auto waiting = acquire(lock);
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1; }));
    emit(cancellation_type::terminal);
    EXPECT_TRUE(equals(waiting.get(), errc::cancelled));
    EXPECT_TRUE(wait_until([&] { return user.stats().waiters == 0; }));
    held.release();
    EXPECT_FALSE(exists(name));
}

TEST_P(cancellation_test, waiting_for_another_process) {
    hold const held = theirs.acquire();
    for (auto const type : {cancellation_type::terminal, cancellation_type::partial, cancellation_type::total}) {
        auto waiting = acquire(lock);
        ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1 && somebody_waits(name); }));
        auto const start = test_clock::now();
        emit(type);
        EXPECT_TRUE(equals(waiting.get(), errc::cancelled));
        EXPECT_LT(since(start), 250ms);
    }
    EXPECT_EQ(holders(server, name).size(), 1U);
}

TEST_P(cancellation_test, with_the_call_in_flight_and_a_stopped_server) {
    lock.acquire().release();
    server.pause();
    auto waiting = acquire(lock);
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1; }));
    auto const start = test_clock::now();
    emit(cancellation_type::terminal);
    EXPECT_TRUE(equals(waiting.get(), errc::cancelled));
    EXPECT_LT(since(start), 250ms);
    server.resume();
    EXPECT_TRUE(wait_until([&] { return user.stats().unresolved == 0; }));
    EXPECT_FALSE(exists(name)) << "what was acquired late is given back";
}

TEST_P(cancellation_test, before_it_is_sent_and_without_effect_when_it_has_ended) {
    auto const first = acquire(lock);
    emit(cancellation_type::terminal); // before, within or after: all are allowed, and nothing stays
    first.wait();
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
    emit(cancellation_type::terminal);
    EXPECT_FALSE(acquire(lock).get()) << "the slot has forgotten the first one";
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
}

TEST_P(cancellation_test, of_no_type_is_none) {
    hold held = theirs.acquire();
    auto waiting = acquire(lock);
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    emit(cancellation_type::none);
    std::promise<void> emitted;
    asio::post(loop.context, [&] { emitted.set_value(); });
    emitted.get_future().get();
    held.release();
    EXPECT_FALSE(waiting.get());
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
}

TEST_P(cancellation_test, a_stop_token_works_too) {
    hold const held = theirs.acquire();
    std::stop_source stop;
    auto waiting = acquire(lock, {.stop = stop.get_token()});
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    stop.request_stop();
    EXPECT_TRUE(equals(waiting.get(), errc::cancelled));
}

TEST_P(cancellation_test, ends_a_question) {
    lock.acquire().release();
    server.pause();
    std::promise<asio_error> answered;
    asio::post(loop.context, [&] {
        async_is_locked(lock, asio::bind_cancellation_slot(
                                  signal.slot(), asio::bind_executor(loop.context, [&](asio_error code, bool) {
                                      answered.set_value(code);
                                  })));
    });
    auto const start = test_clock::now();
    emit(cancellation_type::terminal);
    EXPECT_TRUE(equals(answered.get_future().get(), errc::cancelled));
    EXPECT_LT(since(start), 250ms);
    server.resume();
}

TEST_P(cancellation_test, of_a_list_in_the_middle) {
    hold const held = lock.acquire();
    server.pause();
    std::promise<asio_error> answered;
    asio::post(loop.context, [&] {
        async_list_locks(
            user, "*",
            asio::bind_cancellation_slot(
                signal.slot(), asio::bind_executor(loop.context, [&](asio_error code, std::vector<lock_info>) {
                    answered.set_value(code);
                })));
    });
    emit(cancellation_type::terminal);
    EXPECT_TRUE(equals(answered.get_future().get(), errc::cancelled));
    server.resume();
    EXPECT_EQ(user.list_locks().size(), 1U) << "the client is as before";
}

TEST_P(cancellation_test, leaves_a_release_alone) {
    hold held = async_acquire(lock, asio::use_future).get();
    server.pause();
    std::promise<asio_error> released;
    asio::post(loop.context, [&] {
        async_release(std::move(held), asio::bind_cancellation_slot(
                                           signal.slot(), asio::bind_executor(loop.context, [&](asio_error code) {
                                               released.set_value(code);
                                           })));
        signal.emit(cancellation_type::terminal);
    });
    server.resume();
    EXPECT_FALSE(released.get_future().get());
    EXPECT_FALSE(exists(name));
}

REDLATCH_FOR_BOTH(cancellation_test);

} // namespace
} // namespace redlatch::test
