// What a multi lock does while the server of a member is away, or says nothing.
#include "behaviour/multi_lock_fixture.hpp"

#include <stop_token>

namespace redlatch::test {
namespace {

class multi_lock_outage_test : public multi_lock_fixture, public ::testing::WithParamInterface<multi_lock_order> {};
INSTANTIATE_TEST_SUITE_P(of, multi_lock_outage_test,
                         ::testing::Values(multi_lock_order::none, multi_lock_order::by_name),
                         [](auto const& about) { return order_name(about.param); });

TEST_P(multi_lock_outage_test, is_waited_for) {
    byte_proxy way(server.address());
    client far{quick(way.uri())};
    multi_lock both({user.get_lock(first), far.get_lock(second)}, GetParam());
    way.refuse_connections(true);
    way.cut_all();
    auto const start = test_clock::now();
    auto const problem = outcome_of([&] { static_cast<void>(both.acquire({.wait = 100ms})); });
    EXPECT_TRUE(problem.reason == errc::disconnected || problem.reason == errc::timed_out) << problem;
    EXPECT_LT(since(start), 3s);
    EXPECT_TRUE(wait_until([&] { return !exists(first); }));
    auto waiting = in_thread([&] { return static_cast<bool>(both.acquire({.wait = 30s})); });
    way.refuse_connections(false);
    EXPECT_TRUE(waiting.get());
    expect_idle(far);
}

TEST_P(multi_lock_outage_test, that_says_nothing_is_told_as_one_that_did_not_answer) {
    redis_server silent;
    client far{quick(silent.uri())};
    multi_lock both({user.get_lock(first), far.get_lock(second)}, GetParam());
    EXPECT_TRUE(both.try_acquire()) << "all are connected";
    silent.pause();
    auto const problem = outcome_of([&] { static_cast<void>(both.try_acquire({.wait = 300ms})); });
    silent.resume();
    EXPECT_EQ(problem.reason, errc::disconnected) << problem;
    EXPECT_NE(problem.message.find(second), std::string::npos) << problem;
    EXPECT_TRUE(wait_until([&] { return !exists(first); }));
    expect_idle(far);
}

TEST_P(multi_lock_outage_test, of_a_server_that_executes_no_writes_is_waited_for) {
    redis_server refusing;
    auto settings = quick(refusing.uri());
    settings.fail_fast = true; // it is there
    client far{settings};
    event_log const events(far);
    multi_lock both({user.get_lock(first), far.get_lock(second)}, GetParam());
    refusing.run("CONFIG", "SET", "min-replicas-to-write", "1"); // NOREPLICAS
    auto waiting = in_thread([&] { return static_cast<bool>(both.acquire({.wait = 30s})); });
    ASSERT_TRUE(wait_until([&] { return events.count(event::kind::server_refuses) > 0; }));
    refusing.run("CONFIG", "SET", "min-replicas-to-write", "0");
    EXPECT_TRUE(waiting.get());
    expect_idle(far);
}

TEST_P(multi_lock_outage_test, of_a_server_that_executes_no_writes_ends_a_wait_without_a_deadline) {
    redis_server refusing;
    auto settings = quick(refusing.uri());
    settings.outage_limit = 300ms;
    client far{settings};
    multi_lock both({user.get_lock(first), far.get_lock(second)}, GetParam());
    refusing.run("CONFIG", "SET", "min-replicas-to-write", "1");
    auto const problem = outcome_of([&] { static_cast<void>(both.acquire()); });
    EXPECT_EQ(problem.reason, errc::server_refused) << problem;
    EXPECT_NE(problem.message.find("NOREPLICAS"), std::string::npos) << problem;
    EXPECT_TRUE(wait_until([&] { return !exists(first); }));
    expect_idle(far);
}

TEST_P(multi_lock_outage_test, where_calls_fail_fast_ends_the_wait) {
    byte_proxy near_way(server.address());
    byte_proxy far_way(server.address());
    auto settings = quick(far_way.uri());
    settings.fail_fast = true;
    client far{settings};
    client close_by{quick(near_way.uri())};
    multi_lock both({close_by.get_lock(first), far.get_lock(second)}, GetParam());
    far_way.refuse_connections(true);
    far_way.cut_all();
    ASSERT_TRUE(wait_until([&] { return outcome_of([&] { far.ping(); }).reason == errc::disconnected; }));
    near_way.forget_commands();
    auto const start = test_clock::now();
    auto const problem = outcome_of([&] { static_cast<void>(both.acquire({.wait = 3s, .lease = 2s})); });
    EXPECT_EQ(problem.reason, errc::disconnected) << problem;
    EXPECT_LT(since(start), 1s);
    EXPECT_LT(near_way.commands().size(), 50U);
    expect_idle(close_by); // an acquisition may have been on its way
    EXPECT_TRUE(wait_until([&] { return !exists(first); }));
    far_way.refuse_connections(false);
    expect_idle(far);
}

TEST_P(multi_lock_outage_test, where_calls_fail_fast_ends_the_wait_for_a_member_that_another_has) {
    byte_proxy way(server.address());
    auto settings = quick(way.uri());
    settings.fail_fast = true;
    client far{settings};
    multi_lock both({user.get_lock(first), far.get_lock(second)}, GetParam());
    way.refuse_connections(true);
    way.cut_all();
    ASSERT_TRUE(wait_until([&] { return outcome_of([&] { far.ping(); }).reason == errc::disconnected; }));
    hold const theirs = other.get_lock(first).acquire();
    auto const problem = outcome_of([&] { static_cast<void>(both.acquire({.wait = 3s})); });
    EXPECT_EQ(problem.reason, errc::disconnected) << problem;
    way.refuse_connections(false);
    expect_idle(far);
}

TEST_P(multi_lock_outage_test, is_no_holder_of_what_is_asked_for_once) {
    byte_proxy way(server.address());
    client far{quick(way.uri())};
    multi_lock both({user.get_lock(first), far.get_lock(second)}, GetParam());
    way.refuse_connections(true);
    way.cut_all();
    ASSERT_TRUE(wait_until([&] { return outcome_of([&] { far.ping(); }).reason == errc::disconnected; }));
    auto const problem = outcome_of([&] { static_cast<void>(both.try_acquire()); });
    EXPECT_EQ(problem.reason, errc::disconnected) << problem;
    EXPECT_TRUE(wait_until([&] { return !exists(first); }));
    way.refuse_connections(false);
    expect_idle(far);
}

TEST_P(multi_lock_outage_test, that_lasts_ends_a_wait_without_a_deadline) {
    byte_proxy way(server.address());
    auto settings = quick(way.uri());
    settings.outage_limit = 300ms;
    client far{settings};
    multi_lock both({user.get_lock(first), far.get_lock(second)}, GetParam());
    way.refuse_connections(true);
    way.cut_all();
    std::stop_source stop;
    auto const start = test_clock::now();
    auto waiting = in_thread(
        [&] { return outcome_of([&] { static_cast<void>(both.acquire({.lease = 2s, .stop = stop.get_token()})); }); });
    EXPECT_TRUE(wait_until([&] { return is_ready(waiting); })) << "waits for ever";
    stop.request_stop();
    auto const end = waiting.get();
    EXPECT_EQ(end.reason, errc::disconnected) << end;
    EXPECT_GE(since(start), 295ms);
    EXPECT_TRUE(wait_until([&] { return !exists(first); }));
    way.refuse_connections(false);
    expect_idle(far);
}

/// A server that says nothing: its replies are kept by a proxy, and the client is patient with it.
class silent_member_test : public multi_lock_fixture {
protected:
    byte_proxy way{server.address()};
    client far{patient(way.uri())};
    multi_lock both{{user.get_lock(first), far.get_lock(second)}};
    static config patient(std::string address) {
        auto settings = quick(std::move(address));
        settings.timeout = 20s;
        return settings;
    }
};

TEST_F(silent_member_test, no_wait_outlives_its_deadline) {
    auto const answer = way.hold_reply(an_acquisition());
    auto const start = test_clock::now();
    EXPECT_NE(outcome_of([&] { static_cast<void>(both.acquire({.wait = 100ms})); }).reason, errc{});
    EXPECT_LT(since(start), 5s);
    EXPECT_TRUE(wait_until([&] { return !exists(first); }));
    answer.deliver(); // what it has acquired too late is given back
    EXPECT_TRUE(wait_until([&] { return !exists(second); }));
    expect_idle(far);
}

TEST_F(silent_member_test, no_wait_outlives_its_deadline_for_a_handler) {
    auto const answer = way.hold_reply(an_acquisition());
    auto const start = test_clock::now();
    std::promise<std::error_code> ended;
    both.async_acquire({.wait = 100ms}, {}, [&](std::error_code ec, multi_hold) { ended.set_value(ec); });
    EXPECT_TRUE(ended.get_future().get());
    EXPECT_LT(since(start), 5s);
    answer.deliver();
    expect_idle(far);
}

/// The handler runs on a thread of the first member's client; it is the second member's server that says nothing.
TEST_F(silent_member_test, a_hold_that_ends_in_a_handler_waits_for_no_server) {
    auto const answer = way.hold_reply(a_release());
    std::promise<std::chrono::milliseconds> took;
    both.async_acquire({}, {}, [&](std::error_code, multi_hold held) {
        auto const start = test_clock::now();
        { auto const ends = std::move(held); }
        took.set_value(since(start));
    });
    EXPECT_LT(took.get_future().get(), 5s);
    ASSERT_TRUE(answer.wait());
    answer.deliver();
    expect_idle(far);
}

} // namespace
} // namespace redlatch::test
