// Idempotence under lost replies, and under requests that arrive late.
//
// A request of which the server has seen only the first bytes is on a connection that the client gives up. The client tries
// again on a new one. Then the rest of the old request arrives - right after the retry, or after the whole next cycle. Where
// CLIENT KILL is allowed the old connection must be dead before the retry is written; where it is refused, the late request
// finds an id that nobody uses any more, and what it leaves behind is swept away.
#include "integration/fixture.hpp"
#include "locking/script.hpp"
#include "support/both_faces.hpp"

#include <thread>

namespace redlatch::test {
namespace {

namespace scripts = locking::scripts;
using fate = proxy_trap::fate;

enum class kill { allowed, refused };

class late_bytes_test : public ::testing::TestWithParam<std::tuple<kill, std::size_t>> {
protected:
    redis_server server{{.over = server_options::transport::tcp}};
    byte_proxy proxy{server.address()};
    std::string const name = unique_name();
    bool const kill_allowed = std::get<0>(GetParam()) == kill::allowed;
    /// So many bytes of the request arrive early.
    std::size_t const first = std::get<1>(GetParam());

    config settings(std::string address, std::chrono::milliseconds watchdog = 30s) const {
        config result = quick(std::move(address));
        result.username = "tester";
        result.password = "secret";
        result.lock_watchdog_timeout = watchdog;
        return result;
    }

    void SetUp() override {
        words rights{"ACL", "SETUSER", "tester", "on", ">secret", "~*", "&*", "+@all"};
        if (!kill_allowed && test_server_is_before_7()) GTEST_SKIP() << needs_rules_of_7;
        if (!kill_allowed) rights.push_back("-client|kill");
        ASSERT_EQ(server.admin().command(rights).text, "OK");
    }

    /// With CLIENT KILL the retry is written only after the old connection is dead.
    void expect_kill(proxy_trap const& trap) const {
        if (kill_allowed)
            EXPECT_EQ(trap.what_happened(), fate::ended) << "tried again without killing the old connection first";
        else
            EXPECT_EQ(trap.what_happened(), fate::open);
    }
    /// The late bytes; where the connection is dead they go nowhere.
    void deliver(proxy_trap const& trap) const {
        trap.deliver();
        EXPECT_EQ(trap.wait_fate(), kill_allowed ? fate::ended : fate::answered);
    }
    std::string owner_now() const {
        auto const all = holders(server, name);
        return all.empty() ? "" : all.begin()->first;
    }
    bool free() const { return server.run("EXISTS", name).integer == 0; }
    /// Also where the predecessor kill was refused: an unknown acquisition is swept for as long as its bytes may come.
    void expect_settled(client const& user) const {
        EXPECT_TRUE(wait_until([&] { return free(); }));
        if (kill_allowed) expect_idle(user);
    }
};

TEST_P(late_bytes_test, of_an_acquisition_after_its_retry) {
    client user(settings(proxy.uri()));
    auto lock = user.get_lock(name);
    lock.acquire().release();
    auto const trap = proxy.hold_tail(an_acquisition(), first);
    auto caller = in_thread([&] { return lock.acquire({.wait = 10s, .owner = owner()}); });
    ASSERT_TRUE(trap.wait());
    trap.cut_client();
    hold mine = caller.get();
    expect_kill(trap);
    EXPECT_EQ(owner_now(), mine.owner_id());
    deliver(trap);
    EXPECT_EQ(holders(server, name), (std::map<std::string, std::string>{{mine.owner_id(), "1"}}));
    mine.release();
    EXPECT_TRUE(free());
    expect_settled(user);
}

TEST_P(late_bytes_test, of_an_acquisition_after_the_whole_cycle) {
    client user(settings(proxy.uri()));
    auto lock = user.get_lock(name);
    lock.acquire().release();
    auto const trap = proxy.hold_tail(an_acquisition(), first);
    auto caller = in_thread([&] { lock.acquire({.wait = 10s}).release(); });
    ASSERT_TRUE(trap.wait());
    trap.cut_client();
    caller.get();
    expect_kill(trap);
    EXPECT_TRUE(free());
    deliver(trap);
    // With a late copy possible, the late acquisition leaves an orphan with a lease of 30 s; the sweeps end it long before.
    auto const start = test_clock::now();
    EXPECT_TRUE(wait_until([&] { return free(); }));
    EXPECT_LT(since(start), 18s);
    hold const next = lock.acquire({.wait = 10s});
    EXPECT_TRUE(next);
}

TEST_P(late_bytes_test, of_an_acquisition_after_the_first_sweep) {
    client user(settings(proxy.uri()));
    auto lock = user.get_lock(name);
    lock.acquire().release();
    auto const trap = proxy.hold_tail(an_acquisition(), first);
    auto caller = in_thread([&] { lock.acquire({.wait = 10s}).release(); });
    ASSERT_TRUE(trap.wait());
    trap.cut_client();
    caller.get();
    if (kill_allowed) {
        expect_idle(user); // what is dead need not be swept
        return;
    }
    auto const releases = proxy.count(a_release());
    ASSERT_TRUE(wait_until([&] { return proxy.count(a_release()) > releases; })) << "no sweep";
    deliver(trap);
    auto const start = test_clock::now();
    EXPECT_TRUE(wait_until([&] { return free(); }));
    EXPECT_LT(since(start), 18s) << "the lease alone would take 30 s";
}

TEST_P(late_bytes_test, of_an_acquisition_whose_caller_has_left_unanswered) {
    client user(settings(proxy.uri()));
    auto lock = user.get_lock(name);
    lock.acquire().release();
    auto const trap = proxy.hold_tail(an_acquisition(), first);
    std::stop_source stop;
    auto caller = in_thread(
        [&] { return outcome_of([&] { (void)lock.acquire({.wait = 20s, .stop = stop.get_token()}); }).reason; });
    ASSERT_TRUE(trap.wait());
    event_log events(user);
    auto const retry = proxy.hold_reply(an_acquisition());
    trap.cut_client();
    ASSERT_TRUE(retry.wait()); // on the second connection, which has been answered whether the first one is dead
    EXPECT_TRUE(stays([&] { return !is_ready(caller); }, 50ms));
    // The third connection may end the second one, but knows nothing of the first.
    ASSERT_EQ(server.run("ACL", "SETUSER", "tester", "+client|kill").text, "OK");
    proxy.refuse_connections(true);
    retry.cut_client();
    EXPECT_TRUE(wait_until([&] { return events.count(event::kind::disconnected) == 2; }));
    stop.request_stop();
    EXPECT_EQ(caller.get(), errc::cancelled);
    proxy.refuse_connections(false);
    EXPECT_TRUE(wait_until([&] { return free(); })) << "what the retry took is released";
    trap.deliver();
    if (!kill_allowed) {
        EXPECT_TRUE(wait_until([&] { return !free(); })) << "the first copy has run, too late";
    }
    auto const start = test_clock::now();
    EXPECT_TRUE(wait_until([&] { return free(); }));
    EXPECT_LT(since(start), 18s) << "the lease alone would take 30 s";
}

TEST_P(late_bytes_test, of_an_acquisition_while_somebody_else_holds_the_lock) {
    client user(settings(proxy.uri()));
    client other(settings(server.uri()));
    auto lock = user.get_lock(name);
    lock.acquire().release();
    auto const trap = proxy.hold_tail(an_acquisition(), first);
    auto caller = in_thread([&] { lock.acquire({.wait = 10s}).release(); });
    ASSERT_TRUE(trap.wait());
    trap.cut_client();
    caller.get();
    hold theirs = other.get_lock(name).acquire({.wait = 10s});
    auto const before = holders(server, name);
    deliver(trap);
    EXPECT_EQ(holders(server, name), before);
    EXPECT_TRUE(stays([&] { return bool(theirs) && holders(server, name) == before; }, 1500ms)) << "nor do sweeps hurt";
    theirs.release();
    expect_settled(user);
}

TEST_P(late_bytes_test, of_an_acquisition_that_was_cancelled) {
    client user(settings(proxy.uri()));
    auto lock = user.get_lock(name);
    lock.acquire().release();
    auto const trap = proxy.hold_tail(an_acquisition(), first);
    std::stop_source stop;
    auto caller = in_thread([&] { return outcome_of([&] { (void)lock.acquire({.stop = stop.get_token()}); }).reason; });
    ASSERT_TRUE(trap.wait());
    stop.request_stop();
    EXPECT_EQ(caller.get(), errc::cancelled);
    trap.cut_client();
    if (kill_allowed) {
        EXPECT_EQ(trap.wait_fate(), fate::ended) << "the background predecessor kills before it releases";
    }
    deliver(trap);
    expect_settled(user);
    hold const next = lock.acquire({.wait = 10s});
    EXPECT_TRUE(next);
}

TEST_P(late_bytes_test, of_a_re_entry) {
    client user(settings(proxy.uri()));
    owner const job;
    auto lock = user.get_lock(name);
    hold outer = lock.acquire({.owner = job});
    auto const trap = proxy.hold_tail(a_script(scripts::lock_set_count), first);
    auto caller = in_thread([&] { return lock.acquire({.wait = 10s, .owner = job}); });
    ASSERT_TRUE(trap.wait());
    trap.cut_client();
    hold inner = caller.get();
    expect_kill(trap);
    EXPECT_EQ(holders(server, name)[outer.owner_id()], "2");
    deliver(trap);
    EXPECT_EQ(holders(server, name)[outer.owner_id()], "2");
    EXPECT_EQ(lock.hold_count(job), 2);
    inner.release();
    EXPECT_EQ(holders(server, name)[outer.owner_id()], "1");
    outer.release();
    expect_settled(user);
}

TEST_P(late_bytes_test, of_a_re_entry_after_the_whole_cycle) {
    client user(settings(proxy.uri()));
    client other(settings(server.uri()));
    owner const job;
    auto lock = user.get_lock(name);
    hold outer = lock.acquire({.owner = job});
    auto const trap = proxy.hold_tail(a_script(scripts::lock_set_count), first);
    auto caller = in_thread([&] { return lock.acquire({.wait = 10s, .owner = job}); });
    ASSERT_TRUE(trap.wait());
    trap.cut_client();
    caller.get().release();
    outer.release();
    EXPECT_TRUE(free());
    hold theirs = other.get_lock(name).acquire();
    auto const before = holders(server, name);
    deliver(trap);
    EXPECT_EQ(holders(server, name), before);
    theirs.release();
    EXPECT_TRUE(free());
    expect_settled(user);
}

TEST_P(late_bytes_test, of_a_partial_release) {
    client user(settings(proxy.uri()));
    auto lock = user.get_lock(name);
    owner const job;
    hold outer = lock.acquire({.owner = job});
    hold inner = lock.acquire({.owner = job});
    auto const trap = proxy.hold_tail(a_script(scripts::lock_set_count), first);
    auto caller = in_thread([&] { inner.release(); });
    ASSERT_TRUE(trap.wait());
    trap.cut_client();
    caller.get();
    expect_kill(trap);
    EXPECT_EQ(holders(server, name)[outer.owner_id()], "1");
    hold again = lock.acquire({.owner = job});
    deliver(trap); // Where it is not it writes 1 where 2 stands: the client's count is the truth.
    EXPECT_EQ(lock.hold_count(job), 2);
    outer.release();
    EXPECT_FALSE(free());
    EXPECT_TRUE(again);
    again.release();
    EXPECT_TRUE(free());
    expect_settled(user);
}

TEST_P(late_bytes_test, of_the_last_release_after_its_retry) {
    client user(settings(proxy.uri()));
    client other(settings(server.uri()));
    auto lock = user.get_lock(name);
    hold mine = lock.acquire();
    auto const trap = proxy.hold_tail(a_release(), first);
    auto caller = in_thread([&] { return outcome_of([&] { mine.release(); }).reason; });
    ASSERT_TRUE(trap.wait());
    trap.cut_client();
    EXPECT_EQ(caller.get(), errc{}) << "the retry found the field and removed it";
    expect_kill(trap);
    EXPECT_TRUE(free());
    hold theirs = other.get_lock(name).acquire();
    auto const before = holders(server, name);
    deliver(trap);
    EXPECT_EQ(holders(server, name), before) << "a late release must not end another's hold";
    theirs.release();
    expect_settled(user);
}

TEST_P(late_bytes_test, of_the_last_release_after_the_whole_next_cycle) {
    client user(settings(proxy.uri()));
    auto lock = user.get_lock(name);
    hold mine = lock.acquire();
    auto const trap = proxy.hold_tail(a_release(), first);
    auto caller = in_thread([&] { mine.release(); });
    ASSERT_TRUE(trap.wait());
    trap.cut_client();
    caller.get();
    lock.acquire().release();
    hold next = lock.acquire();
    auto const before = holders(server, name);
    deliver(trap);
    EXPECT_EQ(holders(server, name), before) << "nor our own next one";
    EXPECT_TRUE(next);
    next.release();
    expect_settled(user);
}

TEST_P(late_bytes_test, of_a_renewal) {
    client user(settings(proxy.uri(), 1500ms));
    client other(settings(server.uri()));
    auto lock = user.get_lock(name);
    hold mine = lock.acquire();
    auto const trap = proxy.hold_tail(a_script(scripts::lock_renew), first);
    ASSERT_TRUE(trap.wait());
    trap.cut_client();
    auto const renewals = user.stats().renewals;
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals >= renewals + 2; }));
    EXPECT_TRUE(mine);
    mine.release();
    hold theirs = other.get_lock(name).acquire({.lease = 60s});
    auto const before = holders(server, name);
    deliver(trap);
    EXPECT_EQ(holders(server, name), before);
    EXPECT_GT(pttl(server, name), 50000) << "a late renewal must not touch another's lease";
    theirs.release();
    expect_settled(user);
}

TEST_P(late_bytes_test, of_a_force_unlock) {
    client user(settings(proxy.uri()));
    client other(settings(server.uri(), 1500ms));
    auto lock = user.get_lock(name);
    auto theirs = other.get_lock(name);
    hold former = theirs.acquire();
    auto const trap = proxy.hold_tail(a_script(scripts::lock_force_release), first);
    auto caller = in_thread([&] { return outcome_of([&] { (void)lock.force_unlock(); }).reason; });
    ASSERT_TRUE(trap.wait());
    trap.cut_client();
    auto const ended = caller.get();
    std::error_code code;
    former.release(code);
    hold next = theirs.acquire({.wait = 5s});
    if (kill_allowed) {
        EXPECT_EQ(ended, errc{});
        EXPECT_EQ(trap.what_happened(), fate::ended);
    } else {
        // Nothing tells a late force unlock from a fresh one. Then it ends the hold of whoever has the lock - who is told.
        EXPECT_TRUE(ended == errc{} || ended == errc::outcome_unknown) << make_error_code(ended).message();
    }
    deliver(trap);
    if (kill_allowed)
        EXPECT_EQ(owner_now(), next.owner_id());
    else
        EXPECT_TRUE(wait_until([&] { return next.lost().stop_requested(); }));
    next.release(code);
    EXPECT_TRUE(free());
    expect_settled(user);
}

std::string late_bytes_name(::testing::TestParamInfo<late_bytes_test::ParamType> const& which) {
    auto const [rights, bytes] = which.param;
    return std::string(rights == kill::allowed ? "kill_allowed" : "kill_refused") + "_after_" + std::to_string(bytes)
           + "_bytes";
}

INSTANTIATE_TEST_SUITE_P(rights, late_bytes_test,
                         ::testing::Combine(::testing::Values(kill::allowed, kill::refused),
                                            ::testing::Values<std::size_t>(1, 60)),
                         late_bytes_name);

// The reply is lost, not the request: the server has done it, and the retry must find that out.
class lost_reply_test : public with_server {
protected:
    byte_proxy proxy{server.address()};
    client user{quick(proxy.uri())};
    reentrant_lock lock = user.get_lock(name);

    void TearDown() override {
        expect_idle(user);
        expect_clean(server);
    }
};

TEST_F(lost_reply_test, of_an_acquisition) {
    auto const trap = proxy.cut_after(an_acquisition());
    hold mine = lock.acquire({.wait = 10s});
    EXPECT_TRUE(trap.sprung());
    EXPECT_EQ(holders(server, name), (std::map<std::string, std::string>{{mine.owner_id(), "1"}}));
    mine.release();
}

TEST_F(lost_reply_test, of_a_re_entry_and_of_a_partial_release) {
    hold outer = lock.acquire();
    auto const first = proxy.cut_after(a_script(scripts::lock_set_count));
    hold inner = lock.acquire({.wait = 10s});
    EXPECT_TRUE(first.sprung());
    EXPECT_EQ(holders(server, name)[outer.owner_id()], "2") << "counted once";
    auto const second = proxy.cut_after(a_script(scripts::lock_set_count));
    inner.release();
    EXPECT_TRUE(second.sprung());
    EXPECT_EQ(holders(server, name)[outer.owner_id()], "1");
    outer.release();
}

TEST_F(lost_reply_test, of_the_last_release_is_not_called_a_loss) {
    event_log events(user);
    hold mine = lock.acquire();
    auto const trap = proxy.cut_after(a_release());
    auto const ended = outcome_of([&] { mine.release(); });
    EXPECT_TRUE(trap.sprung());
    EXPECT_EQ(ended.reason, errc{}) << ended;
    EXPECT_EQ(events.count(event::kind::hold_lost), 0U);
    EXPECT_EQ(user.stats().lost, 0U);
}

TEST_F(lost_reply_test, of_every_command_in_turn_over_many_cycles) {
    lock.acquire().release();
    for (int round = 0; round < 12; ++round) {
        int countdown = round % 4;
        auto const trap = proxy.cut_after(
            [countdown](words const& command) mutable { return any_lock_call()(command) && countdown-- == 0; });
        hold outer = lock.acquire({.wait = 10s});
        hold inner = lock.acquire({.wait = 10s});
        EXPECT_EQ(holders(server, name)[outer.owner_id()], "2");
        inner.release();
        EXPECT_EQ(holders(server, name)[outer.owner_id()], "1");
        outer.release();
        EXPECT_FALSE(exists(name));
        EXPECT_TRUE(trap.sprung());
    }
}

// Silence, not an end: the client itself cuts the connection after `timeout`, while its bytes are still on their way.
TEST_F(lost_reply_test, of_a_connection_that_falls_silent) {
    lock.acquire().release();
    proxy.hold(direction::to_server);
    auto caller = in_thread([&] { return lock.acquire({.wait = 20s, .owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return proxy.connections() > 0 && user.stats().waiters == 1; }));
    EXPECT_TRUE(stays([&] { return !is_ready(caller); }, 700ms));
    proxy.pass(direction::to_server);
    hold mine = caller.get();
    EXPECT_EQ(holders(server, name), (std::map<std::string, std::string>{{mine.owner_id(), "1"}}));
    mine.release();
}

} // namespace
} // namespace redlatch::test
