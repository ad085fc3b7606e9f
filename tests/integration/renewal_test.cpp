// The watchdog: Redisson's RedissonLockExpirationRenewalTest, and what the issue of lost and released locks adds to it.
#include "integration/fixture.hpp"
#include "locking/script.hpp"
#include "support/both_faces.hpp"
#include "support/sanitized.hpp"

namespace redlatch::test {
namespace {

/// Sanitized: slow, and beside others on two cores, where a pause of half a second is to end no lease.
auto const watchdog = is_sanitized() ? 3000ms : 1000ms;

class renewal_test : public with_server {
protected:
    config settings() const {
        config result = quick(server.uri());
        result.lock_watchdog_timeout = watchdog;
        result.renewal_batch = 50;
        return result;
    }
    client user{settings()};
    reentrant_lock lock = user.get_lock(name);

    /// Renewal goes on: the remaining lease grows, which only a renewal can do.
    bool is_renewed(std::string const& key) const {
        auto before = pttl(server, key);
        return wait_until([&] {
            auto const now = pttl(server, key);
            bool const grew = now > before;
            before = now;
            return grew;
        });
    }
};

TEST_F(renewal_test, keeps_a_lock_for_ten_periods) {
    hold mine = lock.acquire();
    auto const start = test_clock::now();
    EXPECT_TRUE(stays([&] { return exists(name) && mine.status() == hold_status::held; }, 10 * watchdog / 3));
    EXPECT_GE(user.stats().renewals, 8U);
    EXPECT_GT(mine.valid_until(), lease_clock::now());
    EXPECT_GT(since(start), 3 * watchdog);
    mine.release();
    expect_idle(user);
    expect_clean(server);
}

/// A server that takes no more connections, or other passwords than before, goes on serving those that are there.
TEST_F(renewal_test, goes_on_where_no_other_connection_can_be_made) {
    byte_proxy way(server.address());
    auto few = settings();
    few.address = way.uri();
    few.watched_holds = 0; // no connection for messages
    client other(few);
    hold mine = other.get_lock(name).acquire();
    way.refuse_connections(true); // before renewals have one of their own
    EXPECT_TRUE(stays([&] { return exists(name) && mine.status() == hold_status::held; }, 3 * watchdog));
    way.refuse_connections(false);
    mine.release();
    expect_idle(other);
}

TEST_F(renewal_test, a_re_entered_and_released_lock_is_renewed_for_its_next_owner) {
    lock.lock();
    lock.lock();
    lock.unlock();
    lock.unlock();
    hold next = in_thread([&] { return lock.acquire({.owner = owner()}); }).get();
    EXPECT_TRUE(stays([&] { return exists(name); }, 10 * watchdog / 3));
    next.release();
    expect_clean(server);
}

TEST_F(renewal_test, any_level_with_the_watchdog_keeps_renewal_on) {
    hold outer = lock.acquire({.lease = 1500ms});
    hold inner = lock.acquire();
    EXPECT_TRUE(stays([&] { return exists(name) && bool(outer) && bool(inner); }, 3s));
    inner.release();
    EXPECT_TRUE(wait_until([&] { return !exists(name); })) << "nothing renews the fixed lease";
    EXPECT_EQ(outcome_of([&] { outer.release(); }).reason, errc::lease_lost);
}

TEST_F(renewal_test, a_fixed_lease_is_never_renewed) {
    config unwatched = settings();
    unwatched.watched_holds = 0; // or it is asked about with the script that renews
    client holder(unwatched);
    hold mine = holder.get_lock(name).acquire({.lease = 1500ms});
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
    EXPECT_EQ(mine.status(), hold_status::lost);
    EXPECT_EQ(holder.stats().renewals, 0U);
}

TEST_F(renewal_test, ends_with_the_release) {
    monitor watch(server);
    lock.acquire().release();
    auto const before = user.stats().renewals;
    EXPECT_TRUE(stays([&] { return user.stats().renewals == before; }, 2 * watchdog / 3));
    EXPECT_EQ(watch.count(a_script(locking::scripts::lock_renew)), before);
}

// A release that fails must not leave a lock that is renewed for ever.
TEST_F(renewal_test, ends_with_the_release_also_when_the_release_fails) {
    server.run("ACL", "SETUSER", "no-release", "on", ">secret", "~*", "&*", "+@all", "-del", "-hdel");
    config settings_without = settings();
    settings_without.username = "no-release";
    settings_without.password = "secret";
    client unable(settings_without);
    hold mine = unable.get_lock(name).acquire();
    EXPECT_TRUE(wait_until([&] { return unable.stats().renewals > 0; }));
    auto const failed = outcome_of([&] { mine.release(); });
    EXPECT_EQ(failed.reason, errc::server_refused);
    EXPECT_NE(failed.message.find(name), std::string::npos) << failed;
    auto const renewals = unable.stats().renewals;
    auto const start = test_clock::now();
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
    EXPECT_LE(since(start), watchdog + 500ms);
    EXPECT_LE(unable.stats().renewals, renewals + 1) << "one may have been on its way; three would be due in that time";
    EXPECT_FALSE(unable.get_lock(name).is_held());
    unable.close();
}

TEST_F(renewal_test, ends_with_a_release_whose_connection_breaks) {
    byte_proxy proxy{server.address()};
    config behind = settings();
    behind.address = proxy.uri();
    client distant(behind);
    hold mine = distant.get_lock(name).acquire();
    EXPECT_TRUE(is_renewed(name));
    proxy.hold(direction::to_server);
    std::error_code code;
    mine.release(code);
    EXPECT_EQ(code, errc::outcome_unknown);
    auto const renewals = distant.stats().renewals;
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
    EXPECT_EQ(distant.stats().renewals, renewals);
    proxy.pass(direction::to_server);
    expect_idle(distant);
    expect_clean(server);
}

TEST_F(renewal_test, never_renews_a_lock_that_somebody_else_took) {
    hold mine = lock.acquire();
    EXPECT_TRUE(is_renewed(name));
    server.run("DEL", name);
    hold_as_stranger(server, name, 10s);
    auto const theirs = holders(server, name);
    EXPECT_TRUE(wait_until([&] { return mine.status() == hold_status::lost; }));
    auto const renewals = user.stats().renewals;
    EXPECT_TRUE(stays([&] { return user.stats().renewals == renewals; }, watchdog));
    EXPECT_EQ(holders(server, name), theirs);
    EXPECT_EQ(outcome_of([&] { mine.release(); }).reason, errc::lease_lost);
    EXPECT_EQ(holders(server, name), theirs);
    release_as_stranger(server, name);
}

TEST_F(renewal_test, max_hold_bounds_renewal_and_ends_in_a_loss) {
    event_log events(user);
    auto const start = test_clock::now();
    hold mine = lock.acquire({.max_hold = 1500ms});
    EXPECT_TRUE(wait_until([&] { return mine.lost().stop_requested(); }));
    EXPECT_GE(since(start), 1000ms);
    EXPECT_LE(since(start), 1500ms + watchdog + 500ms);
    EXPECT_TRUE(events.wait_for(event::kind::hold_lost, name));
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
    expect_idle(user);
}

TEST_F(renewal_test, names_many_locks_in_one_script) {
    std::vector<hold> mine;
    for (int i = 0; i < 120; ++i) mine.push_back(user.get_lock(unique_name()).acquire());
    monitor watch(server);
    auto const is_renewal = a_script(locking::scripts::lock_renew);
    ASSERT_TRUE(wait_until([&] { return watch.count(is_renewal) >= 6; }));
    for (auto const& command : watch.commands()) {
        if (is_renewal(command)) {
            EXPECT_LE(std::stoi(command.at(2)), 50);
        }
    }
    for (auto& one : mine) {
        EXPECT_TRUE(one);
        one.release();
    }
    expect_clean(server);
}

TEST_F(renewal_test, survives_one_lost_renewal) {
    byte_proxy proxy{server.address()};
    config behind = settings();
    behind.address = proxy.uri();
    client distant(behind);
    event_log events(distant);
    hold mine = distant.get_lock(name).acquire();
    auto const trap = proxy.cut_before(a_script(locking::scripts::lock_renew));
    ASSERT_TRUE(trap.wait());
    EXPECT_TRUE(stays([&] { return exists(name) && bool(mine); }, 2 * watchdog));
    EXPECT_EQ(events.count(event::kind::hold_lost), 0U);
    mine.release();
    expect_idle(distant);
    expect_clean(server);
}

// Redisson's testLockAfterTimeout, and the listener that Redisson does not have.
TEST(renewal_over_a_restart_test, a_server_that_comes_back_empty_makes_the_hold_lost_and_the_lock_usable) {
    redis_server server;
    config settings = quick(server.uri());
    settings.lock_watchdog_timeout = watchdog;
    client user(settings);
    event_log events(user);
    auto lock = user.get_lock("after-timeout");
    hold mine = lock.acquire();
    server.restart(redis_server::data::lost);
    EXPECT_TRUE(events.wait_for(event::kind::hold_lost, "after-timeout"));
    EXPECT_EQ(outcome_of([&] { mine.release(); }).reason, errc::lease_lost);
    EXPECT_EQ(outcome_of([&] { lock.unlock(); }).reason, errc::not_owner);
    hold next = lock.acquire({.wait = 10s});
    EXPECT_TRUE(stays([&] { return bool(next) && server.run("EXISTS", "after-timeout").integer == 1; }, 2 * watchdog));
    next.release();
    expect_idle(user);
    expect_clean(server);
}

} // namespace
} // namespace redlatch::test
