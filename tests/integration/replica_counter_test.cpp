// Permits that replicas have to confirm, with real replicas.
#include "integration/replica_fixture.hpp"

#include <gmock/gmock.h>

namespace redlatch::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class replica_counter_test : public with_replicas {
protected:
    static constexpr bool both_ways[] = {false, true};

    semaphore semaphore_with(replica_policy const& policy, bool exactly_once = false) {
        auto made = plain().get_semaphore(name, {.exactly_once = exactly_once, .replicas = policy});
        made.try_set_permits(3);
        return made;
    }
    permit_semaphore permits_with(replica_policy const& policy) {
        auto made = plain().get_permit_semaphore(name, {.replicas = policy});
        made.try_set_permits(3);
        return made;
    }
    redlatch::client& plain() { return user; }
    std::string on(std::size_t server) const { return servers[server].run("GET", name).text; }
    bool comes_back() {
        return wait_until([&] { return on(0) == "3" && master.run("ZCARD", timeouts()).integer == 0; });
    }
    std::string timeouts() const { return "{" + name + "}:timeout"; }
};

TEST_F(replica_counter_test, has_its_permits_on_all_replicas_that_were_asked_for) {
    auto const policy = replica_policy::at_least(2, for_long);
    for (bool const exactly_once : both_ways) semaphore_with(policy, exactly_once).acquire();
    EXPECT_EQ(on(1), "1") << "without any wait here";
    EXPECT_EQ(on(2), "1");
    EXPECT_TRUE(semaphore_with(policy).try_acquire());
    EXPECT_EQ(on(1), "0");
    EXPECT_FALSE(semaphore_with(policy).try_acquire());
}

TEST_F(replica_counter_test, says_how_many_replicas_have_permits_with_ids) {
    auto of = permits_with(replica_policy::all(for_long));
    auto const mine = of.acquire({.permits = 2});
    EXPECT_EQ(mine.confirmed_by(), 2);
    EXPECT_EQ(on(1), "1");
    auto const none = plain().get_permit_semaphore(name, {.replicas = replica_policy::none()}).acquire();
    EXPECT_EQ(none.confirmed_by(), std::nullopt);
    EXPECT_EQ(permits().confirmed_by(), std::nullopt);
    EXPECT_EQ(of.try_acquire(), std::nullopt);
}

TEST_F(replica_counter_test, does_the_same_with_handlers) {
    auto of = permits_with(replica_policy::at_least(2, for_long));
    std::promise<std::optional<int>> told;
    of.async_acquire({}, {}, [&](std::error_code ec, permits mine) {
        EXPECT_EQ(ec, std::error_code());
        told.set_value(mine.confirmed_by());
    });
    EXPECT_EQ(told.get_future().get(), 2);
    auto too_few = semaphore_with(replica_policy::at_least(3, 100ms));
    std::promise<std::error_code> failed;
    too_few.async_acquire({}, {}, [&](std::error_code ec) { failed.set_value(ec); });
    EXPECT_EQ(failed.get_future().get(), errc::not_replicated);
    auto not_enough = semaphore_with(with(replica_policy::at_least(3, 100ms), replica_shortage::give_back));
    std::promise<std::pair<std::error_code, bool>> none;
    not_enough.async_try_acquire({}, {}, [&](std::error_code ec, bool got) { none.set_value({ec, got}); });
    EXPECT_EQ(none.get_future().get(), std::pair(std::error_code(), false));
    EXPECT_TRUE(comes_back());
}

TEST_F(replica_counter_test, takes_what_the_configuration_says) {
    auto settings = quick(servers.uri(0));
    settings.replicas = replica_policy::at_least(2, for_long);
    redlatch::client other(settings);
    other.get_semaphore(name).try_set_permits(3);
    other.get_semaphore(name).acquire();
    EXPECT_EQ(on(1), "2");
    auto latch = other.get_count_down_latch("latch"); // nothing is acquired of it
    latch.try_set_count(1);
    latch.count_down();
    EXPECT_TRUE(latch.try_wait());
}

TEST_F(replica_counter_test, gives_back_what_too_few_have_and_says_how_many) {
    for (bool const exactly_once : both_ways) {
        auto of = semaphore_with(replica_policy::at_least(3, 700ms), exactly_once);
        auto const failed = outcome_of([&] { of.acquire({.permits = 2}); });
        EXPECT_EQ(failed.reason, errc::not_replicated);
        EXPECT_THAT(failed.message,
                    AllOf(HasSubstr("2 permits of semaphore '" + name + "' were given back: only 2 of 3 replicas"),
                          HasSubstr("within 700 ms"), HasSubstr("or ask for fewer")));
        EXPECT_TRUE(comes_back());
    }
    auto of = permits_with(replica_policy::at_least(3, 700ms));
    auto const failed = outcome_of([&] { (void)of.acquire(); });
    EXPECT_EQ(failed.reason, errc::not_replicated);
    EXPECT_THAT(failed.message, HasSubstr("a permit of permit semaphore '" + name + "' was given back"));
    EXPECT_TRUE(comes_back());
    expect_idle(user);
}

TEST_F(replica_counter_test, takes_too_few_for_not_acquired_where_the_policy_says_so) {
    auto of = semaphore_with(with(replica_policy::at_least(3, 100ms), replica_shortage::give_back));
    EXPECT_FALSE(of.try_acquire());
    std::error_code ec;
    EXPECT_FALSE(of.try_acquire({.wait = 30s}, ec));
    EXPECT_EQ(ec, errc::timed_out);
    EXPECT_TRUE(comes_back());
}

TEST_F(replica_counter_test, keeps_what_too_few_have_where_the_policy_says_so) {
    event_log const events(user);
    auto policy = with(replica_policy::at_least(3, 700ms), replica_shortage::accept);
    semaphore_with(policy).acquire();
    ASSERT_TRUE(events.wait_for(event::kind::too_few_replicas, name));
    EXPECT_THAT(events.all().front().message,
                HasSubstr("a permit of semaphore '" + name + "' is taken although only 2 of 3 replicas"));
    EXPECT_EQ(on(0), "2");
    auto const mine = permits_with(policy).acquire();
    EXPECT_EQ(mine.confirmed_by(), 2);
    EXPECT_TRUE(mine);
}

TEST_F(replica_counter_test, tries_again_as_often_as_the_policy_says) {
    auto policy = replica_policy::at_least(3, 50ms);
    policy.retries = 2;
    for (bool const exactly_once : both_ways) {
        auto of = semaphore_with(policy, exactly_once);
        auto const taken = [&] { return command_counts(master)["decrby"]; };
        auto const before = taken();
        EXPECT_EQ(outcome_of([&] { of.acquire(); }).reason, errc::not_replicated);
        EXPECT_EQ(taken() - before, 3U) << exactly_once << ": each attempt takes one";
        EXPECT_TRUE(comes_back());
    }
}

TEST_F(replica_counter_test, tries_once_where_it_does_not_wait) {
    auto policy = replica_policy::at_least(3, 50ms);
    policy.retries = 20;
    auto of = semaphore_with(policy, false);
    auto const taken = [&] { return command_counts(master)["decrby"]; };
    auto const before = taken();
    EXPECT_EQ(outcome_of([&] { (void)of.try_acquire(); }).reason, errc::not_replicated);
    EXPECT_EQ(taken() - before, 1U);
    EXPECT_TRUE(comes_back());
}

TEST_F(replica_counter_test, waits_for_permits_and_then_for_replicas) {
    auto of = semaphore_with(replica_policy::at_least(2, for_long));
    of.drain_permits();
    auto waiter = in_thread([&] { of.acquire({.permits = 2, .wait = patience}); });
    auto const channel = "redisson_sc:{" + name + "}";
    ASSERT_TRUE(wait_until([&] { return master.run("PUBSUB", "NUMSUB", channel).items.at(1).integer == 1; }));
    of.release(2);
    waiter.get();
    EXPECT_EQ(on(1), "0");
}

TEST_F(replica_counter_test, replicas_that_hang_cost_no_more_than_their_time) {
    pause_replicas();
    auto of = semaphore_with(replica_policy::at_least(1, 400ms));
    auto const begin = test_clock::now();
    auto const failed = outcome_of([&] { of.acquire({.wait = 1s}); });
    auto const took = since(begin);
    EXPECT_EQ(failed.reason, errc::not_replicated);
    EXPECT_GE(took, 350ms);
    EXPECT_LT(took, 1400ms) << "the wait and the time for the replicas";
}

TEST_F(replica_counter_test, a_lease_that_ends_before_is_a_loss) {
    pause_replicas();
    auto of = permits_with(replica_policy::at_least(1, for_long));
    auto const begin = test_clock::now();
    auto const failed = outcome_of([&] { (void)of.acquire({.lease = 400ms}); });
    EXPECT_LT(since(begin), patience / 2);
    EXPECT_EQ(failed.reason, errc::lease_lost);
    EXPECT_THAT(failed.message, HasSubstr("take a longer lease, or give the replicas less time"));
    EXPECT_TRUE(comes_back());
}

TEST_F(replica_counter_test, a_semaphore_that_was_deleted_meanwhile_is_a_loss) {
    pause_replicas();
    auto of = semaphore_with(replica_policy::at_least(1, for_long));
    auto failing = in_thread([&] { return outcome_of([&] { of.acquire(); }); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    master.run("DEL", name);
    master.run("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"); // what was written is written once more
    auto const failed = failing.get();
    EXPECT_EQ(failed.reason, errc::lease_lost);
    EXPECT_THAT(failed.message, HasSubstr("since the semaphore was deleted"));
    EXPECT_EQ(master.run("EXISTS", name).integer, 0);
}

/// The other master has a replica, which would confirm whatever that one has.
TEST_F(replica_counter_test, another_master_that_has_never_heard_of_it_does_not_confirm_it) {
    auto of_ids = permits_with(replica_policy::at_least(1, for_long));
    auto of = semaphore_with(replica_policy::at_least(1, for_long));
    for (bool const with_ids : both_ways) {
        SCOPED_TRACE(with_ids);
        pause_replicas();
        auto failing = in_thread([&] {
            return outcome_of([&] {
                if (with_ids)
                    (void)of_ids.acquire();
                else
                    of.acquire();
            });
        });
        ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
        // As after a failover: it has the semaphore, and not the acquisition.
        master.run("DEL", timeouts());
        master.run("SET", name, "3");
        auto const records = master.run("KEYS", "redlatch_request:*");
        for (auto const& key : records.items) master.run("DEL", key.text);
        master.run("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        auto const failed = failing.get();
        EXPECT_EQ(failed.reason, errc::lease_lost) << failed.message;
        EXPECT_THAT(failed.message, HasSubstr("the server does not know of it any more, after a failover"));
        resume_replicas();
        EXPECT_EQ(on(0), "3") << "nothing was given back that was never taken here";
    }
}

TEST_F(replica_counter_test, closing_ends_an_asynchronous_one_too) {
    pause_replicas();
    auto of = semaphore_with(replica_policy::at_least(1, for_long));
    std::promise<std::error_code> told;
    of.async_acquire({}, {}, [&](std::error_code ec) { told.set_value(ec); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    user.close();
    EXPECT_EQ(told.get_future().get(), errc::closed);
    EXPECT_EQ(on(0), "3");
}

TEST_F(replica_counter_test, a_wait_for_replicas_is_cancelled_at_once) {
    pause_replicas();
    auto of = semaphore_with(replica_policy::at_least(1, for_long));
    std::stop_source stop;
    auto failing = in_thread([&] { return outcome_of([&] { of.acquire({.stop = stop.get_token()}); }); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    EXPECT_EQ(user.stats().waiters, 1U);
    stop.request_stop();
    auto const failed = failing.get();
    EXPECT_EQ(failed.reason, errc::cancelled);
    EXPECT_THAT(failed.message, HasSubstr("it was given back"));
    EXPECT_TRUE(comes_back());
    expect_idle(user);
}

TEST_F(replica_counter_test, closing_ends_it_and_gives_the_permits_back_first) {
    pause_replicas();
    auto of = semaphore_with(replica_policy::at_least(1, for_long));
    auto failing = in_thread([&] { return outcome_of([&] { of.acquire(); }).reason; });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    user.close();
    EXPECT_EQ(failing.get(), errc::closed);
    EXPECT_EQ(on(0), "3");
}

TEST_F(replica_counter_test, a_missing_right_is_named) {
    ASSERT_EQ(master.admin().command("ACL", "SETUSER", "locks", "on", ">secret", "~*", "&*", "+@all", "-wait").text,
              "OK");
    auto settings = quick(servers.uri(0));
    settings.username = "locks";
    settings.password = "secret";
    redlatch::client other(settings);
    other.get_semaphore(name).try_set_permits(3);
    auto of = other.get_semaphore(name, {.replicas = replica_policy::at_least(1, for_long)});
    auto const failed = outcome_of([&] { of.acquire(); });
    EXPECT_EQ(failed.reason, errc::server_refused);
    EXPECT_THAT(failed.message, AllOf(HasSubstr("a permit of semaphore '" + name + "' was given back"),
                                      HasSubstr("NOPERM"), HasSubstr("allow this user WAIT")));
    EXPECT_TRUE(comes_back());
}

TEST_F(replica_counter_test, a_policy_that_cannot_be_used_is_refused) {
    auto const bad =
        outcome_of([&] { (void)plain().get_semaphore(name, {.replicas = replica_policy{.replicas = -2}}); });
    EXPECT_EQ(bad.reason, errc::invalid_argument);
    EXPECT_THAT(bad.message, HasSubstr("semaphore '" + name + "': replicas.replicas is -2"));
    auto const latch =
        outcome_of([&] { (void)plain().get_count_down_latch(name, {.replicas = replica_policy::all()}); });
    EXPECT_EQ(latch.reason, errc::invalid_argument);
    EXPECT_THAT(latch.message, HasSubstr("nothing is acquired of it"));
}

} // namespace
} // namespace redlatch::test
