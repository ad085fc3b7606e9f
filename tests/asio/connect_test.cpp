// async_connect: a client that is connected without blocking, on a thread of its own or run by a context.
#include "asio/asio_fixture.hpp"
#include "support/redis_cluster.hpp"
#include "support/sentinel_set.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

namespace redlatch::test {
namespace {

class connect_test : public with_server {
protected:
    config away() const {
        auto settings = quick(unique_socket());
        settings.retry_attempts = 0;
        return settings;
    }

private:
    std::string unique_socket() const { return "unix:///nowhere/" + unique_name(); }
};

TEST_F(connect_test, brings_a_client_with_a_thread_of_its_own) {
    auto made = async_connect(quick(server.uri()), asio::use_future).get();
    ASSERT_TRUE(made);
    EXPECT_EQ(made->driven_by(), nullptr);
    EXPECT_TRUE(made->get_lock(name).try_acquire());
    EXPECT_EQ(outcome_of([&] { async_connect(away(), asio::use_future).get(); }).reason, errc::disconnected);
}

/// Runs a context until its client, which has connected to this address and held the lock once, is closed.
void expect_client_of_context(config const& settings, std::string const& lock_name) {
    asio::io_context context;
    bool held = false;
    async_connect(context, settings, [&](asio_error code, std::optional<client> made) {
        ASSERT_FALSE(code) << code.message();
        EXPECT_TRUE(context.get_executor().running_in_this_thread());
        EXPECT_NE(made->driven_by(), nullptr);
        auto lock = made->get_lock(lock_name);
        async_acquire(lock, [&, user = std::move(made)](asio_error failed, hold got) mutable {
            EXPECT_FALSE(failed);
            held = static_cast<bool>(got);
            async_release(std::move(got), [&, user = std::move(user)](asio_error) mutable { user.reset(); });
        });
    });
    context.run(); // until the client is closed
    EXPECT_TRUE(held);
}

TEST_F(connect_test, brings_a_client_that_the_context_runs) {
    expect_client_of_context(quick(server.uri()), name);
    expect_clean(server);
}

TEST(connect_to_a_cluster, brings_clients_with_a_thread_and_of_a_context) {
    redis_cluster cluster;
    auto const settings = unhurried("redis-cluster://127.0.0.1:"
                                    + std::to_string(cluster.node(2).address().port)); // the others are found
    auto made = async_connect(settings, asio::use_future).get();
    ASSERT_TRUE(made);
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        auto const name = cluster.name_on(i);
        { auto const held = made->get_lock(name).acquire({.wait = patience, .owner = owner()}); }
        expect_client_of_context(settings, name);
        EXPECT_EQ(cluster.node(i).run("DBSIZE").integer, 0);
    }
}

TEST(connect_behind_sentinels, brings_clients_with_a_thread_and_of_a_context) {
    sentinel_set set;
    auto const name = unique_name();
    auto made = async_connect(unhurried(set.uri()), asio::use_future).get();
    ASSERT_TRUE(made);
    { auto const held = made->get_lock(name).acquire({.wait = patience, .owner = owner()}); }
    expect_client_of_context(unhurried(set.uri()), name);
    EXPECT_EQ(set.servers()[0].run("DBSIZE").integer, 0);
}

TEST_F(connect_test, tells_the_context_why_there_is_no_client) {
    asio::io_context context;
    asio_error told;
    async_connect(context, away(), [&](asio_error code, std::optional<client> made) {
        told = code;
        EXPECT_FALSE(made);
    });
    context.run();
    EXPECT_TRUE(equals(told, errc::disconnected)) << told.message();
}

TEST_F(connect_test, can_be_cancelled) {
    server.pause();
    asio::io_context context;
    asio::cancellation_signal signal;
    asio_error told;
    auto settings = quick(server.uri());
    settings.connect_timeout = 600s;
    async_connect(
        context, settings,
        asio::bind_cancellation_slot(signal.slot(), [&](asio_error code, std::optional<client>) { told = code; }));
    signal.emit(asio::cancellation_type::terminal);
    context.run();
    EXPECT_TRUE(equals(told, errc::cancelled)) << told.message();
    server.resume();
}

TEST_F(connect_test, a_context_that_ends_meanwhile_discards_the_handler) {
    server.pause();
    auto settings = quick(server.uri());
    settings.connect_timeout = 1000ms;
    auto alive = std::make_shared<int>();
    std::weak_ptr<int> const watched = alive;
    bool called = false;
    {
        asio::io_context context;
        async_connect(context, settings,
                      [&called, alive = std::move(alive)](asio_error, std::optional<client>) { called = true; });
    }
    EXPECT_TRUE(watched.expired());
    EXPECT_FALSE(called);
    server.resume();
}

// Nobody is left to run the client when its connection is there; the thread that made it closes it.
TEST_F(connect_test, a_context_that_ended_is_not_asked_for_once_the_connection_is_made) {
    auto settings = quick(server.uri());
    settings.connect_timeout = 600s;
    auto const connections = [this] { return server.run("CLIENT", "LIST", "TYPE", "normal").text; };
    auto const greetings = [this] {
        return server.run("INFO", "commandstats").text.find("cmdstat_client") != std::string::npos;
    };
    for (bool const cancel : {true, false}) {
        SCOPED_TRACE(cancel ? "cancelled" : "not cancelled");
        server.run("CONFIG", "RESETSTAT");
        server.pause();
        asio::cancellation_signal signal;
        {
            asio::io_context context;
            async_connect(context, settings,
                          asio::bind_cancellation_slot(signal.slot(), [](asio_error, std::optional<client>) {}));
            if (cancel) {
                signal.emit(asio::cancellation_type::terminal);
                context.run();
            }
        }
        server.resume();
        EXPECT_TRUE(wait_until(greetings)) << "the connection is made";
        EXPECT_TRUE(wait_until([&] { return connections().find("redlatch:") == std::string::npos; })) << "and closed";
    }
}

#ifdef REDLATCH_TEST_COROUTINES
TEST_F(connect_test, is_awaited_and_throws) {
    asio::io_context context;
    std::string problem;
    bool connected = false;
    asio::co_spawn(
        context,
        [&]() -> asio::awaitable<void> {
            auto made = co_await async_connect(context, quick(server.uri()), asio::use_awaitable);
            connected = made.has_value();
            made.reset();
            try {
                auto const nobody = away();
                co_await async_connect(context, nobody, asio::use_awaitable);
            } catch (error const& failed) {
                problem = failed.what();
            }
        },
        asio::detached);
    context.run();
    EXPECT_TRUE(connected);
    EXPECT_NE(problem.find("cannot be reached"), std::string::npos) << problem;
}
#endif

} // namespace
} // namespace redlatch::test
