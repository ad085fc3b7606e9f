// Which of a client, its context, holds and handlers ends first.
#include "asio/asio_fixture.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/asio/use_future.hpp>
#include <memory>

namespace redlatch::test {
namespace {

class lifetime_test : public with_server {};

TEST_F(lifetime_test, locks_and_holds_outlive_a_client_that_was_closed_and_its_context) {
    auto context = std::make_unique<asio::io_context>();
    std::optional<client> user(make_client(*context, quick(server.uri())));
    auto lock = user->get_lock(name);
    hold held = lock.acquire();
    multi_lock members({lock});
    user->close();
    user.reset();
    context->run();
    context.reset();
    EXPECT_EQ(outcome_of([&] { held.release(); }).reason, errc::lease_lost);
    EXPECT_EQ(outcome_of([&] { (void)lock.is_locked(); }).reason, errc::closed);
    EXPECT_EQ(outcome_of([&] { (void)members.try_acquire(); }).reason, errc::closed);
    std::promise<asio_error> told;
    async_is_locked(lock, [&](asio_error code, bool) { told.set_value(code); });
    EXPECT_TRUE(equals(told.get_future().get(), errc::closed)) << "there is no context any more for its handler";
    held = hold();
    expect_clean(server);
}

// The end of a client posts a last turn for each operation: the context may end before it, at any point.
TEST_F(lifetime_test, a_context_that_ends_while_a_client_ends_discards_what_is_under_way) {
    client other{quick(server.uri())};
    for (int turns = 0; turns < 12; ++turns) {
        SCOPED_TRACE(turns);
        hold const theirs = other.get_lock(name).acquire();
        auto const owned = std::make_shared<int>();
        {
            asio::io_context context;
            auto user = make_client(context, quick(server.uri()));
            auto lock = user.get_lock(name);
            for (int i = 0; i < 3; ++i) async_acquire(lock, [owned](asio_error, hold) {});
            while (user.stats().waiters == 0) context.run_one();
            asio::post(context, [&] { user.close(); });
            for (int i = 0; i < turns; ++i) context.poll_one();
        }
        EXPECT_EQ(owned.use_count(), 1);
    }
}

TEST_F(lifetime_test, a_handler_on_a_strand_of_the_system_executor_does_not_run_on_a_thread_of_the_client) {
    client user(quick(server.uri()));
    auto lock = user.get_lock(name);
    std::promise<errc> told;
    async_acquire(lock, asio::bind_executor(asio::make_strand(asio::system_executor()), [&](asio_error, hold got) {
                      told.set_value(outcome_of([&] { got.release(); }).reason); // blocks
                  }));
    EXPECT_EQ(told.get_future().get(), errc());
}

TEST_F(lifetime_test, a_context_that_runs_already_waits_for_a_client_that_is_being_connected) {
    asio::io_context context;
    auto connecting = async_connect(context, quick(server.uri()), asio::use_future);
    std::jthread const runs([&] { context.run(); });
    auto user = connecting.get();
    ASSERT_TRUE(user);
    auto lock = user->get_lock(name);
    EXPECT_EQ(async_is_locked(lock, asio::use_future).wait_for(patience), std::future_status::ready);
    user->close();
}

} // namespace
} // namespace redlatch::test
