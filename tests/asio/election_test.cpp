// Elections with completion tokens.
#include "asio/asio_fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_future.hpp>
#include <memory>

#ifdef REDLATCH_TEST_COROUTINES
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
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

/// What run_as_leader does, by a program of handlers; the work is a timer. All of it runs on one thread.
class work_of_handlers : public std::enable_shared_from_this<work_of_handlers> {
public:
    work_of_handlers(asio::io_context& context, leader_election election, std::chrono::milliseconds amount)
        : context_(context), election_(std::move(election)), amount_(amount), work_(context) {}

    /// How the term ended.
    std::future<asio_error> begin() {
        asio::post(context_, [self = shared_from_this()] { self->campaign(); });
        return ended_.get_future();
    }

private:
    void campaign() {
        async_campaign(election_,
                       asio::bind_executor(context_, [self = shared_from_this()](asio_error code, leadership term) {
                           if (code) return self->ended_.set_value(code);
                           self->term_ = std::move(term);
                           self->lead();
                       }));
    }
    void lead() {
        auto const self = shared_from_this();
        async_wait_lost(term_, asio::bind_cancellation_slot(no_loss_any_more_.slot(),
                                                            asio::bind_executor(context_, [self](asio_error code) {
                                                                if (!code) self->work_.cancel();
                                                            })));
        work_.expires_after(amount_);
        work_.async_wait([self](asio_error) { self->resign(); });
    }
    void resign() {
        no_loss_any_more_.emit(asio::cancellation_type::terminal);
        async_resign(std::move(term_), asio::bind_executor(context_, [self = shared_from_this()](asio_error code) {
                         self->ended_.set_value(code);
                     }));
    }

    asio::io_context& context_;
    leader_election election_;
    std::chrono::milliseconds const amount_;
    asio::steady_timer work_;
    leadership term_;
    asio::cancellation_signal no_loss_any_more_;
    std::promise<asio_error> ended_;
};

TEST_P(election_test, work_of_handlers_ends_with_the_term_or_ends_it) {
    auto interrupted = std::make_shared<work_of_handlers>(loop.context, ann, 600s)->begin();
    ASSERT_TRUE(wait_until([&] { return ann.is_leading(); }));
    theirs.force_unlock();
    EXPECT_TRUE(equals(interrupted.get(), errc::lease_lost));
    auto finished = std::make_shared<work_of_handlers>(loop.context, ann, 1ms)->begin();
    EXPECT_FALSE(finished.get()) << "it has resigned";
    EXPECT_FALSE(async_leader(ann, asio::use_future).get());
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
