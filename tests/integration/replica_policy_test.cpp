// Locks that replicas have to confirm, with real replicas: when there are enough, too few, or none.
#include "integration/replica_fixture.hpp"

#include <redlatch/multi_lock.hpp>

#include <gmock/gmock.h>
#include <set>

namespace redlatch::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class replica_policy_test : public with_replicas {
protected:
    /// Each attempt to acquire without a named owner has one of its own.
    std::set<std::string> owners_in(std::vector<words> const& commands) const {
        std::set<std::string> found;
        for (auto const& command : commands)
            for (auto const& word : command)
                if (word.starts_with(user.id() + ":") && word != user.id() + ":") found.insert(word);
        return found;
    }
};

// --- enough

TEST_F(replica_policy_test, without_a_policy_nothing_is_asked) {
    auto lock = user.get_lock(name, {.replicas = replica_policy::none()});
    monitor seen(master);
    hold const mine = lock.acquire();
    EXPECT_EQ(mine.confirmed_by(), std::nullopt);
    EXPECT_EQ(seen.count([](words const& command) { return command[0] == "WAIT" || command[0] == "ROLE"; }), 0U);
    EXPECT_EQ(connections_of(user), 1U);
    hold const confirmed = user.get_lock("another", {.replicas = replica_policy::all(for_long)}).acquire();
    EXPECT_EQ(connections_of(user), 2U);
}

TEST_F(replica_policy_test, all_that_were_asked_for_have_the_lock) {
    hold const mine = lock_with(replica_policy::at_least(2, for_long)).acquire();
    EXPECT_TRUE(has_lock(1)) << "without any wait here";
    EXPECT_TRUE(has_lock(2));
    EXPECT_EQ(mine.confirmed_by(), 2);
}

TEST_F(replica_policy_test, all_means_those_that_are_connected) {
    hold const mine = lock_with(replica_policy::all(for_long)).acquire();
    EXPECT_TRUE(has_lock(1) && has_lock(2));
    EXPECT_EQ(mine.confirmed_by(), 2);
}

TEST_F(replica_policy_test, of_all_those_that_have_gone_are_not_waited_for) {
    servers[2].kill9();
    ASSERT_TRUE(wait_until([&] { return master.run("ROLE").items.at(2).items.size() == 1; }));
    hold const mine = lock_with(replica_policy::all(for_long)).acquire();
    EXPECT_EQ(mine.confirmed_by(), 1);
}

TEST_F(replica_policy_test, of_all_one_that_has_gone_does_not_count_for_one_that_hangs) {
    servers[1].pause();
    monitor seen(master);
    auto taking = std::async(std::launch::async,
                             [&] { return outcome_of([&] { (void)lock_with(replica_policy::all(2s)).acquire(); }); });
    auto const roles = [&] { return seen.count([](words const& command) { return command[0] == "ROLE"; }); };
    EXPECT_TRUE(wait_until([&] { return roles() >= 2; })) << "the other one has confirmed it by then";
    servers[2].kill9();
    EXPECT_EQ(taking.get().reason, errc::not_replicated);
}

TEST_F(replica_policy_test, one_is_enough_where_one_is_asked_for) {
    servers[1].pause();
    hold const mine = lock_with(replica_policy::at_least(1, for_long)).acquire();
    EXPECT_TRUE(has_lock(2));
    EXPECT_GE(mine.confirmed_by(), 1);
}

TEST_F(replica_policy_test, the_configuration_says_what_handles_do_not_say) {
    auto settings = quick(servers.uri(0));
    settings.replicas = replica_policy::at_least(2, for_long);
    client other(settings);
    hold const mine = other.get_lock(name).acquire();
    EXPECT_EQ(mine.confirmed_by(), 2);
    EXPECT_TRUE(has_lock(1) && has_lock(2));
    hold const second = other.get_lock("another", {.replicas = replica_policy::none()}).acquire();
    EXPECT_EQ(second.confirmed_by(), std::nullopt);
}

TEST_F(replica_policy_test, guards_are_confirmed_too) {
    auto lock = lock_with(replica_policy::at_least(2, for_long));
    std::scoped_lock const guard(lock);
    EXPECT_TRUE(has_lock(1) && has_lock(2));
    EXPECT_EQ(lock.current_hold().confirmed_by(), 2);
}

TEST_F(replica_policy_test, every_kind_of_lock_can_be_confirmed) {
    lock_options const options{.replicas = replica_policy::at_least(2, for_long)};
    auto const expect_confirmed = [&](any_lock lock) {
        hold const mine = lock.acquire({.owner = owner()});
        EXPECT_EQ(mine.confirmed_by(), 2) << lock.kind();
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_EQ(servers[i].run("EXISTS", lock.name()).integer, 1) << lock.kind() << " on " << i;
    };
    expect_confirmed(user.get_non_reentrant_lock(unique_name(), options));
    expect_confirmed(user.get_fenced_lock(unique_name(), options));
    expect_confirmed(user.get_fair_lock(unique_name(), options));
    expect_confirmed(user.get_non_reentrant_fair_lock(unique_name(), options));
    expect_confirmed(user.get_spin_lock(unique_name(), {}, options));
    expect_confirmed(user.get_read_write_lock(unique_name(), options).read_lock());
    expect_confirmed(user.get_read_write_lock(unique_name(), options).write_lock());
    expect_confirmed(user.get_faster_multi_lock(unique_name(), {"a", "b"}, options));
    expect_confirmed(user.get_leader_election(unique_name(), {.candidate = "me", .replicas = options.replicas}).lock());
}

TEST_F(replica_policy_test, a_re_entry_keeps_its_count) {
    auto lock = lock_with(replica_policy::at_least(2, for_long));
    owner const me;
    hold const first = lock.acquire({.owner = me});
    hold second = lock.acquire({.owner = me});
    EXPECT_EQ(second.confirmed_by(), 2);
    EXPECT_EQ(holders(servers[1], name), (std::map<std::string, std::string>{{second.owner_id(), "2"}}));
    second.release();
    EXPECT_EQ(holders(master, name), (std::map<std::string, std::string>{{first.owner_id(), "1"}}));
}

TEST_F(replica_policy_test, the_owner_does_nothing_else_while_its_replicas_are_asked) {
    owner const me;
    pause_replicas();
    auto asking = in_thread([&] { return lock_with(replica_policy::at_least(2, for_long)).acquire({.owner = me}); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    EXPECT_FALSE(user.get_lock(name).try_acquire({.owner = me})) << "how often it is held is being written";
    resume_replicas();
    EXPECT_EQ(asking.get().confirmed_by(), 2);
}

TEST_F(replica_policy_test, a_hold_that_was_handed_off_is_confirmed_by_itself) {
    auto without = user.get_lock(name);
    hold before = without.acquire({.owner = owner()});
    auto waiter =
        in_thread([&] { return lock_with(replica_policy::at_least(2, for_long)).acquire({.owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1; }));
    before.release();
    EXPECT_EQ(waiter.get().confirmed_by(), 2);
}

TEST_F(replica_policy_test, acquisitions_at_the_same_time_share_a_wait) {
    constexpr int many = 200;
    auto settings = quick(servers.uri(0));
    settings.replicas = replica_policy::at_least(2, for_long);
    client other(settings);
    std::vector<std::future<int>> all;
    for (int i = 0; i < many; ++i) {
        auto told = std::make_shared<std::promise<int>>();
        all.push_back(told->get_future());
        other.redlatch::client::get_lock(unique_name())
            .async_acquire({}, {}, [told](std::error_code ec, redlatch::hold mine) {
                told->set_value(ec ? -1 : mine.confirmed_by().value_or(-2));
            });
    }
    for (auto& one : all) EXPECT_EQ(one.get(), 2);
    EXPECT_LT(waits(), many / 2);
}

// --- too few

TEST_F(replica_policy_test, too_few_are_an_error_that_says_how_many_and_what_to_do) {
    auto policy = replica_policy::at_least(3, 1s);
    policy.required = 3; // all of them, as it would be without
    auto lock = lock_with(policy);
    auto const begin = test_clock::now();
    auto const failed = outcome_of([&] { (void)lock.acquire(); });
    EXPECT_LT(since(begin), patience);
    EXPECT_EQ(failed.reason, errc::not_replicated);
    EXPECT_THAT(failed.message,
                AllOf(HasSubstr("lock '" + name + "' was given back"),
                      HasSubstr("only 2 of 3 replicas of the server " + servers.uri(0)), HasSubstr("within 1000 ms"),
                      HasSubstr("or ask for fewer"), Not(HasSubstr("would have been enough"))));
    EXPECT_FALSE(user.get_lock(name).is_locked());
    EXPECT_EQ(outcome_of([&] { (void)lock.try_acquire(); }).reason, errc::not_replicated);
    expect_idle(user);
}

TEST_F(replica_policy_test, too_few_can_count_as_not_acquired) {
    auto lock = lock_with(with(replica_policy::at_least(3, 1s), replica_shortage::give_back));
    EXPECT_EQ(lock.try_acquire(), std::nullopt);
    std::error_code ec;
    EXPECT_EQ(lock.try_acquire({.wait = 0s}, ec), std::nullopt);
    EXPECT_EQ(ec, errc::busy);
    EXPECT_EQ(lock.try_acquire({.wait = 30s}, ec), std::nullopt);
    EXPECT_EQ(ec, errc::timed_out);
    EXPECT_THAT(outcome_of([&] { (void)lock.acquire(); }).message, HasSubstr("only 2 of 3 replicas"));
    EXPECT_FALSE(user.get_lock(name).is_locked());
}

TEST_F(replica_policy_test, too_few_can_be_accepted_and_the_listener_is_told) {
    event_log const events(user);
    hold const mine = lock_with(with(replica_policy::at_least(3, 1s), replica_shortage::accept)).acquire();
    EXPECT_EQ(mine.status(), hold_status::held);
    EXPECT_EQ(mine.confirmed_by(), 2);
    ASSERT_TRUE(events.wait_for(event::kind::too_few_replicas, name));
    EXPECT_THAT(events.all().front().message, HasSubstr("only 2 of 3 replicas"));
    EXPECT_EQ(events.all().front().owner_id, mine.owner_id());
}

TEST_F(replica_policy_test, each_time_that_too_few_are_accepted_is_told) {
    event_log const events(user);
    auto policy = replica_policy::at_least(3, 100ms);
    policy.needs_wait = false; // a server without WAIT is told of once, and this one has it
    auto lock = lock_with(with(policy, replica_shortage::accept));
    for (int i = 0; i < 2; ++i) lock.acquire().release();
    EXPECT_TRUE(wait_until([&] { return events.count(event::kind::too_few_replicas) == 2; }));
}

TEST_F(replica_policy_test, replicas_that_hang_cost_no_more_than_their_time) {
    pause_replicas();
    auto const begin = test_clock::now();
    auto const failed = outcome_of([&] { (void)lock_with(replica_policy::at_least(1, 400ms)).acquire({.wait = 1s}); });
    auto const took = since(begin);
    EXPECT_EQ(failed.reason, errc::not_replicated);
    EXPECT_THAT(failed.message, HasSubstr("only 0 of 1 replica of the server"));
    EXPECT_GE(took, 350ms);
    EXPECT_LT(took, 1400ms) << "the wait and the time for the replicas";
}

TEST_F(replica_policy_test, a_replica_that_comes_back_in_time_is_enough) {
    pause_replicas();
    auto waiter = in_thread([&] { return lock_with(replica_policy::at_least(1, for_long)).acquire(); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    EXPECT_FALSE(is_ready(waiter));
    resume_replicas();
    EXPECT_GE(waiter.get().confirmed_by(), 1);
}

TEST_F(replica_policy_test, who_waits_for_a_lock_that_is_given_back_gets_it) {
    pause_replicas();
    auto failing =
        in_thread([&] { return outcome_of([&] { (void)lock_with(replica_policy::at_least(1, 500ms)).acquire(); }); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    client other(quick(servers.uri(0)));
    hold const theirs = other.get_lock(name).acquire({.wait = patience}); // the lease is 30 s
    EXPECT_EQ(failing.get().reason, errc::not_replicated);
}

TEST_F(replica_policy_test, a_minimum_hold_does_not_outlast_a_lock_that_is_given_back) {
    auto const failed = outcome_of(
        [&] { (void)lock_with(replica_policy::at_least(3, 50ms)).acquire({.hold_at_least = std::chrono::hours(1)}); });
    EXPECT_EQ(failed.reason, errc::not_replicated);
    EXPECT_FALSE(user.get_lock(name).is_locked());
}

TEST_F(replica_policy_test, a_lock_that_is_given_back_is_tried_again_as_often_as_the_policy_says) {
    auto policy = replica_policy::at_least(3, 50ms);
    policy.retries = 2;
    auto lock = lock_with(policy);
    monitor seen(master);
    EXPECT_EQ(outcome_of([&] { (void)lock.acquire(); }).reason, errc::not_replicated);
    EXPECT_EQ(owners_in(seen.commands()).size(), 3U);
}

TEST_F(replica_policy_test, who_does_not_wait_tries_once) {
    auto policy = replica_policy::at_least(3, 50ms);
    policy.retries = 20;
    auto lock = lock_with(policy);
    monitor seen(master);
    EXPECT_EQ(outcome_of([&] { (void)lock.try_acquire(); }).reason, errc::not_replicated);
    EXPECT_EQ(owners_in(seen.commands()).size(), 1U);
}

TEST_F(replica_policy_test, a_lease_that_ends_before_is_a_loss) {
    pause_replicas();
    auto lock = lock_with(replica_policy::at_least(1, for_long));
    auto const begin = test_clock::now();
    auto const failed = outcome_of([&] { (void)lock.acquire({.lease = 400ms}); });
    EXPECT_LT(since(begin), patience / 2);
    EXPECT_EQ(failed.reason, errc::lease_lost);
    EXPECT_THAT(failed.message, HasSubstr("with a longer lease or less time for the replicas"));
    expect_idle(user);
}

TEST_F(replica_policy_test, a_lock_that_was_taken_away_meanwhile_is_a_loss) {
    pause_replicas();
    auto const failing = in_thread(
        [&] { return outcome_of([&] { (void)lock_with(replica_policy::at_least(1, for_long)).acquire(); }); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    master.run("DEL", name);
    // Its connection is made anew, and with it the lock written once more.
    master.run("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    auto& future = const_cast<std::future<outcome>&>(failing);
    EXPECT_EQ(future.get().reason, errc::lease_lost);
    expect_idle(user);
}

// --- several locks as one

TEST_F(replica_policy_test, a_member_of_a_multi_lock_has_its_own_policy) {
    auto const second = unique_name();
    multi_lock good({user.get_lock(name, {.replicas = replica_policy::at_least(2, for_long)}),
                     user.get_lock(second, {.replicas = replica_policy::none()})});
    {
        auto const both = good.acquire({.wait = 5s});
        EXPECT_TRUE(has_lock(1) && has_lock(2));
    }
    multi_lock bad({user.get_lock(name, {.replicas = replica_policy::at_least(3, 1s)}), user.get_lock(second)});
    auto const failed = outcome_of([&] { (void)bad.acquire({.wait = 5s}); });
    EXPECT_EQ(failed.reason, errc::not_replicated);
    EXPECT_THAT(failed.message, HasSubstr("only 2 of 3 replicas"));
    EXPECT_TRUE(wait_until([&] { return !user.get_lock(name).is_locked() && !user.get_lock(second).is_locked(); }));
}

TEST_F(replica_policy_test, a_multi_lock_gives_its_members_their_time_for_the_replicas) {
    pause_replicas();
    multi_lock all({user.get_lock(name, {.replicas = replica_policy::at_least(2, for_long)})});
    auto waiter = in_thread([&] { return all.acquire({.wait = 1s}); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    EXPECT_TRUE(stays([&] { return !is_ready(waiter); }, 1500ms))
        << "its wait for the lock is over, and the lock is there";
    resume_replicas();
    EXPECT_EQ(waiter.get().status(), hold_status::held);
}

// --- as Redisson does it

TEST_F(replica_policy_test, redisson_is_content_with_one) {
    servers[1].pause();
    event_log const events(user);
    hold const mine = lock_with(replica_policy::redisson_default(2s)).acquire();
    EXPECT_EQ(mine.confirmed_by(), 1);
    EXPECT_EQ(events.count(event::kind::too_few_replicas), 0U);
}

TEST_F(replica_policy_test, redisson_refuses_a_lock_that_none_of_its_replicas_has) {
    pause_replicas();
    auto const failed = outcome_of([&] { (void)lock_with(replica_policy::redisson_default(60ms)).acquire(); });
    EXPECT_EQ(failed.reason, errc::not_replicated);
    EXPECT_THAT(failed.message, HasSubstr("only 0 of 2 replicas of the server"));
    EXPECT_THAT(failed.message, HasSubstr("of which 1 would have been enough"));
}

TEST(replica_policy, redisson_takes_a_lock_that_no_replica_is_there_for) {
    redis_server alone;
    client user(quick(alone.uri()));
    hold const mine = user.get_lock("orders", {.replicas = replica_policy::redisson_default()}).acquire();
    EXPECT_EQ(mine.confirmed_by(), 0);
    EXPECT_EQ(command_counts(alone)["wait"], 0U);
}

} // namespace
} // namespace redlatch::test
