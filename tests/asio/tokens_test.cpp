// Every token on every function.
#include "asio/asio_fixture.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_future.hpp>

namespace redlatch::test {
namespace {

class tokens_test : public asio_test {
protected:
    /// A handler that keeps what it is called with.
    template <class... Values> struct caught {
        std::promise<std::tuple<asio_error, Values...>> promise;
        auto handler() {
            return [this](asio_error code, Values... values) { promise.set_value({code, std::move(values)...}); };
        }
        std::tuple<asio_error, Values...> get() { return promise.get_future().get(); }
    };
};

TEST_P(tokens_test, futures) {
    hold held = async_acquire(lock, asio::use_future).get();
    EXPECT_TRUE(held);
    EXPECT_TRUE(async_is_locked(lock, asio::use_future).get());
    EXPECT_GT(async_remaining_lease(lock, asio::use_future).get(), 1s);
    EXPECT_EQ(async_inspect(lock, asio::use_future).get().owners.at(0).owner, held.owner_id());
    EXPECT_EQ(async_list_locks(user, "*", asio::use_future).get().at(0).name, name);
    EXPECT_TRUE(async_list_locks(user, "no such *", asio::use_future).get().empty());
    EXPECT_TRUE(async_list_counters(user, "*", asio::use_future).get().empty());
    EXPECT_TRUE(async_list_permit_semaphores(user, "*", asio::use_future).get().empty());
    EXPECT_EQ(async_try_acquire(theirs, asio::use_future).get(), std::nullopt);
    async_release(std::move(held), asio::use_future).get();
    EXPECT_FALSE(async_is_locked(lock, asio::use_future).get());
    EXPECT_EQ(async_remaining_lease(lock, asio::use_future).get(), std::nullopt);
    std::optional<hold> tried = async_try_acquire(lock, asio::use_future).get();
    ASSERT_TRUE(tried);
    EXPECT_TRUE(async_force_unlock(lock, asio::use_future).get());
    EXPECT_FALSE(async_force_unlock(lock, asio::use_future).get());
    EXPECT_EQ(outcome_of([&] { async_release(std::move(*tried), asio::use_future).get(); }).reason, errc::lease_lost);
    EXPECT_EQ(async_ping(user, asio::use_future).get().address, user.ping().address);
}

TEST_P(tokens_test, callbacks) {
    caught<hold> acquired;
    async_acquire(lock, acquired.handler());
    auto [code, held] = acquired.get();
    EXPECT_FALSE(code);
    EXPECT_TRUE(held);

    caught<std::optional<hold>> tried;
    async_try_acquire(theirs, tried.handler());
    auto const [refused, nothing] = tried.get();
    EXPECT_TRUE(equals(refused, errc::busy)) << refused.message();
    EXPECT_FALSE(nothing);

    caught<bool> locked;
    async_is_locked(lock, locked.handler());
    EXPECT_TRUE(std::get<1>(locked.get()));

    caught<std::optional<duration>> lease;
    async_remaining_lease(lock, lease.handler());
    EXPECT_TRUE(std::get<1>(lease.get()));

    caught<lock_info> seen;
    async_inspect(lock, seen.handler());
    EXPECT_EQ(std::get<1>(seen.get()).owners.size(), 1U);

    caught<std::vector<lock_info>> listed;
    async_list_locks(user, "*", listed.handler());
    EXPECT_EQ(std::get<1>(listed.get()).size(), 1U);

    caught<> released;
    async_release(std::move(held), released.handler());
    EXPECT_FALSE(std::get<0>(released.get()));

    caught<bool> forced;
    async_force_unlock(lock, forced.handler());
    EXPECT_EQ(forced.get(), std::tuple(asio_error(), false));

    caught<server_info> answered;
    async_ping(user, answered.handler());
    EXPECT_FALSE(std::get<1>(answered.get()).version.empty());
}

TEST_P(tokens_test, deferred_begins_when_it_is_called) {
    auto operation = async_acquire(lock, asio::deferred);
    EXPECT_FALSE(exists(name)) << "nothing has begun";
    caught<hold> acquired;
    std::move(operation)(acquired.handler());
    auto [code, held] = acquired.get();
    EXPECT_FALSE(code);

    caught<std::optional<hold>> tried;
    async_try_acquire(theirs, asio::deferred)(tried.handler());
    EXPECT_TRUE(equals(std::get<0>(tried.get()), errc::busy));
    EXPECT_TRUE(async_is_locked(lock, asio::deferred)(asio::use_future).get());
    EXPECT_TRUE(async_remaining_lease(lock, asio::deferred)(asio::use_future).get());
    EXPECT_TRUE(async_inspect(lock, asio::deferred)(asio::use_future).get().held);
    EXPECT_EQ(async_list_locks(user, name, asio::deferred)(asio::use_future).get().size(), 1U);
    EXPECT_FALSE(async_ping(user, asio::deferred)(asio::use_future).get().version.empty());
    async_release(std::move(held), asio::deferred)(asio::use_future).get();
    EXPECT_FALSE(async_force_unlock(lock, asio::deferred)(asio::use_future).get());
}

/// A handler for as_tuple that keeps the tuple. (Asio 1.26 cannot make as_tuple of use_future.)
template <class... Values> struct caught_tuple {
    using tuple = std::tuple<asio_error, Values...>;
    std::promise<tuple> promise;
    auto token() {
        return asio::as_tuple([this](tuple what) { promise.set_value(std::move(what)); });
    }
    tuple get() { return promise.get_future().get(); }
};

TEST_P(tokens_test, tuples_hold_the_code_and_the_result) {
    caught_tuple<hold> acquired;
    async_acquire(lock, acquired.token());
    auto [code, held] = acquired.get();
    EXPECT_FALSE(code);
    EXPECT_TRUE(held);
    caught_tuple<std::optional<hold>> tried;
    async_try_acquire(theirs, tried.token());
    EXPECT_TRUE(equals(std::get<0>(tried.get()), errc::busy));
    caught_tuple<hold> waited;
    acquire_options const patient{.wait = 1s};
    async_acquire(theirs, patient, waited.token());
    auto const [late, empty] = waited.get();
    EXPECT_TRUE(equals(late, errc::timed_out));
    EXPECT_FALSE(empty);
    caught_tuple<> released;
    async_release(std::move(held), released.token());
    EXPECT_FALSE(std::get<0>(released.get()));
}

TEST_P(tokens_test, a_code_beside) {
    asio_error code;
    std::promise<hold> acquired;
    async_acquire(lock, asio::redirect_error([&](hold got) { acquired.set_value(std::move(got)); }, code));
    hold const held = acquired.get_future().get();
    EXPECT_FALSE(code);
    std::promise<bool> tried;
    async_try_acquire(theirs,
                      asio::redirect_error([&](std::optional<hold> got) { tried.set_value(got.has_value()); }, code));
    EXPECT_FALSE(tried.get_future().get());
    EXPECT_TRUE(equals(code, errc::busy));
}

TEST_P(tokens_test, what_throws_throws_the_full_message) {
    hold const held = async_acquire(lock, asio::use_future).get();
    acquire_options const patient{.wait = 1s};
    auto const late = outcome_of([&] { (void)async_acquire(theirs, patient, asio::use_future).get(); });
    EXPECT_EQ(late.reason, errc::timed_out);
    EXPECT_NE(late.message.find(name), std::string::npos) << late.message;
    EXPECT_EQ(async_try_acquire(theirs, patient, asio::use_future).get(), std::nullopt) << "busy is no error";

    acquire_options const wrong{.lease = 0ms};
    auto const refused = outcome_of([&] { (void)async_acquire(lock, wrong, asio::use_future).get(); });
    EXPECT_EQ(refused.reason, errc::invalid_argument);
    EXPECT_NE(refused.message.find("lease must be"), std::string::npos) << refused.message;

    auto const key = unique_name("text");
    server.run("SET", key, "no lock");
    auto const type = outcome_of([&] { (void)async_try_acquire(user.get_lock(key), asio::use_future).get(); });
    EXPECT_EQ(type.reason, errc::wrong_type);
    EXPECT_NE(type.message.find(key), std::string::npos) << type.message;
    EXPECT_EQ(outcome_of([&] { async_inspect(user.get_lock(key), asio::use_future).get(); }).reason, errc::wrong_type);
    server.run("DEL", key);
}

TEST_P(tokens_test, each_call_has_an_owner_of_its_own) {
    // With the calling thread as owner the second one would enter again.
    hold const first = async_acquire(lock, asio::use_future).get();
    EXPECT_EQ(async_try_acquire(lock, asio::use_future).get(), std::nullopt);
    acquire_options const of_this_thread{.owner = owner::this_thread()};
    EXPECT_EQ(async_try_acquire(lock, of_this_thread, asio::use_future).get(), std::nullopt);
    acquire_options const made_elsewhere = in_thread([] { return acquire_options(); }).get();
    EXPECT_EQ(async_try_acquire(lock, made_elsewhere, asio::use_future).get(), std::nullopt);
}

TEST_P(tokens_test, an_owner_that_is_named_is_kept) {
    acquire_options const mine{.owner = owner()};
    hold const first = async_acquire(lock, mine, asio::use_future).get();
    hold const second = async_acquire(lock, mine, asio::use_future).get();
    EXPECT_EQ(first.owner_id(), second.owner_id());
    EXPECT_EQ(lock.hold_count(*mine.owner), 2);
}

TEST_P(tokens_test, an_operation_that_is_never_begun_gives_back_its_hold) {
    hold held = async_acquire(lock, asio::use_future).get();
    { auto const never = async_release(std::move(held), asio::deferred); }
    EXPECT_FALSE(exists(name));
}

TEST_P(tokens_test, releasing_nothing_is_no_error) {
    async_release(hold(), asio::use_future).get();
    hold held = async_acquire(lock, asio::use_future).get();
    held.release();
    async_release(std::move(held), asio::use_future).get();
}

TEST_P(tokens_test, a_closed_client_says_so) {
    hold held = async_acquire(lock, asio::use_future).get();
    user.close();
    closed = true;
    auto const refused = outcome_of([&] { (void)async_acquire(lock, asio::use_future).get(); });
    EXPECT_EQ(refused.reason, errc::closed);
    EXPECT_NE(refused.message.find(name), std::string::npos) << refused.message;
    EXPECT_EQ(outcome_of([&] { (void)async_is_locked(lock, asio::use_future).get(); }).reason, errc::closed);
    EXPECT_EQ(outcome_of([&] { async_release(std::move(held), asio::use_future).get(); }).reason, errc::lease_lost);
}

REDLATCH_FOR_BOTH(tokens_test);

} // namespace
} // namespace redlatch::test
