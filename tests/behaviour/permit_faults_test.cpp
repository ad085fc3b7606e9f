// Permit semaphores when answers are lost, come late, or make no sense.
#include "behaviour/permit_fixture.hpp"
#include "locking/script.hpp"

#include <functional>
#include <stop_token>
#include <vector>

namespace redlatch::test {
namespace {

namespace scripts = locking::scripts;

class permit_faults_test : public permit_fixture {};

TEST_F(permit_faults_test, takes_and_gives_once_although_the_answer_was_lost) {
    mine.try_set_permits(5);
    for (int round = 0; round < 3; ++round) {
        auto const lost = proxy.cut_after(a_script(scripts::permit_acquire));
        permits two = mine.acquire({.permits = 2, .lease = 60s, .wait = 20s});
        EXPECT_TRUE(lost.wait());
        EXPECT_EQ(value(), "3");
        EXPECT_EQ(taken(), 2);
        auto const again = proxy.cut_after(a_script(scripts::permit_release));
        two.release();
        EXPECT_TRUE(again.wait());
        EXPECT_EQ(value(), "5");
    }
    auto const id = mine.acquire().detach().front();
    auto const lost = proxy.cut_after(a_script(scripts::permit_release));
    mine.release(id);
    EXPECT_TRUE(lost.wait());
    EXPECT_EQ(value(), "5");
    auto const added = proxy.cut_after(a_script(scripts::permit_set));
    mine.add_permits(2);
    EXPECT_TRUE(added.wait());
    EXPECT_EQ(value(), "7");
}

TEST_F(permit_faults_test, a_repeated_release_does_not_hide_that_one_of_several_permits_was_not_there) {
    mine.try_set_permits(5);
    mine.acquire().release(); // the server knows the scripts
    auto const ids = mine.acquire({.permits = 2}).detach();
    theirs.release(ids[1]);
    auto const lost = proxy.cut_after(a_script(scripts::permit_release));
    EXPECT_FALSE(mine.try_release(ids));
    EXPECT_TRUE(lost.wait());
    EXPECT_EQ(value(), "4");
    mine.release(ids[0]);

    permits two = mine.acquire({.permits = 2});
    theirs.release(two.ids()[1]);
    auto const again = proxy.cut_after(a_script(scripts::permit_release));
    EXPECT_EQ(outcome_of([&] { two.release(); }).reason, errc::lease_lost);
    EXPECT_TRUE(again.wait());
    EXPECT_TRUE(becomes("5")) << "the other one is given back in the background";
}

TEST_F(permit_faults_test, a_repeated_release_knows_its_own_first_copy) {
    mine.try_set_permits(5);
    mine.acquire().release(); // the server knows the scripts
    auto ids = mine.acquire({.permits = 2}).detach();
    auto const lost = proxy.cut_after(a_script(scripts::permit_release));
    EXPECT_TRUE(mine.try_release(ids));
    EXPECT_TRUE(lost.wait());
    EXPECT_EQ(value(), "5");

    ids = mine.acquire({.permits = 2}).detach();
    theirs.release(ids[0]);
    auto const again = proxy.cut_after(a_script(scripts::permit_release));
    EXPECT_FALSE(mine.try_release(ids)) << "the other one is still there";
    EXPECT_TRUE(again.wait());
    EXPECT_EQ(value(), "4");
    mine.release(ids[1]);
}

TEST_F(permit_faults_test, gives_back_what_a_request_takes_whose_caller_has_left) {
    mine.try_set_permits(5);
    mine.acquire().release(); // the server knows the scripts
    auto const at_deadline = proxy.hold_reply(a_script(scripts::permit_acquire));
    EXPECT_FALSE(outcome_of([&] { (void)mine.acquire({.permits = 2, .wait = 100ms}); }).message.empty());
    EXPECT_TRUE(at_deadline.wait());
    at_deadline.deliver();
    EXPECT_TRUE(becomes("5"));
    std::stop_source stop;
    auto const cancelled = proxy.hold_reply(a_script(scripts::permit_acquire));
    auto asking = in_thread([&] { return outcome_of([&] { (void)mine.acquire({.stop = stop.get_token()}); }); });
    EXPECT_TRUE(cancelled.wait());
    stop.request_stop();
    EXPECT_EQ(asking.get().reason, errc::cancelled);
    cancelled.cut_client();
    cancelled.cut_server();
    EXPECT_TRUE(becomes("5"));
    EXPECT_TRUE(wait_until([&] { return taken() == 0; }));
}

TEST_F(permit_faults_test, goes_on_releasing_when_the_server_is_away) {
    mine.try_set_permits(1);
    permits one = mine.acquire();
    proxy.refuse_connections(true);
    proxy.cut_all();
    auto const reason = outcome_of([&] { one.release(); }).reason;
    EXPECT_TRUE(reason == errc::disconnected || reason == errc::outcome_unknown);
    proxy.refuse_connections(false);
    EXPECT_TRUE(becomes("1"));
}

TEST_F(permit_faults_test, destructors_share_their_time_while_the_server_is_away_or_refuses) {
    constexpr int count = 10;
    mine.try_set_permits(2 * count);
    auto settings = quick(proxy.uri());
    settings.timeout = 1500ms;
    client user_of_many(settings);
    auto from = user_of_many.get_permit_semaphore(name);
    from.acquire().release(); // the server knows the scripts
    auto const time_to_end = [&](std::function<void()> const& breaks) {
        std::vector<permits> many;
        for (int i = 0; i < count; ++i) many.push_back(from.acquire());
        breaks();
        auto const began = test_clock::now();
        many.clear();
        return since(began);
    };
    EXPECT_LT(time_to_end([&] { proxy.drop(direction::to_client); }), 2 * settings.timeout);
    proxy.pass(direction::to_client);
    proxy.cut_all();
    expect_idle(user_of_many);
    EXPECT_TRUE(becomes(std::to_string(2 * count)));
    EXPECT_LT(time_to_end([&] {
                  constexpr int most_requests = 500;
                  for (int i = 0; i < most_requests; ++i)
                      proxy.replace_reply(a_script(scripts::permit_release), "-LOADING for a while\r\n");
              }),
              2 * settings.timeout);
}

/// The answer comes when the lease is over: it may have come back to the server, and is somebody else's.
TEST_F(permit_faults_test, asks_anew_where_the_answer_came_after_the_end_of_the_lease) {
    auto settings = quick(proxy.uri());
    settings.timeout = 20s; // it waits for the answer for as long as it takes
    client patient(settings);
    auto from = patient.get_permit_semaphore(name, {.exactly_once = true});
    from.try_set_permits(1);
    from.acquire().release();
    auto const late = proxy.hold_reply(a_script(scripts::permit_acquire));
    auto asking = in_thread([&] { return from.acquire({.lease = 2s, .wait = 20s}); });
    EXPECT_TRUE(late.wait());
    ASSERT_TRUE(wait_until([&] { return theirs.available_permits() == 1; })) << "its lease is over";
    late.deliver();
    permits const got = asking.get();
    EXPECT_EQ(got.ids().size(), 1U);
    EXPECT_EQ(proxy.count(a_script(scripts::permit_acquire)), 4U)
        << "by SHA-1 and text, the one that came late, and another one";
    EXPECT_TRUE(wait_until([&] { return proxy.count(a_script(scripts::permit_release)) == 3U; }))
        << "by SHA-1 and text, and what came late goes back";
}

/// Where a connection cannot be killed, its last bytes may come at any time.
TEST_F(permit_faults_test, lets_a_late_copy_take_nothing_where_connections_cannot_be_killed) {
    if (test_server_is_before_7()) GTEST_SKIP() << needs_rules_of_7;
    EXPECT_EQ(
        server.admin().command("ACL", "SETUSER", "poor", "on", ">secret", "~*", "&*", "+@all", "-client|kill").text,
        "OK");
    auto rights = quick(proxy.uri());
    rights.username = "poor";
    rights.password = "secret";
    client poor(rights);
    auto from = poor.get_permit_semaphore(name);
    from.try_set_permits(1);
    from.acquire().release();
    auto const late = proxy.hold_tail(a_script(scripts::permit_acquire), 10);
    auto asking = in_thread([&] { return from.acquire({.wait = 20s}); });
    EXPECT_TRUE(late.wait());
    late.cut_client();
    asking.get().release();
    expect_idle(poor);
    EXPECT_EQ(value(), "1");
    late.deliver();
    EXPECT_EQ(late.wait_fate(), proxy_trap::fate::answered);
    EXPECT_EQ(value(), "1");
    EXPECT_EQ(taken(), 0);
}

TEST_F(permit_faults_test, does_not_believe_a_reply_that_makes_no_sense) {
    mine.try_set_permits(1);
    mine.acquire().release();
    std::string const id(32, '0');
    auto const expect_disbelief = [&](std::string const& reply, std::function<void()> const& ask) {
        EXPECT_TRUE(wait_until([&] { return user.stats().unresolved == 0; })) << "what was undone before";
        auto const lie = proxy.replace_reply(any_script(), reply);
        EXPECT_EQ(outcome_of(ask).reason, errc::bad_reply) << reply;
        EXPECT_TRUE(lie.wait());
    };
    for (std::string const reply : {":0\r\n", ":-2\r\n", "+OK\r\n", "*0\r\n"})
        expect_disbelief(reply, [&] { (void)mine.acquire(); });
    for (std::string const reply : {"+OK\r\n", ":-2\r\n", ":-9223372036854775808\r\n", "$-1\r\n"})
        expect_disbelief(reply, [&] { mine.release(id); });
    for (std::string const reply :
         {":0\r\n", "*1\r\n:2\r\n", "*1\r\n:0\r\n", "*1\r\n$1\r\nx\r\n", "*2\r\n:1\r\n:1\r\n"})
        expect_disbelief(reply, [&] { mine.update_lease(id, 1s); });
    for (std::string const reply :
         {":0\r\n", "*3\r\n:1\r\n:1\r\n:1\r\n", "*4\r\n:1\r\n:-1\r\n:1\r\n:1\r\n", "*4\r\n:1\r\n:1\r\n:-3\r\n:1\r\n"})
        expect_disbelief(reply, [&] { (void)mine.lease_of(id); });
    expect_idle(user);
    EXPECT_TRUE(becomes("1"));
}

} // namespace
} // namespace redlatch::test
