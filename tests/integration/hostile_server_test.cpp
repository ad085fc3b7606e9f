// Servers that lie, babble, fall silent or hang up: a clear error, bounded memory, no hang.
#include "integration/fixture.hpp"
#include "locking/script.hpp"
#include "support/both_faces.hpp"
#include "support/fake_server.hpp"
#include "support/lies.hpp"

#include <fstream>
#include <thread>

namespace redlatch::test {
namespace {

std::size_t resident_kib() {
    std::ifstream file("/proc/self/status");
    for (std::string word; file >> word;)
        if (word == "VmRSS:") {
            std::size_t size = 0;
            file >> size;
            return size;
        }
    return 0;
}

struct behaviour {
    char const* what;
    std::function<void(fake_connection&)> serve;
};

void babble(fake_connection& client, std::string_view start, std::string_view without_end) {
    client.read();
    if (!client.write(start)) return;
    // A fourth of a gigabyte, if the client lets us.
    for (std::size_t sent = 0; sent < (std::size_t{256} << 20); sent += without_end.size())
        if (!client.write(without_end)) return;
}

std::vector<behaviour> behaviours() {
    static std::string const block(65536, 'x');
    static std::string const nested = [] {
        std::string text;
        while (text.size() < 65536) text += "*1\r\n";
        return text;
    }();
    static std::string const many = [] {
        std::string text;
        while (text.size() < 65536) text += ":1\r\n";
        return text;
    }();
    return {
        {"closes_at_once", [](fake_connection&) {}},
        {"never_answers", [](fake_connection& client) { client.wait_for_end(); }},
        {"garbage",
         [](fake_connection& client) {
             client.write("\x01\x02 this is not RESP \xff\r\n\r\n");
             client.wait_for_end();
         }},
        {"http",
         [](fake_connection& client) {
             client.read();
             client.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
             client.wait_for_end();
         }},
        {"wrong_types",
         [](fake_connection& client) {
             while (!client.read().empty()) client.write("*2\r\n:1\r\n*-1\r\n");
         }},
        {"nothing_but_nil",
         [](fake_connection& client) {
             while (!client.read().empty()) client.write("$-1\r\n");
         }},
        {"nothing_but_errors",
         [](fake_connection& client) {
             while (!client.read().empty()) client.write("-ERR not today\r\n");
         }},
        {"negative_bulk",
         [](fake_connection& client) {
             while (!client.read().empty()) client.write("$-7\r\n");
         }},
        {"huge_array",
         [](fake_connection& client) {
             client.read();
             client.write("*2147483647\r\n");
             client.wait_for_end();
         }},
        {"endless_bulk", [](fake_connection& client) { babble(client, "$2000000000\r\n", block); }},
        {"endless_line", [](fake_connection& client) { babble(client, "+", block); }},
        {"endless_nesting", [](fake_connection& client) { babble(client, "", nested); }},
        {"endless_array", [](fake_connection& client) { babble(client, "*1000000000\r\n", many); }},
        {"endless_replies", [](fake_connection& client) { babble(client, "", many); }},
        {"truncated",
         [](fake_connection& client) {
             client.read();
             client.write("$100\r\nonly so much");
         }},
    };
}

class hostile_server_test : public ::testing::TestWithParam<std::size_t> {};

TEST_P(hostile_server_test, ends_the_constructor_with_a_clear_error) {
    auto const before = resident_kib();
    fake_server server(behaviours().at(GetParam()).serve);
    config settings = quick(server.uri());
    settings.timeout = 300ms;
    settings.connect_timeout = 2s;
    settings.retry_attempts = 1;
    settings.retry_delay = 5ms;
    auto const start = test_clock::now();
    auto const ended = outcome_of([&] {
        client user(settings);
        user.get_lock("a").acquire({.wait = 500ms}).release();
    });
    EXPECT_LT(since(start), 8s);
    EXPECT_TRUE(ended.reason == errc::disconnected || ended.reason == errc::bad_reply
                || ended.reason == errc::server_refused || ended.reason == errc::outcome_unknown)
        << ended;
    EXPECT_NE(ended.message.find("fake.sock"), std::string::npos) << "the server is named: " << ended;
    EXPECT_LT(resident_kib(), before + 200 * 1024);
}

INSTANTIATE_TEST_SUITE_P(that, hostile_server_test, ::testing::Range<std::size_t>(0, 15),
                         [](auto const& which) { return behaviours().at(which.param).what; });

/// A real handshake, then one false answer.
class lie_test : public ::testing::TestWithParam<std::size_t> {
protected:
    redis_server server;
    byte_proxy proxy{server.address()};
    std::string const bytes = lies().at(GetParam()).bytes;
    config settings() const {
        config result = quick(proxy.uri());
        result.lock_watchdog_timeout = 1200ms;
        return result;
    }
    client user{settings()};
    reentrant_lock lock = user.get_lock("lied-about");

    bool settles() {
        return wait_until([&] { return server.run("EXISTS", "lied-about").integer == 0; })
               && wait_until([&] { return user.stats().holds == 0 && user.stats().unresolved == 0; });
    }
    void expect_still_works() {
        hold const mine = lock.acquire({.wait = 10s});
        EXPECT_TRUE(mine);
        EXPECT_EQ(holders(server, "lied-about").count(mine.owner_id()), 1U);
    }
};

TEST_P(lie_test, about_an_acquisition_neither_crashes_nor_keeps_the_lock) {
    lock.acquire().release();
    proxy.replace_reply(an_acquisition(), bytes);
    std::error_code code;
    hold got = lock.acquire({.wait = 1s}, code);
    EXPECT_TRUE(bool(got) || code) << "something is said";
    got = hold();
    EXPECT_TRUE(settles());
    expect_still_works();
}

TEST_P(lie_test, about_a_release_neither_crashes_nor_keeps_the_lock) {
    hold mine = lock.acquire();
    proxy.replace_reply(a_release(), bytes);
    std::error_code code;
    mine.release(code);
    EXPECT_EQ(mine.status(), hold_status::released) << "given back, whatever the server says: " << code.message();
    EXPECT_TRUE(settles());
    expect_still_works();
}

TEST_P(lie_test, about_a_renewal_ends_in_renewal_or_in_a_loss_that_is_told) {
    hold mine = lock.acquire();
    auto const trap = proxy.replace_reply(a_script(locking::scripts::lock_renew), bytes);
    ASSERT_TRUE(trap.wait());
    EXPECT_TRUE(stays(
        [&] { return mine.status() == hold_status::lost || server.run("EXISTS", "lied-about").integer == 1; }, 2s));
    std::error_code code;
    mine.release(code);
    EXPECT_TRUE(settles());
    expect_still_works();
}

INSTANTIATE_TEST_SUITE_P(with, lie_test, ::testing::Range<std::size_t>(0, 10),
                         [](auto const& which) { return lies().at(which.param).what; });

TEST(hostile_reply_test, a_server_that_greets_and_then_hangs_up_is_not_hammered) {
    fake_server server([](fake_connection& client) {
        std::string greeting;
        while (greeting.find("*1\r\n$4\r\nINFO") == std::string::npos) { // it is the last of it
            auto const more = client.read();
            if (more.empty()) return;
            greeting += more;
        }
        client.write("+OK\r\n$17\r\nid=7 addr=x:1 a=b\r\n$10\r\nrun_id:abc\r\n");
        client.read();
    });
    config settings = quick(server.uri());
    settings.retry_delay = 1s; // the longest pause
    client user(settings);
    auto const ended = outcome_of([&] { user.get_lock("a").acquire({.wait = 1s}).release(); });
    EXPECT_EQ(ended.reason, errc::disconnected) << ended;
    EXPECT_GE(server.accepted(), 3) << "it does try again";
    EXPECT_LE(server.accepted(), 12) << "but after pauses that grow";
}

TEST(hostile_reply_test, a_subscription_that_is_answered_with_nonsense_does_not_hang_the_waiter) {
    redis_server server;
    byte_proxy proxy{server.address()};
    client user(quick(proxy.uri()));
    hold_as_stranger(server, "busy", 60s);
    proxy.replace_reply(a_command("SUBSCRIBE"), "*3\r\n$7\r\nnonsens\r\n$1\r\nx\r\n:1\r\n");
    auto waiter = in_thread([&] { user.get_lock("busy").acquire({.wait = 30s}).release(); });
    ASSERT_TRUE(wait_until([&] { return proxy.count(a_command("SUBSCRIBE")) > 0; }));
    ASSERT_TRUE(wait_until([&] {
        return server.run("PUBSUB", "NUMSUB", channel_of("busy")).items.at(1).integer > 0 && user.stats().waiters == 1;
    }));
    release_as_stranger(server, "busy");
    auto const start = test_clock::now();
    waiter.get();
    EXPECT_LT(since(start), 10s);
}

} // namespace
} // namespace redlatch::test
