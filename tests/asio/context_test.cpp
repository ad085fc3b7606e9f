// A client on a context of the user's: threads, the end of either, and what is under way then.
#include "asio/asio_fixture.hpp"

#include <atomic>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <filesystem>
#include <fstream>

namespace redlatch::test {
namespace {

bool has_thread(std::string const& name) {
    for (auto const& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream file(task.path() / "comm");
        std::string found;
        if (std::getline(file, found) && found == name) return true;
    }
    return false;
}

class context_test : public with_server {
protected:
    client other{quick(server.uri())};
    reentrant_lock theirs = other.get_lock(name);
};

/// What is under way: some wait for a lock that is held, some ask, some release.
struct under_way {
    std::atomic<int> begun{0};
    std::atomic<int> called{0};
    std::atomic<int> closed{0};

    auto note() {
        ++begun;
        return [this](asio_error code) {
            ++called;
            if (equals(code, errc::closed) || equals(code, errc::lease_lost)) ++closed;
        };
    }
    void begin(client& user, std::string const& busy, int many) {
        auto lock = user.get_lock(busy);
        for (int i = 0; i < many; ++i) {
            async_acquire(lock, [told = note()](asio_error code, hold) { told(code); });
            async_is_locked(lock, [told = note()](asio_error code, bool) { told(code); });
            async_acquire(user.get_lock(unique_name("own")), [told = note()](asio_error code, hold) { told(code); });
        }
    }
};

TEST_F(context_test, run_returns_once_the_client_is_closed) {
    asio::io_context context;
    std::optional<client> user(make_client(context, quick(server.uri())));
    auto lock = user->get_lock(name);
    bool held = false;
    async_acquire(lock, [&](asio_error code, hold got) {
        EXPECT_FALSE(code);
        held = static_cast<bool>(got);
        user.reset(); // the last copy, on the loop: it does not block, and the hold is released
    });
    context.run();
    EXPECT_TRUE(held);
    EXPECT_FALSE(exists(name));
    expect_clean(server);
}

TEST_F(context_test, no_thread_of_ours_exists) {
    other.close();
    asio::io_context context;
    client user = make_client(context, quick(server.uri()));
    auto lock = user.get_lock(name);
    bool io = true;
    bool notifier = true;
    async_acquire(lock, [&](asio_error, hold got) {
        async_release(std::move(got), [&](asio_error) {
            io = has_thread("redlatch-io");
            notifier = has_thread("redlatch-notify");
            user.close();
        });
    });
    context.run();
    EXPECT_FALSE(io);
    EXPECT_FALSE(notifier);
}

TEST_F(context_test, blocking_calls_are_refused_on_its_threads) {
    running_context loop(2);
    client user = make_client(loop.context, quick(server.uri()));
    auto lock = user.get_lock(name);
    auto const reason_of = [&](auto call) {
        std::promise<errc> said;
        asio::post(loop.context, [&] { said.set_value(outcome_of(call).reason); });
        return said.get_future().get();
    };
    EXPECT_EQ(reason_of([&] { (void)lock.acquire(); }), errc::wrong_thread);
    EXPECT_EQ(reason_of([&] { (void)lock.is_locked(); }), errc::wrong_thread);
    EXPECT_EQ(reason_of([&] { (void)user.ping(); }), errc::wrong_thread);
    hold held = lock.acquire(); // here they are not
    EXPECT_EQ(reason_of([&] { held.release(); }), errc::wrong_thread);
    held.release();
    user.close();
}

TEST_F(context_test, a_hold_that_ends_in_a_handler_does_not_block_the_context) {
    running_context loop;
    config settings = quick(server.uri());
    settings.timeout = 20s;
    client user = make_client(loop.context, settings);
    hold held = async_acquire(user.get_lock(name), asio::use_future).get();
    server.pause();
    std::promise<std::chrono::milliseconds> took;
    asio::post(loop.context, [&] {
        auto const start = test_clock::now();
        { hold const last = std::move(held); }
        took.set_value(since(start));
    });
    EXPECT_LT(took.get_future().get(), 250ms);
    std::promise<void> alive;
    asio::post(loop.context, [&] { alive.set_value(); });
    EXPECT_EQ(alive.get_future().wait_for(5s), std::future_status::ready) << "with the server still stopped";
    server.resume();
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
    user.close();
}

class context_threads_test : public context_test, public ::testing::WithParamInterface<int> {};

TEST_P(context_threads_test, many_operations_on_many_locks) {
    running_context loop(GetParam());
    client user = make_client(loop.context, quick(server.uri()));
    constexpr int many = 500;
    std::atomic<int> done{0};
    std::atomic<int> failed{0};
    for (int i = 0; i < many; ++i)
        async_acquire(user.get_lock("own-" + std::to_string(i % 50)), [&](asio_error code, hold got) {
            if (code) ++failed;
            async_release(std::move(got), [&](asio_error end) {
                if (end) ++failed;
                ++done;
            });
        });
    EXPECT_TRUE(wait_until([&] { return done == many; }, 60s));
    EXPECT_EQ(failed, 0);
    expect_idle(user);
    user.close();
    expect_clean(server);
}

TEST_P(context_threads_test, blocking_calls_of_other_threads_go_on_beside) {
    running_context loop(GetParam());
    client user = make_client(loop.context, quick(server.uri()));
    std::atomic<bool> ending{false};
    std::atomic<int> asynchronous{0};
    std::promise<void> ended;
    std::function<void()> again = [&] {
        async_acquire(user.get_lock("asynchronous"), [&](asio_error code, hold got) {
            EXPECT_FALSE(code) << code.message();
            async_release(std::move(got), [&](asio_error) {
                ++asynchronous;
                if (ending)
                    ended.set_value();
                else
                    again();
            });
        });
    };
    again();
    auto blocking = in_thread([&] {
        auto lock = user.get_lock("blocking");
        for (int i = 0; i < 500; ++i) lock.acquire().release();
    });
    blocking.get();
    ending = true;
    ended.get_future().get(); // between two cycles the client is idle as well, and must not be closed then
    EXPECT_GT(asynchronous, 0);
    expect_idle(user);
    user.close();
}

TEST_P(context_threads_test, closing_calls_each_handler_once) {
    hold const held = theirs.acquire();
    under_way what;
    {
        running_context loop(GetParam());
        client user = make_client(loop.context, quick(server.uri()));
        what.begin(user, name, 30);
        ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
        user.close();
        EXPECT_EQ(outcome_of([&] { (void)user.get_lock(name).acquire(); }).reason, errc::closed);
    } // the context runs until every handler was called
    EXPECT_EQ(what.called, what.begun);
    EXPECT_GE(what.closed, 30);
}

TEST_P(context_threads_test, closing_on_the_context_does_too) {
    hold const held = theirs.acquire();
    under_way what;
    {
        running_context loop(GetParam());
        client user = make_client(loop.context, quick(server.uri()));
        what.begin(user, name, 30);
        ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
        asio::post(loop.context, [&] { user.close(); });
        EXPECT_TRUE(wait_until([&] { return what.called == what.begun; }));
    }
    EXPECT_EQ(what.called, what.begun);
    EXPECT_GE(what.closed, 30);
}

INSTANTIATE_TEST_SUITE_P(, context_threads_test, ::testing::Values(1, 4),
                         [](auto const& which) { return std::to_string(which.param) + "_threads"; });

TEST_F(context_test, closing_a_client_with_its_own_thread_calls_each_handler_once) {
    hold const held = theirs.acquire();
    under_way what;
    client user(quick(server.uri()));
    what.begin(user, name, 30);
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    user.close();
    EXPECT_TRUE(wait_until([&] { return what.called == what.begun; }));
    EXPECT_GE(what.closed, 30);
}

TEST_F(context_test, closing_while_the_server_is_stopped_ends_within_its_limit) {
    config settings = quick(server.uri());
    settings.close_timeout = 300ms;
    asio::io_context context;
    client user = make_client(context, settings);
    hold const held = user.get_lock(unique_name()).acquire();
    server.pause();
    auto const start = test_clock::now();
    asio::post(context, [&] { user.close(); });
    context.run();
    EXPECT_LT(since(start), 2s);
    server.resume();
}

TEST_F(context_test, a_context_that_ends_first_closes_the_client_and_destroys_handlers) {
    hold const held = theirs.acquire();
    under_way what;
    auto context = std::make_unique<asio::io_context>();
    client user = make_client(*context, quick(server.uri()));
    auto const mine = unique_name();
    hold const own = user.get_lock(mine).acquire();
    auto const alive = std::make_shared<int>(0);
    async_acquire(user.get_lock(name), [alive](asio_error, hold) { ADD_FAILURE() << "called"; });
    what.begin(user, name, 10);
    for (int i = 0; i < 20; ++i) context->poll(); // as far as it comes
    int const called = what.called;
    context.reset();
    EXPECT_EQ(alive.use_count(), 1) << "the handler is destroyed";
    EXPECT_EQ(what.called, called) << "nobody is called after the end";
    EXPECT_EQ(own.status(), hold_status::lost);
    EXPECT_FALSE(exists(mine)) << "what was held is released";
    EXPECT_EQ(outcome_of([&] { (void)user.ping(); }).reason, errc::closed);
    EXPECT_EQ(outcome_of([&] { (void)async_ping(user, asio::use_future).get(); }).reason, errc::closed);
}

TEST_F(context_test, a_context_that_is_never_run_may_end) {
    hold const held = theirs.acquire();
    auto const alive = std::make_shared<int>(0);
    {
        asio::io_context context;
        client user = make_client(context, quick(server.uri()));
        async_acquire(user.get_lock(name), [alive](asio_error, hold) { ADD_FAILURE() << "called"; });
    } // the client closes first, with the handler on its way to a context that ends
    EXPECT_EQ(alive.use_count(), 1);
}

TEST_F(context_test, two_clients_on_one_context) {
    running_context loop;
    client first = make_client(loop.context, quick(server.uri()));
    client second = make_client(loop.context.get_executor(), quick(server.uri()));
    hold held = async_acquire(first.get_lock(name), asio::use_future).get();
    auto waiting = async_acquire(second.get_lock(name), asio::use_future);
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    async_release(std::move(held), asio::use_future).get();
    EXPECT_TRUE(waiting.get());
    first.close();
    EXPECT_TRUE(async_try_acquire(second.get_lock(name), asio::use_future).get());
    second.close();
}

TEST_F(context_test, a_server_that_goes_and_comes_back_is_found_by_the_context) {
    running_context loop;
    client user = make_client(loop.context, quick(server.uri()));
    auto lock = user.get_lock(name);
    async_acquire(lock, asio::use_future).get().release();
    server.restart(redis_server::data::lost);
    acquire_options const patient{.wait = 20s};
    hold held = async_acquire(lock, patient, asio::use_future).get();
    EXPECT_TRUE(held);
    held.release();
    user.close();
}

} // namespace
} // namespace redlatch::test
