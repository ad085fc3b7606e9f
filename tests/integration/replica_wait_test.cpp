// While replicas are waited for: whom that holds up, how it ends early; and servers that cannot be asked.
#include "integration/replica_fixture.hpp"
#include "integration/user_with_rights.hpp"

#include <gmock/gmock.h>
#include <stop_token>

namespace redlatch::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class replica_wait_test : public with_replicas {};

TEST_F(replica_wait_test, other_locks_are_not_held_up) {
    pause_replicas();
    auto waiter = in_thread([&] { return lock_with(replica_policy::at_least(1, for_long)).acquire(); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    hold other = user.get_lock("other").acquire({.wait = 5s});
    other.release();
    EXPECT_TRUE(user.get_lock(name).is_locked());
    EXPECT_FALSE(is_ready(waiter)) << "and it still waits";
    resume_replicas();
    EXPECT_GE(waiter.get().confirmed_by(), 1);
}

TEST_F(replica_wait_test, who_waits_for_more_replicas_holds_up_nobody_who_waits_for_fewer) {
    servers[1].pause();
    auto waiter = in_thread([&] { return lock_with(replica_policy::at_least(2, for_long)).acquire(); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    hold const other = user.get_lock("other", {.replicas = replica_policy::at_least(1, for_long)}).acquire();
    EXPECT_FALSE(is_ready(waiter));
    servers[1].resume();
    EXPECT_EQ(waiter.get().confirmed_by(), 2);
}

TEST_F(replica_wait_test, a_connection_that_breaks_is_asked_anew) {
    pause_replicas();
    auto waiter = in_thread([&] { return lock_with(replica_policy::at_least(2, for_long)).acquire(); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    auto const before = waits();
    master.run("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    ASSERT_TRUE(wait_until([&] { return waits() > before && somebody_waits(); }));
    EXPECT_FALSE(is_ready(waiter)) << "the new connection has not been confirmed either";
    resume_replicas();
    hold const mine = waiter.get();
    EXPECT_EQ(mine.confirmed_by(), 2);
    EXPECT_TRUE(has_lock(1) && has_lock(2));
}

TEST_F(replica_wait_test, a_wait_for_replicas_is_cancelled_at_once) {
    pause_replicas();
    std::stop_source stop;
    auto lock = lock_with(replica_policy::at_least(1, for_long));
    auto failing =
        in_thread([&] { return outcome_of([&] { (void)lock.acquire({.stop = stop.get_token()}); }).reason; });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    stop.request_stop();
    EXPECT_EQ(failing.get(), errc::cancelled);
    EXPECT_TRUE(wait_until([&] { return !user.get_lock(name).is_locked(); }));
    expect_idle(user);
}

TEST_F(replica_wait_test, closing_ends_it_and_releases_the_lock) {
    pause_replicas();
    auto lock = lock_with(replica_policy::at_least(1, for_long));
    auto failing = in_thread([&] { return outcome_of([&] { (void)lock.acquire(); }).reason; });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    user.close();
    EXPECT_EQ(failing.get(), errc::closed);
    EXPECT_FALSE(has_lock(0));
}

TEST_F(replica_wait_test, a_master_that_hangs_costs_no_more_than_the_time) {
    auto lock = lock_with(replica_policy::at_least(1, 300ms));
    hold warm = lock.acquire(); // its connection is there
    warm.release();
    pause_replicas();
    auto failing = in_thread([&] { return outcome_of([&] { (void)lock.acquire(); }); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    auto const begin = test_clock::now();
    master.pause();
    auto const failed = failing.get();
    EXPECT_LT(since(begin), 3s);
    EXPECT_EQ(failed.reason, errc::not_replicated);
    master.resume();
    resume_replicas();
    EXPECT_TRUE(wait_until([&] { return !has_lock(0); }));
}

// --- servers that cannot say it

class without_wait_test : public with_server {
protected:
    /// A user who may do all but this.
    config without(std::string const& command) const {
        return settings_with_rights(server, {"~*", "&*", "+@all", "-" + command});
    }
};

TEST_F(without_wait_test, a_missing_right_is_named) {
    client user(without("wait"));
    auto const failed =
        outcome_of([&] { (void)user.get_lock(name, {.replicas = replica_policy::at_least(1, for_long)}).acquire(); });
    EXPECT_EQ(failed.reason, errc::server_refused);
    EXPECT_THAT(failed.message, AllOf(HasSubstr("lock '" + name + "' was given back"), HasSubstr("NOPERM"),
                                      HasSubstr("allow this user WAIT")));
    EXPECT_FALSE(exists(name));
}

TEST_F(without_wait_test, a_missing_right_to_role_is_named) {
    client user(without("role"));
    auto const failed =
        outcome_of([&] { (void)user.get_lock(name, {.replicas = replica_policy::all(for_long)}).acquire(); });
    EXPECT_EQ(failed.reason, errc::server_refused);
    EXPECT_THAT(failed.message, AllOf(HasSubstr("ROLE: NOPERM"), HasSubstr("allow this user WAIT and ROLE")));
}

TEST_F(without_wait_test, it_can_be_accepted) {
    client user(without("wait"));
    event_log const events(user);
    hold const mine =
        user.get_lock(name, {.replicas = with(replica_policy::at_least(1, for_long), replica_shortage::accept)})
            .acquire();
    EXPECT_EQ(mine.confirmed_by(), 0);
    EXPECT_TRUE(events.wait_for(event::kind::too_few_replicas, name));
}

TEST(replica_wait, a_server_without_wait_is_told_from_one_whose_replicas_are_slow) {
    redis_server hidden({.arguments = {"--rename-command", "WAIT", ""}});
    client user(quick(hidden.uri()));
    auto const failed = outcome_of(
        [&] { (void)user.get_lock("orders", {.replicas = replica_policy::at_least(1, for_long)}).acquire(); });
    EXPECT_EQ(failed.reason, errc::server_refused);
    EXPECT_THAT(failed.message,
                AllOf(HasSubstr("WAIT: ERR unknown command"), HasSubstr("or use a server that has it")));
}

TEST(replica_wait, redisson_takes_a_server_without_wait_as_one_without_replicas_and_we_tell_once) {
    redis_server hidden({.arguments = {"--rename-command", "ROLE", ""}});
    client user(quick(hidden.uri()));
    event_log const events(user);
    auto lock = user.get_lock("orders", {.replicas = replica_policy::redisson_default()});
    for (int i = 0; i < 3; ++i) lock.acquire().release();
    EXPECT_TRUE(events.wait_for(event::kind::too_few_replicas));
    EXPECT_EQ(events.count(event::kind::too_few_replicas), 1U);
}

TEST(replica_wait, fewer_than_one_replica_are_refused) {
    for (int const few : {0, -1, -2}) {
        auto const bad = outcome_of([&] { (void)replica_policy::at_least(few); });
        EXPECT_EQ(bad.reason, errc::invalid_argument) << few;
        EXPECT_THAT(bad.message, HasSubstr("at_least(" + std::to_string(few) + ")"));
    }
}

TEST(replica_wait, a_policy_that_cannot_be_used_is_refused) {
    redis_server server;
    client user(quick(server.uri()));
    auto const refused = [&](replica_policy const& policy) {
        auto const said = outcome_of([&] { (void)user.get_lock("orders", {.replicas = policy}); });
        EXPECT_EQ(said.reason, errc::invalid_argument);
        return said.message;
    };
    EXPECT_THAT(refused({.replicas = -2}), HasSubstr("lock 'orders': replicas.replicas is -2"));
    EXPECT_THAT(refused(replica_policy::at_least(1001)), HasSubstr("from 0 to 1000"));
    EXPECT_THAT(refused(replica_policy::at_least(1, 0ms)), HasSubstr("replicas.time is 0 ms"));
    auto policy = replica_policy::at_least(1);
    policy.required = 2;
    EXPECT_THAT(refused(policy), HasSubstr("no more than are waited for"));
    policy = replica_policy::all();
    policy.retries = -1;
    EXPECT_THAT(refused(policy), HasSubstr("replicas.retries is -1"));
}

} // namespace
} // namespace redlatch::test
