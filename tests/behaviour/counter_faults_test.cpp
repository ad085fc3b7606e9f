// Semaphores and latches when answers are lost: a plain number cannot tell a repeated request from a new one.
#include "integration/fixture.hpp"
#include "locking/script.hpp"

#include <algorithm>
#include <future>
#include <stop_token>

namespace redlatch::test {
namespace {

namespace scripts = locking::scripts;

class counter_faults_test : public with_server {
protected:
    byte_proxy proxy{server.address()};
    client user{quick(proxy.uri())};
    semaphore sent_once = user.get_semaphore(name);
    semaphore exactly_once = user.get_semaphore(name, {.exactly_once = true});
    std::string const gate = name + "-gate";

    std::string value(std::string const& key) const { return server.run("GET", key).text; }
    std::string value() const { return value(name); }
    bool becomes(std::string const& wanted) const {
        return wait_until([&] { return value() == wanted; });
    }
    /// It has begun.
    std::future<void> close_in_thread(client& one) {
        auto ended = in_thread([&] { one.close(); });
        std::stop_source stopped;
        stopped.request_stop();
        EXPECT_TRUE(wait_until([&] {
            return outcome_of([&] { one.get_semaphore(name).acquire({.stop = stopped.get_token()}); }).reason
                   == errc::closed;
        }));
        return ended;
    }
    void SetUp() override { exactly_once.try_set_permits(5); }
    void TearDown() override { expect_idle(user); }
};

TEST_F(counter_faults_test, says_that_nobody_knows_what_became_of_a_request_that_is_sent_once) {
    auto const lost = proxy.cut_after(a_script(scripts::semaphore_acquire));
    auto const said = outcome_of([&] { sent_once.acquire({.wait = 20s}); });
    EXPECT_EQ(said.reason, errc::outcome_unknown);
    EXPECT_NE(said.message.find("exactly_once"), std::string::npos) << said.message;
    EXPECT_TRUE(lost.wait());
    EXPECT_EQ(proxy.count(a_script(scripts::semaphore_acquire)), 1U) << "not repeated";

    auto const again = proxy.cut_after(a_script(scripts::semaphore_release));
    EXPECT_EQ(outcome_of([&] { sent_once.release(); }).reason, errc::outcome_unknown);
    EXPECT_TRUE(again.wait());
    EXPECT_LE(proxy.count(a_script(scripts::semaphore_release)), 2U) << "by its SHA-1, and by its text";
    EXPECT_EQ(sent_once.available_permits(), value() == "5" ? 5 : 4) << "a question is repeated";
}

TEST_F(counter_faults_test, permits_that_were_too_few_for_one_that_leaves_are_for_the_next) {
    server.run("SET", name, "0");
    EXPECT_FALSE(sent_once.try_acquire()); // the server knows the script
    semaphore many = user.get_semaphore(name);
    std::stop_source leave;
    auto wants_many =
        in_thread([&] { return outcome_of([&] { many.acquire({.permits = 5, .stop = leave.get_token()}); }).reason; });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1; }));
    auto wants_one = in_thread([&] { return outcome_of([&] { sent_once.acquire({.wait = 20s}); }).reason; });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 2; }));
    for (int time = 0; time < 2; ++time) { // both are told, ask, and find that others took them: then they listen
        auto const asked = proxy.count(a_script(scripts::semaphore_acquire));
        proxy.hold(direction::to_server);
        auto released = in_thread([&] { many.release(6); });
        ASSERT_TRUE(wait_until([&] { return proxy.count(a_script(scripts::semaphore_acquire)) >= asked + 2; }));
        server.run("SET", name, "-6");
        proxy.pass(direction::to_server);
        released.get();
        ASSERT_TRUE(wait_until([&] { return value() == "0"; }));
    }
    auto const refused = proxy.count(a_script(scripts::semaphore_acquire));
    server.run("SET", name, "0");
    many.release();
    ASSERT_TRUE(wait_until([&] { return proxy.count(a_script(scripts::semaphore_acquire)) > refused; }));
    leave.request_stop();
    EXPECT_EQ(wants_many.get(), errc::cancelled);
    EXPECT_EQ(wants_one.get(), errc());
    EXPECT_EQ(value(), "0");
    exactly_once.release(5);
}

TEST_F(counter_faults_test, asks_again_where_nothing_was_sent) {
    proxy.refuse_connections(true);
    proxy.cut_all();
    EXPECT_EQ(outcome_of([&] { user.ping(); }).reason, errc::disconnected) << "it is known to be gone";
    auto waiting = in_thread([&] { sent_once.acquire({.wait = 20s}); });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1; }));
    proxy.refuse_connections(false);
    waiting.get();
    EXPECT_EQ(value(), "4");
}

TEST_F(counter_faults_test, says_that_the_server_is_away_however_short_the_wait) {
    proxy.refuse_connections(true);
    proxy.cut_all();
    EXPECT_EQ(outcome_of([&] { user.ping(); }).reason, errc::disconnected);
    EXPECT_EQ(outcome_of([&] { sent_once.acquire({.wait = 5ms}); }).reason, errc::disconnected);
    EXPECT_EQ(outcome_of([&] { exactly_once.acquire({.wait = 5ms}); }).reason, errc::disconnected);
    EXPECT_EQ(outcome_of([&] { user.get_lock(gate).acquire({.wait = 5ms}).release(); }).reason, errc::disconnected);
    proxy.refuse_connections(false);
}

TEST_F(counter_faults_test, tells_that_the_server_takes_changes_again) {
    event_log told(user);
    auto const refused = proxy.replace_reply(a_script(scripts::semaphore_acquire), "-MISCONF no disk\r\n");
    sent_once.acquire({.wait = 20s});
    EXPECT_TRUE(refused.wait());
    EXPECT_TRUE(told.wait_for(event::kind::server_refuses));
    EXPECT_TRUE(told.wait_for(event::kind::server_recovered));
}

TEST_F(counter_faults_test, says_of_a_server_without_memory_that_it_answers) {
    auto settings = quick(server.uri());
    settings.timeout = 300ms;
    client hasty(settings);
    auto another = hasty.get_semaphore(gate);
    server.run("CONFIG", "SET", "maxmemory", "1");
    auto const problem = outcome_of([&] { another.try_set_permits(1); });
    server.run("CONFIG", "SET", "maxmemory", "0");
    EXPECT_EQ(problem.reason, errc::disconnected) << problem;
    EXPECT_NE(problem.message.find("does not execute it now (it said: "), std::string::npos) << problem;
    EXPECT_NE(problem.message.find("OOM command not allowed"), std::string::npos) << problem;
}

TEST_F(counter_faults_test, gives_back_where_there_is_no_memory_left) {
    auto latch = user.get_count_down_latch(gate);
    ASSERT_TRUE(latch.try_set_count(3));
    server.run("CONFIG", "SET", "maxmemory", "1");
    auto const ends = {outcome_of([&] { sent_once.release(2); }), outcome_of([&] { latch.count_down(); }),
                       outcome_of([&] { exactly_once.release(); })};
    server.run("CONFIG", "SET", "maxmemory", "0");
    for (auto const& end : ends) EXPECT_EQ(end.reason, errc()) << end;
    EXPECT_EQ(value(), "8");
    EXPECT_EQ(value(gate), "2");
}

/// It waits for room then, as it would where there were no records, and says that the server has none.
TEST_F(counter_faults_test, says_that_the_server_is_full_to_who_may_keep_no_record) {
    if (test_server_is_before_7()) GTEST_SKIP() << needs_rules_of_7;
    server.run("ACL", "SETUSER", "few", "on", "nopass", "+@all", "~" + name, "&*");
    auto settings = quick(server.uri());
    settings.username = "few";
    settings.password = "any";
    settings.timeout = 300ms;
    client limited(settings);
    auto permits = limited.get_semaphore(name);
    server.run("CONFIG", "SET", "maxmemory", "1");
    auto const refused = outcome_of([&] { permits.release(); });
    settings.timeout = 20s; // long enough for the server to have room again
    auto later = in_thread([&] { return outcome_of([&] { client(settings).get_semaphore(name).release(); }); });
    server.run("CONFIG", "SET", "maxmemory", "0");
    EXPECT_EQ(refused.reason, errc::disconnected) << refused;
    EXPECT_NE(refused.message.find("OOM command not allowed"), std::string::npos) << refused;
    EXPECT_EQ(later.get().reason, errc());
    EXPECT_EQ(value(), "6");
    server.run("ACL", "DELUSER", "few");
}

TEST_F(counter_faults_test, does_not_ask_for_what_the_waiter_before_it_has_taken) {
    exactly_once.acquire(); // the server knows the script
    exactly_once.drain_permits();
    auto const asked = [&] { return proxy.count(a_script(scripts::semaphore_acquire)); };
    auto const begin = asked();
    auto one = in_thread([&] { exactly_once.acquire({.wait = 20s}); });
    ASSERT_TRUE(wait_until([&] { return asked() == begin + 2; })) << "once more when it listens";
    auto another = in_thread([&] { exactly_once.acquire({.wait = 20s}); });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 2; }));
    client elsewhere{quick(server.uri())};
    elsewhere.get_semaphore(name).release();
    one.get();
    EXPECT_TRUE(stays([&] { return asked() <= begin + 3; }, 300ms)) << "the last permit has gone to the first";
    elsewhere.get_semaphore(name).release();
    another.get();
}

TEST_F(counter_faults_test, tells_whoever_is_asking_that_the_client_was_closed) {
    client closing{quick(proxy.uri())};
    auto counter = closing.get_semaphore(name);
    auto const late = proxy.hold_reply(a_command("GET"));
    auto asking = in_thread([&] { return outcome_of([&] { (void)counter.available_permits(); }); });
    EXPECT_TRUE(late.wait());
    closing.close();
    auto const said = asking.get();
    EXPECT_EQ(said.reason, errc::closed);
    EXPECT_NE(said.message.find("the client was closed"), std::string::npos) << said.message;
    EXPECT_NE(said.message.find(name), std::string::npos) << said.message;
    late.deliver();
}

TEST_F(counter_faults_test, takes_permits_once_although_the_answer_was_lost) {
    for (int round = 0; round < 3; ++round) {
        auto const lost = proxy.cut_after(a_script(scripts::semaphore_acquire));
        exactly_once.acquire({.permits = 2, .wait = 20s});
        EXPECT_TRUE(lost.wait());
        EXPECT_EQ(value(), "3");
        auto const again = proxy.cut_after(a_script(scripts::semaphore_release));
        exactly_once.release(2);
        EXPECT_TRUE(again.wait());
        EXPECT_EQ(value(), "5");
    }
    auto const drained = proxy.cut_after(a_script(scripts::semaphore_drain));
    EXPECT_EQ(exactly_once.drain_permits(), 5);
    EXPECT_TRUE(drained.wait());
    EXPECT_EQ(value(), "0");
}

TEST_F(counter_faults_test, sets_once_although_the_answer_was_lost) {
    auto other = user.get_semaphore(name + "-new", {.exactly_once = true});
    auto const lost = proxy.cut_after(a_script(scripts::counter_set));
    EXPECT_TRUE(other.try_set_permits(2)) << "it was this one who has set it";
    EXPECT_TRUE(lost.wait());
    EXPECT_EQ(value(name + "-new"), "2");
}

TEST_F(counter_faults_test, counts_down_once_although_the_answer_was_lost) {
    auto latch = user.get_count_down_latch(gate, {.exactly_once = true});
    ASSERT_TRUE(latch.try_set_count(3));
    auto const lost = proxy.cut_after(a_script(scripts::latch_count_down));
    EXPECT_TRUE(latch.count_down());
    EXPECT_TRUE(lost.wait());
    EXPECT_EQ(latch.count(), 2);

    auto plain = user.get_count_down_latch(gate);
    auto const unknown = proxy.cut_after(a_script(scripts::latch_count_down));
    auto const said = outcome_of([&] { plain.count_down(); });
    EXPECT_EQ(said.reason, errc::outcome_unknown);
    EXPECT_NE(said.message.find("exactly_once"), std::string::npos) << said.message;
    EXPECT_TRUE(unknown.wait());
}

/// The permits of one who goes away while the server's answer is on its way.
class abandoned_request_test : public counter_faults_test, public ::testing::WithParamInterface<bool> {
protected:
    semaphore& which() { return GetParam() ? exactly_once : sent_once; }
};

INSTANTIATE_TEST_SUITE_P(of, abandoned_request_test, ::testing::Bool(),
                         [](auto const& about) { return about.param ? "exactly_once" : "sent_once"; });

TEST_P(abandoned_request_test, is_given_back_at_the_deadline) {
    which().acquire();
    which().release(); // the server knows the scripts
    auto const late = proxy.hold_reply(a_script(scripts::semaphore_acquire));
    EXPECT_FALSE(outcome_of([&] { which().acquire({.permits = 2, .wait = 100ms}); }).message.empty());
    EXPECT_TRUE(late.wait());
    late.deliver();
    EXPECT_TRUE(becomes("5"));
}

TEST_P(abandoned_request_test, is_given_back_when_it_is_cancelled) {
    which().acquire();
    which().release();
    std::stop_source stop;
    auto const late = proxy.hold_reply(a_script(scripts::semaphore_acquire));
    auto asking = in_thread([&] { return outcome_of([&] { which().acquire({.stop = stop.get_token()}); }); });
    EXPECT_TRUE(late.wait());
    stop.request_stop();
    EXPECT_EQ(asking.get().reason, errc::cancelled);
    late.deliver();
    EXPECT_TRUE(becomes("5"));
}

TEST_P(abandoned_request_test, is_given_back_by_a_client_that_closes) {
    which().acquire();
    which().release();
    auto settings = quick(proxy.uri());
    settings.timeout = settings.close_timeout = patience;
    client closing(settings);
    auto permits = closing.get_semaphore(name, {.exactly_once = GetParam()});
    auto const late = proxy.hold_reply(a_script(scripts::semaphore_acquire));
    EXPECT_FALSE(outcome_of([&] { permits.acquire({.permits = 2, .wait = 50ms}); }).message.empty());
    EXPECT_TRUE(late.wait());
    auto ended = close_in_thread(closing);
    late.deliver();
    ended.get();
    EXPECT_EQ(value(), "5");
}

TEST_F(counter_faults_test, does_not_close_for_longer_where_the_answer_to_an_abandoned_request_is_lost) {
    sent_once.acquire();
    sent_once.release();
    auto settings = quick(proxy.uri());
    settings.timeout = settings.close_timeout = patience;
    client closing(settings);
    auto permits = closing.get_semaphore(name);
    auto const late = proxy.hold_reply(a_script(scripts::semaphore_acquire));
    EXPECT_FALSE(outcome_of([&] { permits.acquire({.permits = 2, .wait = 50ms}); }).message.empty());
    EXPECT_TRUE(late.wait());
    auto const began = test_clock::now();
    auto ended = close_in_thread(closing);
    late.cut_client();
    ended.get();
    EXPECT_LT(since(began), patience / 2);
    EXPECT_EQ(value(), "3") << "nobody knows whether they were taken";
}

TEST_F(counter_faults_test, gives_back_what_an_abandoned_request_took_although_the_connection_breaks) {
    exactly_once.acquire();
    exactly_once.release();
    auto const late = proxy.hold_reply(a_script(scripts::semaphore_acquire));
    EXPECT_EQ(outcome_of([&] { exactly_once.acquire({.permits = 2, .wait = 50ms}); }).reason, errc::disconnected);
    EXPECT_TRUE(late.wait());
    late.cut_client();
    late.cut_server();
    EXPECT_TRUE(becomes("5"));
}

TEST_F(counter_faults_test, gives_back_what_was_taken_before_an_error_came) {
    exactly_once.acquire();
    exactly_once.release();
    auto const lost = proxy.cut_after(a_script(scripts::semaphore_acquire));
    auto const refused = proxy.replace_reply(a_script(scripts::semaphore_acquire), "-BUSY for a while\r\n");
    EXPECT_EQ(outcome_of([&] { exactly_once.acquire({.permits = 2, .wait = 0s}); }).reason, errc::server_refused);
    EXPECT_TRUE(lost.wait());
    EXPECT_TRUE(refused.wait());
    EXPECT_TRUE(becomes("5"));
}

TEST_F(counter_faults_test, gives_back_what_was_taken_before_the_server_went_away) {
    exactly_once.acquire();
    exactly_once.release();
    auto const lost = proxy.cut_after(a_script(scripts::semaphore_acquire));
    proxy.refuse_connections(true);
    EXPECT_EQ(outcome_of([&] { exactly_once.acquire({.permits = 2, .wait = 0s}); }).reason, errc::disconnected);
    EXPECT_TRUE(lost.wait());
    EXPECT_EQ(value(), "3");
    proxy.refuse_connections(false);
    EXPECT_TRUE(becomes("5"));
}

TEST_F(counter_faults_test, does_not_say_that_a_release_was_not_done_which_may_have_been) {
    exactly_once.acquire();
    exactly_once.release();
    exactly_once.acquire();
    auto const lost = proxy.cut_after(a_script(scripts::semaphore_release));
    constexpr int most_repeats = 10;
    for (int i = 0; i < most_repeats; ++i)
        proxy.replace_reply(a_script(scripts::semaphore_release), "-LOADING for a while\r\n");
    EXPECT_EQ(outcome_of([&] { exactly_once.release(); }).reason, errc::outcome_unknown);
    EXPECT_TRUE(lost.wait());
    EXPECT_EQ(value(), "5") << "it was";
}

TEST_F(counter_faults_test, lets_a_waiter_ask_again_after_a_new_connection) {
    exactly_once.drain_permits();
    auto waiting = in_thread([&] { exactly_once.acquire({.wait = 20s}); });
    ASSERT_TRUE(wait_until([&] { return somebody_listens("redisson_sc:{" + name + "}"); }));
    auto const began = test_clock::now();
    server.run("SET", name, "1"); // nobody is told
    proxy.cut_all();
    waiting.get();
    EXPECT_LT(since(began), 10s) << "before it would have asked by itself";
}

TEST_F(counter_faults_test, removes_once_although_the_answer_was_lost) {
    EXPECT_FALSE(user.get_semaphore(name + "-other").remove()); // the server knows the script
    auto const late = proxy.hold_reply(a_script(scripts::counter_remove));
    auto removing = in_thread([&] { return exactly_once.remove(); });
    EXPECT_TRUE(late.wait());
    EXPECT_FALSE(exists(name));
    server.run("SET", name, "7"); // somebody else's now
    late.cut_client();
    late.cut_server();
    EXPECT_TRUE(removing.get()) << "it was this one";
    EXPECT_EQ(value(), "7");
    EXPECT_EQ(exactly_once.drain_permits(), 7);
}

TEST_F(counter_faults_test, does_not_make_a_semaphore_again_that_is_gone) {
    for (auto* const which : {&exactly_once, &sent_once}) {
        server.run("SET", name, "5");
        which->acquire();
        which->release();
        std::stop_source stop;
        auto const late = proxy.hold_reply(a_script(scripts::semaphore_acquire));
        auto asking = in_thread([&] { return outcome_of([&] { which->acquire({.stop = stop.get_token()}); }); });
        EXPECT_TRUE(late.wait());
        server.run("DEL", name);
        stop.request_stop();
        EXPECT_EQ(asking.get().reason, errc::cancelled);
        late.deliver();
        expect_idle(user);
        EXPECT_FALSE(exists(name));
    }
}

TEST_F(counter_faults_test, does_not_cancel_a_release) {
    sent_once.acquire();
    auto const late = proxy.hold_reply(a_script(scripts::semaphore_release));
    struct told final : completion<> {
        std::promise<std::error_code> end;
        canceller cancel;
        void begins(canceller const& how) noexcept override { cancel = how; }
        void complete(redlatch::outcome const& how) noexcept override { end.set_value(how.code()); }
        void discard() noexcept override {}
    } one;
    completion_ptr<> done(&one);
    ASSERT_FALSE(sent_once.start_release(1, done));
    EXPECT_TRUE(late.wait());
    one.cancel.cancel();
    late.deliver();
    EXPECT_EQ(one.end.get_future().get(), std::error_code());
    EXPECT_EQ(value(), "5");
}

/// It would probably break, too, with the request on its way.
TEST_F(counter_faults_test, asks_only_when_it_listens_again_after_the_connection_for_messages_broke) {
    sent_once.drain_permits();
    auto const listening = proxy.hold_reply(a_command("SUBSCRIBE"));
    auto waiting = in_thread([&] { return outcome_of([&] { sent_once.acquire({.wait = 20s}); }); });
    ASSERT_TRUE(listening.wait());
    listening.deliver();
    auto const asked = [&] { return proxy.count(a_script(scripts::semaphore_acquire)); };
    ASSERT_TRUE(wait_until([&] { return asked() == 3; })) << "by its SHA-1, by its text, and when it listens";
    user.ping(); // behind the answer
    listening.cut_client();
    ASSERT_TRUE(wait_until([&] { return asked() == 4; }));
    auto const commands = proxy.commands();
    auto const is = [](matcher const& what) { return [&what](words const& one) { return what(one); }; };
    auto const last_question =
        std::find_if(commands.rbegin(), commands.rend(), is(a_script(scripts::semaphore_acquire)));
    auto const last_subscription = std::find_if(commands.rbegin(), commands.rend(), is(a_command("SUBSCRIBE")));
    EXPECT_GT(last_subscription, last_question) << "before it";
    EXPECT_EQ(proxy.count(a_command("SUBSCRIBE")), 2U);
    exactly_once.release();
    EXPECT_EQ(waiting.get().reason, errc{});
}

/// Where a connection cannot be killed, its last bytes may come at any time.
TEST_F(counter_faults_test, lets_a_late_copy_take_nothing_where_connections_cannot_be_killed) {
    if (test_server_is_before_7()) GTEST_SKIP() << needs_rules_of_7;
    EXPECT_EQ(
        server.admin().command("ACL", "SETUSER", "poor", "on", ">secret", "~*", "&*", "+@all", "-client|kill").text,
        "OK");
    auto settings = quick(proxy.uri());
    settings.username = "poor";
    settings.password = "secret";
    client poor(settings);
    auto permits = poor.get_semaphore(name, {.exactly_once = true});
    permits.drain_permits();
    EXPECT_FALSE(permits.try_acquire());
    auto const late = proxy.hold_tail(a_script(scripts::semaphore_acquire), 10);
    auto asking = in_thread([&] { return permits.try_acquire({.wait = 300ms}); });
    EXPECT_TRUE(late.wait());
    late.cut_client();
    EXPECT_FALSE(asking.get());
    expect_idle(poor);
    permits.release();
    late.deliver();
    EXPECT_EQ(late.wait_fate(), proxy_trap::fate::answered);
    EXPECT_EQ(value(), "1");
}

// --- hostile replies

TEST_F(counter_faults_test, does_not_believe_a_reply_that_makes_no_sense) {
    for (std::string const reply : {":-1\r\n", "$2\r\nOK\r\n", "*0\r\n", "$-1\r\n"}) {
        auto const lie = proxy.replace_reply(any_script(), reply);
        EXPECT_EQ(outcome_of([&] { sent_once.acquire(); }).reason, errc::bad_reply) << reply;
        EXPECT_TRUE(lie.wait());
    }
    auto const of_no_number = [&](std::string const& reply, errc reason) {
        auto const lie = proxy.replace_reply(a_command("GET"), reply);
        EXPECT_EQ(outcome_of([&] { sent_once.available_permits(); }).reason, reason) << reply;
        EXPECT_TRUE(lie.wait());
        auto const another = proxy.replace_reply(a_command("GET"), reply);
        EXPECT_EQ(outcome_of([&] { user.get_count_down_latch(gate).wait(); }).reason, reason) << reply;
        EXPECT_TRUE(another.wait());
    };
    for (std::string const text : {"$3\r\n1x2\r\n", "$0\r\n\r\n", "$20\r\n99999999999999999999\r\n"})
        of_no_number(text, errc::wrong_type);
    of_no_number("*0\r\n", errc::bad_reply);
    auto const lie = proxy.replace_reply(any_script(), ":-3\r\n");
    EXPECT_EQ(outcome_of([&] { user.get_count_down_latch(gate).count_down(); }).reason, errc::bad_reply);
    EXPECT_TRUE(lie.wait());
    auto const of_a_release = proxy.replace_reply(any_script(), ":3\r\n");
    EXPECT_EQ(outcome_of([&] { sent_once.try_set_permits(1); }).reason, errc::bad_reply) << "nobody counts who heard";
    EXPECT_TRUE(of_a_release.wait());
}

TEST_F(counter_faults_test, ends_in_time_while_the_server_is_away) {
    proxy.drop(direction::to_client);
    auto const began = test_clock::now();
    EXPECT_EQ(outcome_of([&] { sent_once.acquire({.wait = 200ms}); }).reason, errc::disconnected);
    EXPECT_EQ(outcome_of([&] { exactly_once.acquire({.wait = 200ms}); }).reason, errc::disconnected);
    EXPECT_EQ(outcome_of([&] { exactly_once.release(); }).reason, errc::outcome_unknown);
    EXPECT_LT(since(began), 10s);
    proxy.pass(direction::to_client);
    proxy.cut_all();
    EXPECT_TRUE(wait_until([&] { return exactly_once.available_permits() >= 5; }));
}

} // namespace
} // namespace redlatch::test
