// Elections with completion tokens.
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

class election_test : public asio_test {
protected:
    leader_election ann = user.get_leader_election(name, {.candidate = "ann"});
    leader_election bob = user.get_leader_election(name, {.candidate = "bob"});

    void TearDown() override {
        server.run("DEL", "redisson_lock_token:{" + name + "}"); // it outlives the terms
        asio_test::TearDown();
    }
};

REDLATCH_FOR_BOTH(election_test);

TEST_P(election_test, futures) {
    EXPECT_FALSE(async_leader(ann, asio::use_future).get());
    auto first = async_campaign(ann, asio::use_future).get();
    EXPECT_TRUE(first);
    auto const seen = async_leader(bob, asio::use_future).get();
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->candidate, "ann");
    EXPECT_EQ(outcome_of([&] {
                  auto const never = async_campaign(bob, campaign_options{.wait = 1s}, asio::use_future).get();
              }).reason,
              errc::timed_out);
    EXPECT_FALSE(async_try_campaign(bob, asio::use_future).get());
    auto const again = outcome_of([&] { auto const never = async_campaign(ann, asio::use_future).get(); });
    EXPECT_EQ(again.reason, errc::would_deadlock);
    EXPECT_NE(again.message.find("candidate 'ann' leads election"), std::string::npos) << again;
    EXPECT_EQ(
        outcome_of([&] { async_wait_for_change(bob, seen, wait_options{.wait = 1s}, asio::use_future).get(); }).reason,
        errc::timed_out);
    auto changed = async_wait_for_change(bob, seen, asio::use_future);
    auto second = async_campaign(bob, asio::use_future);
    auto const token = first.token();
    async_resign(std::move(first), asio::use_future).get();
    auto term = second.get();
    EXPECT_GT(term.token(), token);
    auto const now = changed.get();
    if (now) {
        EXPECT_EQ(now->candidate, "bob");
    }
    async_resign(std::move(term), asio::use_future).get();
}

#ifdef REDLATCH_TEST_COROUTINES

using namespace asio::experimental::awaitable_operators;

asio::awaitable<std::size_t> campaign_or_time_out(leader_election election, std::chrono::milliseconds limit) {
    asio::steady_timer timer(co_await asio::this_coro::executor, limit);
    auto const first = co_await (async_campaign(election, asio::as_tuple(asio::use_awaitable))
                                 || timer.async_wait(asio::as_tuple(asio::use_awaitable)));
    co_return first.index();
}

TEST_P(election_test, a_campaign_that_loses_against_a_timer_leaves_nobody_leading) {
    auto term = async_campaign(ann, asio::use_future).get();
    EXPECT_EQ(asio::co_spawn(loop.context, campaign_or_time_out(bob, 50ms), asio::use_future).get(), 1U);
    async_resign(std::move(term), asio::use_future).get();
    EXPECT_FALSE(async_leader(ann, asio::use_future).get());
}

#endif

} // namespace
} // namespace redlatch::test
