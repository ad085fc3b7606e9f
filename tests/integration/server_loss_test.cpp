// The server is killed, restarted with and without its data, or paused, while a lock is held and while it is waited for.
#include "integration/fixture.hpp"
#include "support/both_faces.hpp"

#include <thread>

namespace redlatch::test {
namespace {

using data = redis_server::data;

class server_loss_test : public ::testing::Test {
protected:
    redis_server server{{.persistent = true}};
    std::string const name = unique_name();
    config settings() const {
        config result = quick(server.uri());
        result.lock_watchdog_timeout = 2s;
        return result;
    }
    client user{settings()};
    client other{settings()};
    reentrant_lock lock = user.get_lock(name);
    reentrant_lock theirs = other.get_lock(name);

    bool somebody_listens(std::string const& channel) const {
        return server.run("PUBSUB", "NUMSUB", channel).items.at(1).integer > 0;
    }
    bool somebody_waits() const { return somebody_listens(channel_of(name)); }
    void TearDown() override {
        expect_idle(user);
        expect_idle(other);
        expect_clean(server);
    }
};

TEST_F(server_loss_test, a_hold_survives_a_crash_that_keeps_the_data) {
    event_log events(user);
    hold mine = lock.acquire();
    server.kill9();
    server.restart(data::kept);
    EXPECT_TRUE(events.wait_for(event::kind::reconnected));
    for (auto const& one : events.all()) {
        if (one.what != event::kind::reconnected) continue;
        EXPECT_TRUE(one.message.ends_with(" is back")) << one.message;
    }
    EXPECT_TRUE(stays([&] { return bool(mine) && server.run("EXISTS", name).integer == 1; }, 3s));
    EXPECT_EQ(events.count(event::kind::hold_lost), 0U);
    mine.release();
}

TEST_F(server_loss_test, a_crash_that_loses_the_data_is_reported_soon_after_the_reconnection) {
    event_log events(user);
    hold mine = lock.acquire({.lease = 60s});
    hold renewed = user.get_lock("renewed").acquire();
    server.kill9();
    server.restart(data::lost);
    auto const start = test_clock::now();
    EXPECT_TRUE(events.wait_for(event::kind::hold_lost, name));
    EXPECT_TRUE(events.wait_for(event::kind::hold_lost, "renewed"));
    EXPECT_LT(since(start), 10s) << "all holds are verified on reconnection, not at the end of their leases";
    EXPECT_TRUE(mine.lost().stop_requested());
    EXPECT_EQ(mine.status(), hold_status::lost);
    EXPECT_EQ(outcome_of([&] { mine.release(); }).reason, errc::lease_lost);
    EXPECT_EQ(outcome_of([&] { renewed.release(); }).reason, errc::lease_lost);
    EXPECT_EQ(user.stats().lost, 2U);
}

TEST_F(server_loss_test, a_waiter_gets_the_lock_after_a_crash_that_keeps_the_data) {
    hold mine = theirs.acquire();
    auto waiter = in_thread([&] { lock.acquire({.wait = 60s}).release(); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    server.kill9();
    server.restart(data::kept);
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); })) << "subscribes again";
    EXPECT_FALSE(is_ready(waiter));
    mine.release();
    waiter.get();
}

TEST_F(server_loss_test, a_waiter_gets_the_lock_after_a_crash_that_loses_the_data) {
    hold_as_stranger(server, name, 600s);
    auto waiter = in_thread([&] { lock.acquire({.wait = 60s}).release(); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    server.kill9();
    auto const start = test_clock::now();
    server.restart(data::lost);
    waiter.get();
    EXPECT_LT(since(start), 10s) << "woken by the gap, not by the stranger's lease";
}

TEST_F(server_loss_test, a_release_during_the_gap_wakes_the_waiter_after_it) {
    byte_proxy proxy{server.address()};
    config behind = settings();
    behind.address = proxy.uri();
    client distant(behind);
    hold_as_stranger(server, name, 600s);
    auto waiter = in_thread([&] { distant.get_lock(name).acquire({.wait = 60s}).release(); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    proxy.refuse_connections(true);
    proxy.cut_all();
    ASSERT_TRUE(wait_until([&] { return !somebody_waits(); }));
    release_as_stranger(server, name); // nobody hears it
    proxy.refuse_connections(false);
    auto const start = test_clock::now();
    waiter.get();
    EXPECT_LT(since(start), 10s);
    expect_idle(distant);
}

// That it was busy some time ago says nothing of a server that is away: the holder may be dead as well.
TEST_F(server_loss_test, a_wait_that_ends_while_the_server_is_away_does_not_say_that_the_lock_is_held) {
    hold_as_stranger(server, name, 600s);
    semaphore full = user.get_semaphore(name + ":permits");
    EXPECT_FALSE(full.try_acquire()); // the server knows the script
    auto const asked = scripts_executed(server);
    auto for_permits = in_thread([&] { return outcome_of([&] { full.acquire({.wait = 4s}); }); });
    ASSERT_TRUE(waits_for_permits(server, asked));
    auto for_lock = in_thread([&] { return outcome_of([&] { (void)lock.acquire({.wait = 3s}); }); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    server.kill9();
    EXPECT_EQ(for_lock.get().reason, errc::disconnected);
    EXPECT_EQ(for_permits.get().reason, errc::disconnected);
    server.restart(data::lost);
}

TEST_F(server_loss_test, a_wait_without_a_deadline_ends_at_the_outage_limit) {
    config limited = settings();
    limited.outage_limit = 700ms;
    client short_lived(limited);
    hold_as_stranger(server, name, 600s);
    auto waiter = in_thread([&] { return outcome_of([&] { (void)short_lived.get_lock(name).acquire(); }); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    auto const start = test_clock::now();
    server.kill9();
    auto const ended = waiter.get();
    EXPECT_EQ(ended.reason, errc::disconnected);
    EXPECT_NE(ended.message.find(name), std::string::npos) << ended;
    EXPECT_GE(since(start), limited.outage_limit);
    EXPECT_LT(since(start), 3s);
    server.restart(data::lost);
    expect_idle(short_lived);
}

TEST_F(server_loss_test, a_wait_for_permits_without_a_deadline_ends_at_the_outage_limit) {
    config limited = settings();
    limited.outage_limit = 700ms;
    limited.lock_watchdog_timeout = 30s; // for so long it would wait for a message
    client short_lived(limited);
    semaphore full = short_lived.get_semaphore(name);
    EXPECT_FALSE(full.try_acquire()); // the server knows the script
    auto const asked = scripts_executed(server);
    auto waiter = in_thread([&] { return outcome_of([&] { full.acquire(); }); });
    ASSERT_TRUE(waits_for_permits(server, asked));
    auto const start = test_clock::now();
    server.kill9();
    auto const ended = waiter.get();
    EXPECT_EQ(ended.reason, errc::disconnected) << ended;
    EXPECT_GE(since(start), limited.outage_limit);
    EXPECT_LT(since(start), 5s);
    server.restart(data::lost);
    expect_idle(short_lived);
}

TEST_F(server_loss_test, the_outage_limit_counts_from_the_last_sign_of_the_server_not_from_the_beginning_of_a_wait) {
    byte_proxy proxy(server.address());
    config limited = settings();
    limited.address = proxy.uri();
    limited.timeout = 20s;
    limited.outage_limit = 1500ms;
    client patient(limited);
    hold_as_stranger(server, name, 600s);
    auto waiter = in_thread([&] { return outcome_of([&] { patient.get_lock(name).acquire().release(); }); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    EXPECT_TRUE(stays([&] { return !is_ready(waiter); }, 1600ms)) << "the server lives, the lock is only busy";
    auto const trap = proxy.hold_reply(any_lock_call());
    release_as_stranger(server, name);
    ASSERT_TRUE(trap.wait());
    EXPECT_TRUE(stays([&] { return !is_ready(waiter); }, 100ms)) << "an answer may take its time";
    trap.deliver();
    auto const ended = waiter.get();
    EXPECT_EQ(ended.reason, errc{}) << ended;
    expect_idle(patient);
}

TEST_F(server_loss_test, a_call_without_a_server_says_disconnected) {
    server.kill9();
    std::error_code code;
    EXPECT_FALSE(lock.try_acquire({.wait = 300ms, .lease = 10s}, code));
    EXPECT_EQ(code, errc::disconnected);
    auto const thrown = outcome_of([&] { (void)lock.try_lock_for(300ms); });
    EXPECT_EQ(thrown.reason, errc::disconnected);
    EXPECT_NE(thrown.message.find(name), std::string::npos) << thrown;
    server.restart(data::kept);
    hold const mine = lock.acquire({.wait = 10s});
    EXPECT_TRUE(mine);
}

TEST_F(server_loss_test, the_gap_is_told_to_the_listener) {
    event_log events(user);
    lock.acquire().release();
    server.kill9();
    EXPECT_TRUE(events.wait_for(event::kind::disconnected));
    server.restart(data::kept);
    lock.acquire({.wait = 10s}).release();
    EXPECT_TRUE(events.wait_for(event::kind::reconnected));
    EXPECT_GE(user.stats().reconnects, 1U);
}

TEST_F(server_loss_test, a_release_while_the_server_is_away_is_finished_when_it_is_back) {
    hold mine = lock.acquire({.lease = 60s});
    server.kill9();
    std::error_code code;
    mine.release(code);
    EXPECT_EQ(code, errc::outcome_unknown);
    EXPECT_FALSE(lock.is_held());
    server.restart(data::kept);
    EXPECT_TRUE(wait_until([&] { return server.run("EXISTS", name).integer == 0; }))
        << "the background goes on releasing; the lease alone would take a minute";
}

TEST_F(server_loss_test, an_idle_connection_that_has_died_is_noticed_by_the_probe) {
    byte_proxy proxy{server.address()};
    config behind = settings();
    behind.address = proxy.uri();
    behind.ping_interval = 200ms;
    behind.timeout = 300ms;
    client distant(behind);
    event_log events(distant);
    distant.get_lock(name).acquire().release();
    ASSERT_TRUE(wait_until([&] { return proxy.count(a_command("PING")) > 1; })) << "idle connections are probed";
    proxy.drop(direction::to_server);
    EXPECT_TRUE(events.wait_for(event::kind::disconnected));
    proxy.pass(direction::to_server);
    EXPECT_TRUE(events.wait_for(event::kind::reconnected));
    distant.get_lock(name).acquire({.wait = 5s}).release();
    expect_idle(distant);
}

class client_pause_test : public server_loss_test, public ::testing::WithParamInterface<char const*> {
protected:
    bool const all = GetParam() == std::string("ALL");
    // A pause of all holds back CLIENT UNPAUSE as well: it ends by itself.
    void pause(std::chrono::milliseconds all_for) {
        server.run("CLIENT", "PAUSE", all ? std::to_string(all_for.count()) : "60000", GetParam());
    }
    void unpause() {
        if (all)
            server.run("PING");
        else
            server.run("CLIENT", "UNPAUSE");
    }
};

TEST_P(client_pause_test, a_short_pause_costs_neither_the_hold_nor_the_waiter) {
    // Renewed each two seconds, so a renewal is due while the server pauses; a machine that stands still for a second as well
    // does not end the hold.
    auto patient = settings();
    patient.lock_watchdog_timeout = 6s;
    client holder(patient);
    event_log events(holder);
    hold mine = holder.get_lock(name).acquire();
    auto waiter = in_thread([&] { lock.acquire({.wait = 60s}).release(); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(); }));
    pause(2700ms);
    EXPECT_TRUE(stays([&] { return bool(mine); }, 2600ms));
    unpause();
    EXPECT_TRUE(stays([&] { return bool(mine) && !is_ready(waiter); }, 7s)); // renewed, or it would have run out
    EXPECT_EQ(events.count(event::kind::hold_lost), 0U);
    mine.release();
    waiter.get();
    expect_idle(holder);
}

TEST_P(client_pause_test, a_pause_longer_than_the_lease_loses_the_hold_in_time_and_heals) {
    event_log events(user);
    hold mine = lock.acquire();
    pause(5s);
    auto const start = test_clock::now();
    EXPECT_TRUE(wait_until([&] { return mine.lost().stop_requested(); }));
    EXPECT_LT(since(start), 2s + 200ms);
    EXPECT_TRUE(events.wait_for(event::kind::hold_lost, name));
    unpause();
    // While paused, keys do not expire, and what was sent meanwhile runs now: the late renewal must not keep the lock.
    EXPECT_TRUE(wait_until([&] { return server.run("EXISTS", name).integer == 0; }));
    hold const next = theirs.acquire({.wait = 20s});
    EXPECT_TRUE(next);
}

TEST_P(client_pause_test, an_acquisition_given_up_during_the_pause_leaves_no_lock) {
    pause(1200ms);
    std::error_code code;
    EXPECT_FALSE(lock.try_acquire({.wait = 200ms, .lease = 60s}, code));
    EXPECT_TRUE(code == errc::disconnected || code == errc::outcome_unknown) << code.message();
    // Beyond the timeout, so that the connection is given up as well: its bytes run when the pause ends.
    EXPECT_TRUE(stays([&] { return !lock.is_held(); }, 700ms));
    unpause();
    hold mine = theirs.acquire({.wait = 20s, .lease = 60s});
    EXPECT_TRUE(stays([&] { return holders(server, name).count(mine.owner_id()) == 1; }, 500ms));
    mine.release();
    EXPECT_TRUE(wait_until([&] { return server.run("EXISTS", name).integer == 0; }));
}

INSTANTIATE_TEST_SUITE_P(mode, client_pause_test, ::testing::Values("ALL", "WRITE"),
                         [](auto const& mode) { return std::string(mode.param); });

} // namespace
} // namespace redlatch::test
