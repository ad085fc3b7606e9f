// Deadlines and cancellation hold whatever the server does. The figures are printed: the promise is 20 ms, asserted for the
// median; the cap on the longest allows for a machine that does other things as well.
#include "integration/fixture.hpp"
#include "support/both_faces.hpp"

#include <thread>

namespace redlatch::test {
namespace {

constexpr auto tolerance = 20ms;
constexpr auto cap = 250ms;
constexpr int repeats = 7;

/// What the server does. `begin` returns when it does it; `end` puts it right.
struct trouble {
    std::string name;
    std::function<void(redis_server&)> begin;
    std::function<void(redis_server&)> end;
};

std::vector<trouble> troubles() {
    // CLIENT PAUSE ALL holds back CLIENT UNPAUSE as well: it ends by itself, as the sleep does.
    auto const wait_for_answer = [](redis_server& server) { server.run("PING"); };
    auto const unpause = [](redis_server& server) { server.run("CLIENT", "UNPAUSE"); };
    auto const resume = [](redis_server& server) { server.resume(); };
    return {
        {"down", [](redis_server& server) { server.kill9(); },
         [](redis_server& server) { server.restart(redis_server::data::lost); }},
        {"stopped", [](redis_server& server) { server.pause(); }, resume},
        {"slow",
         [](redis_server& server) {
             auto admin = server.admin();
             admin.send(resp::command("DEBUG", "SLEEP", "2.5"));
             auto probe = server.admin();
             wait_until([&] {
                 probe.send(resp::command("PING"));
                 return !probe.receive_if_any(20ms).has_value();
             });
         },
         wait_for_answer},
        {"paused_all", [](redis_server& server) { server.run("CLIENT", "PAUSE", "2500", "ALL"); }, wait_for_answer},
        {"paused_write", [](redis_server& server) { server.run("CLIENT", "PAUSE", "60000", "WRITE"); }, unpause},
    };
}

class deadline_test : public ::testing::TestWithParam<std::size_t> {
protected:
    trouble const what = troubles().at(GetParam());
    redis_server server;
    config settings() const {
        config result = quick(server.uri());
        result.timeout = 3s; // nothing here ends because the library gave up on the connection
        return result;
    }
    client user{settings()};
    std::string const name = unique_name();
    reentrant_lock lock = user.get_lock(name);
    std::vector<std::chrono::microseconds> late;

    void note(test_clock::time_point due) {
        late.push_back(std::chrono::duration_cast<std::chrono::microseconds>(test_clock::now() - due));
    }

    void judge(char const* call) {
        ASSERT_FALSE(late.empty());
        std::sort(late.begin(), late.end());
        auto const median = late[late.size() / 2];
        std::cout << what.name << ", " << call << ": beyond the deadline by " << median.count() << " us (median), "
                  << late.back().count() << " us (longest)\n";
        EXPECT_GE(late.front(), -1ms) << "too early";
        EXPECT_LE(median, tolerance);
        EXPECT_LE(late.back(), cap);
    }

    void put_right_and_expect_nothing_left() {
        what.end(server);
        // What was in flight is given back by the background.
        EXPECT_TRUE(wait_until([&] { return server.run("EXISTS", name).integer == 0; }));
        wait_until([&] { return user.stats().unresolved == 0; }, 10s);
        expect_idle(user);
        expect_clean(server);
        // And it works again.
        hold const again = lock.acquire({.wait = 15s});
        EXPECT_TRUE(again);
    }

    static bool no_answer(std::error_code code) { return code == errc::disconnected || code == errc::outcome_unknown; }
};

TEST_P(deadline_test, a_call_in_flight_ends_at_its_deadline) {
    lock.acquire().release();
    what.begin(server);
    for (int i = 0; i < repeats; ++i) {
        std::error_code code;
        auto const due = test_clock::now() + 150ms;
        auto const got = lock.try_acquire({.wait = 150ms}, code);
        note(due);
        EXPECT_FALSE(got);
        EXPECT_TRUE(no_answer(code)) << code.message();
    }
    judge("first call");
    put_right_and_expect_nothing_left();
}

TEST_P(deadline_test, a_call_in_flight_ends_with_its_stop_request) {
    lock.acquire().release();
    what.begin(server);
    for (int i = 0; i < repeats; ++i) {
        std::stop_source stop;
        auto caller = in_thread([&] {
            auto const code = outcome_of([&] { (void)lock.acquire({.stop = stop.get_token()}); }).reason;
            return std::pair(code, test_clock::now());
        });
        ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1; }));
        EXPECT_FALSE(is_ready(caller));
        auto const due = test_clock::now();
        stop.request_stop();
        auto const [code, at] = caller.get();
        late.push_back(std::chrono::duration_cast<std::chrono::microseconds>(at - due));
        EXPECT_EQ(code, errc::cancelled);
    }
    judge("stop request");
    put_right_and_expect_nothing_left();
}

TEST_P(deadline_test, waits_that_began_before_end_at_their_deadlines) {
    client other(settings());
    hold theirs = other.get_lock(name).acquire();
    constexpr auto wait = 700ms;
    std::vector<std::future<std::pair<std::chrono::microseconds, std::error_code>>> waiters;
    for (int i = 0; i < repeats; ++i)
        waiters.push_back(in_thread([&] {
            std::error_code code;
            auto const due = test_clock::now() + wait;
            auto const got = lock.try_acquire({.wait = wait}, code);
            return std::pair(std::chrono::duration_cast<std::chrono::microseconds>(test_clock::now() - due), code);
        }));
    ASSERT_TRUE(wait_until([&] {
        return server.run("PUBSUB", "NUMSUB", channel_of(name)).items.at(1).integer > 0
               && user.stats().waiters == repeats;
    }));
    what.begin(server);
    for (auto& one : waiters) {
        auto const [lateness, code] = one.get();
        late.push_back(lateness);
        EXPECT_TRUE(code == errc::timed_out || no_answer(code)) << code.message();
    }
    judge("waits");
    theirs.release_detached();
    put_right_and_expect_nothing_left();
}

TEST_P(deadline_test, a_release_takes_no_longer_than_the_timeout) {
    config impatient = settings();
    impatient.timeout = 300ms;
    client hasty(impatient);
    hold mine = hasty.get_lock(name).acquire();
    what.begin(server);
    auto const due = test_clock::now() + 300ms;
    std::error_code code;
    mine.release(code);
    auto const beyond = std::chrono::duration_cast<std::chrono::microseconds>(test_clock::now() - due);
    std::cout << what.name << ", release: beyond its bound by " << beyond.count() << " us\n";
    EXPECT_LE(beyond, cap);
    EXPECT_EQ(code, errc::outcome_unknown) << code.message();
    what.end(server);
    EXPECT_TRUE(wait_until([&] { return server.run("EXISTS", name).integer == 0; }));
    wait_until([&] { return hasty.stats().unresolved == 0; }, 10s);
    expect_idle(hasty);
    expect_clean(server);
}

// The connection is given up and made anew several times before the deadline comes.
TEST_P(deadline_test, a_deadline_beyond_the_timeout_holds_while_reconnecting) {
    config hasty = settings();
    hasty.timeout = 200ms;
    hasty.connect_timeout = 150ms;
    client impatient(hasty);
    auto mine = impatient.get_lock(name);
    mine.acquire().release();
    what.begin(server);
    for (int i = 0; i < 3; ++i) {
        std::error_code code;
        auto const due = test_clock::now() + 700ms;
        EXPECT_FALSE(mine.try_acquire({.wait = 700ms}, code));
        note(due);
        EXPECT_TRUE(no_answer(code)) << code.message();
    }
    judge("reconnecting");
    what.end(server);
    EXPECT_TRUE(wait_until([&] { return server.run("EXISTS", name).integer == 0; }));
    wait_until([&] { return impatient.stats().unresolved == 0; }, 10s);
    expect_idle(impatient);
    hold const again = mine.acquire({.wait = 15s});
    EXPECT_TRUE(again);
}

TEST_P(deadline_test, questions_end_with_the_timeout) {
    config hasty = settings();
    hasty.timeout = 200ms;
    client impatient(hasty);
    auto mine = impatient.get_lock(name);
    mine.acquire().release();
    what.begin(server);
    std::vector<std::function<void()>> const questions{[&] { (void)mine.is_locked(); }, [&] { (void)mine.inspect(); },
                                                       [&] { (void)mine.remaining_lease(); },
                                                       [&] { (void)impatient.ping(); }};
    for (auto const& ask : questions) {
        auto const start = test_clock::now();
        // Reads are answered during a pause of writes.
        auto const ended = outcome_of(ask).reason;
        EXPECT_TRUE(no_answer(ended) || (ended == errc{} && what.name == "paused_write"))
            << make_error_code(ended).message();
        EXPECT_LT(since(start), 200ms + cap);
    }
    what.end(server);
}

// Not the timeout, which is long: what is over needs no release.
TEST_P(deadline_test, a_destructor_takes_no_longer_than_the_hold_is_valid) {
    auto const start = test_clock::now();
    {
        hold const mine = lock.acquire({.lease = 400ms});
        what.begin(server);
    }
    EXPECT_LT(since(start), 400ms + cap);
    what.end(server);
    EXPECT_TRUE(wait_until([&] { return server.run("EXISTS", name).integer == 0; }));
}

INSTANTIATE_TEST_SUITE_P(server, deadline_test, ::testing::Range<std::size_t>(0, 5),
                         [](auto const& which) { return troubles().at(which.param).name; });

// The client has never seen the server answer: the deadline holds in the constructor too.
TEST(deadline_of_connecting_test, a_server_that_never_answers_ends_the_constructor_in_time) {
    redis_server server;
    server.pause();
    config settings = quick(server.uri());
    settings.connect_timeout = 200ms;
    settings.retry_attempts = 1;
    settings.retry_delay = 10ms;
    auto const start = test_clock::now();
    auto const failed = outcome_of([&] { client user(settings); });
    EXPECT_EQ(failed.reason, errc::disconnected);
    EXPECT_NE(failed.message.find("redis.sock"), std::string::npos) << failed;
    EXPECT_GE(since(start), 200ms);
    EXPECT_LE(since(start), 1000ms);
}

} // namespace
} // namespace redlatch::test
