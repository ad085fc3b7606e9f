// A lane of calls against a server that the test plays by hand, on loopback. What races threads can run against each other is
// in tests/threads; here every row of the lane's table is walked through once.
// Long because all of them play the same server.
#include "io/call_lane.hpp"
#include "io/scripted_server.hpp"
#include "resp/command.hpp"

#include <atomic>
#include <future>
#include <gmock/gmock.h>
#include <thread>

namespace redlatch::io {
namespace {

using namespace std::chrono_literals;
using connection::call;
using ::testing::HasSubstr;

struct scripted_lane {
    scripted_server server;
    std::shared_ptr<reactor> loop = std::make_shared<reactor>();
    std::atomic<int> connected{0};
    std::mutex mutex;
    std::string lost_because; // guarded by mutex
    std::unique_ptr<call_lane> calls;
    int connections = 0;

    explicit scripted_lane(base::milliseconds timeout = 20s, base::milliseconds ping_interval = 0ms,
                           base::milliseconds longest_pause = 10ms) {
        lane::settings how;
        how.where = server.where();
        how.timeout = timeout;
        how.ping_interval = ping_interval;
        how.longest_pause = longest_pause;
        lane::hooks hooks;
        hooks.connected = [this](connection::identity const&) { ++connected; };
        hooks.lost = [this](std::string const& why) {
            std::lock_guard guard(mutex);
            lost_because = why;
        };
        calls = std::make_unique<call_lane>(loop, how, hooks);
        std::thread greeter([this] { greet(); });
        errc reason{};
        std::string problem;
        auto until = lease_clock::now() + test::patience;
        EXPECT_TRUE(calls->line().connect_now(until, reason, problem)) << problem;
        greeter.join();
    }
    ~scripted_lane() {
        calls->line().close();
        loop->stop();
    }

    /// Accepts the next connection and answers its greeting: it is connection 1, 2 ... of one run.
    void greet() {
        server.accept();
        EXPECT_EQ(server.read_commands(2), (std::vector<std::string>{"CLIENT INFO", "INFO"}));
        ++connections;
        server.say(bulk("id=" + std::to_string(connections) + " addr=127.0.0.1:" + std::to_string(connections))
                   + bulk("run_id:abc\r\nredis_version:7.0.15\r\n"));
    }
    /// Takes connections and answers every command with itself, until `last` is answered. Says what it was asked.
    std::vector<std::string> serve(std::string_view last) {
        std::vector<std::string> asked;
        while (asked.empty() || asked.back() != last) {
            auto const command = server.read_command();
            if (command == "end of stream") {
                greet();
                continue;
            }
            bool const kill = command.starts_with("CLIENT KILL");
            if (command == "silence") {
                ADD_FAILURE() << last << " was never sent";
                break;
            }
            if (!server.try_to_say(kill ? ":1\r\n" : "+" + command.substr(0, 100) + "\r\n")) continue;
            asked.push_back(command);
        }
        return asked;
    }
    static std::string kill(int connection) {
        return "CLIENT KILL ID " + std::to_string(connection) + " ADDR 127.0.0.1:" + std::to_string(connection);
    }

    connection::call_ptr submit(std::string_view word, bool will_wait = true, base::waker waker = {}) {
        auto one = std::make_shared<call>();
        one->bytes = resp::command(word);
        one->waker = waker ? waker : (will_wait ? parker::of_this_thread().as_waker() : base::waker{});
        calls->submit(one, will_wait);
        return one;
    }
    bool wait(connection::call_ptr const& which, base::nanoseconds patience = test::patience) {
        return calls->line().wait(
            parker::of_this_thread(), [&] { return which->finished(); }, lease_clock::now() + patience);
    }
    std::string why_lost() {
        std::lock_guard guard(mutex);
        return lost_because;
    }
};

// --- rest

TEST(lane, that_is_not_needed_for_a_while_is_in_no_trouble) {
    scripted_lane all;
    auto& line = all.calls->line();
    for (bool const resting : {true, false}) {
        auto const now = lease_clock::now();
        line.rest(resting);
        EXPECT_EQ(line.trouble(), "");
        EXPECT_GE(line.unheard_since(), now);
    }
}

/// Whether the server can be reached is not known any more: no wait ends because it was away long ago.
TEST(lane, that_is_needed_again_forgets_that_its_server_was_away) {
    scripted_lane all;
    all.loop->start();
    auto& line = all.calls->line();
    auto const one = all.submit("A");
    all.server.stop_listening();
    all.server.hang_up();
    ASSERT_TRUE(test::wait_until([&] { return line.trouble().find("cannot be reached") != std::string::npos; }));
    EXPECT_TRUE(test::wait_until([&] {
        line.rest(true);
        std::this_thread::sleep_for(20ms); // sleeps because its attempts end one by one, 10 ms apart at the most
        auto const now = lease_clock::now();
        line.rest(false);
        return line.trouble().empty() && line.unheard_since() >= now;
    }));
}

// --- one caller

TEST(lane, lets_one_thread_alone_send_and_read_without_any_other) {
    scripted_lane all;
    auto const one = all.submit("A");
    EXPECT_EQ(all.server.read_command(), "A");
    all.server.say("+done\r\n");
    ASSERT_TRUE(all.wait(one));
    EXPECT_EQ(one->reply.text, "done");
    EXPECT_FALSE(all.loop->started());
}

TEST(lane, reads_on_until_the_reply_is_whole) {
    scripted_lane all;
    auto const one = all.submit("A");
    all.server.say("$5\r\nhe");
    EXPECT_FALSE(all.wait(one, 1ms));
    all.server.say("llo\r\n");
    ASSERT_TRUE(all.wait(one));
    EXPECT_EQ(one->reply.text, "hello");
}

TEST(lane, gives_a_caller_back_at_its_deadline_and_swallows_the_late_reply) {
    scripted_lane all;
    auto const first = all.submit("A");
    auto const began = lease_clock::now();
    EXPECT_FALSE(all.wait(first, 10ms));
    EXPECT_GE(lease_clock::now(), began + 10ms);
    EXPECT_TRUE(all.calls->abandon(first));
    auto const second = all.submit("B");
    all.server.say("+late\r\n+right\r\n");
    ASSERT_TRUE(all.wait(second));
    EXPECT_EQ(second->reply.text, "right");
}

TEST(lane, hands_a_late_reply_to_its_handler_on_the_reactor) {
    scripted_lane all;
    auto const one = all.submit("A");
    std::promise<std::string> late;
    EXPECT_TRUE(all.calls->abandon(one, [&](resp::value const& reply) {
        EXPECT_TRUE(all.loop->on_thread());
        late.set_value(reply.text);
    }));
    all.server.say("+late\r\n");
    auto const second = all.submit("B");
    all.server.say("+right\r\n");
    ASSERT_TRUE(all.wait(second));
    auto seen = late.get_future();
    ASSERT_EQ(seen.wait_for(test::patience), std::future_status::ready);
    EXPECT_EQ(seen.get(), "late");
}

TEST(lane, looks_at_an_answer_that_came_just_before_its_caller_left_as_at_a_late_one) {
    scripted_lane all;
    auto const one = all.submit("A");
    auto const two = all.submit("B");
    all.server.say("+first\r\n+second\r\n");
    ASSERT_TRUE(all.wait(two));
    ASSERT_TRUE(one->finished()) << "read by the caller of the other";
    std::string seen;
    EXPECT_TRUE(all.calls->abandon(one, [&](resp::value const& reply) { seen = reply.text; }));
    EXPECT_EQ(seen, "first");
}

TEST(lane, reads_on_the_reactor_when_nobody_waits) {
    scripted_lane all;
    struct told final : base::wakeable {
        std::promise<void> done;
        void wake() noexcept override { done.set_value(); }
    };
    auto const waker = std::make_shared<told>();
    all.loop->start();
    auto const one = all.submit("A", false, waker);
    EXPECT_EQ(all.server.read_command(), "A");
    all.server.say("+done\r\n");
    ASSERT_EQ(waker->done.get_future().wait_for(test::patience), std::future_status::ready);
    EXPECT_EQ(one->reply.text, "done");
}

TEST(lane, catches_up_with_what_is_there_and_does_not_wait) {
    scripted_lane all;
    all.calls->line().catch_up();
    auto const one = all.submit("A");
    all.calls->line().catch_up();
    EXPECT_FALSE(one->finished());
    EXPECT_EQ(all.server.read_command(), "A");
    all.server.say("+done\r\n");
    for (auto const over = lease_clock::now() + test::patience; !one->finished() && lease_clock::now() < over;)
        all.calls->line().catch_up();
    ASSERT_TRUE(one->finished());
    EXPECT_EQ(one->reply.text, "done");
    auto const two = all.submit("B");
    EXPECT_EQ(all.server.read_command(), "B");
    all.server.say("+done\r\n");
    EXPECT_TRUE(all.wait(two)) << "the role was given back";
}

// --- several callers

TEST(lane, makes_another_caller_the_reader_when_the_first_has_its_reply) {
    scripted_lane all;
    std::promise<void> reads;
    auto const first = all.submit("A");
    std::thread other([&] {
        auto const second = all.submit("B");
        reads.set_value();
        EXPECT_TRUE(all.wait(second));
        EXPECT_EQ(second->reply.text, "two");
    });
    reads.get_future().wait();
    EXPECT_EQ(all.server.read_commands(2), (std::vector<std::string>{"A", "B"}));
    all.server.say("+one\r\n");
    ASSERT_TRUE(all.wait(first));
    all.server.say("+two\r\n"); // nobody but the other can read it
    other.join();
    EXPECT_FALSE(all.loop->started());
}

TEST(lane, lets_one_reader_serve_all_who_wait) {
    scripted_lane all;
    constexpr int callers = 8;
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < callers; ++i)
        threads.emplace_back([&, i] {
            auto const word = "W" + std::to_string(i);
            auto const one = all.submit(word);
            if (all.wait(one) && one->reply.text == word) ++right;
        });
    for (int i = 0; i < callers; ++i) all.server.say("+" + all.server.read_command() + "\r\n");
    for (auto& one : threads) one.join();
    EXPECT_EQ(right, callers);
}

// --- more than the system takes at once

TEST(lane, goes_on_writing_when_the_server_reads_again) {
    scripted_lane all;
    std::string const large(16U << 20U, 'x');
    auto const one = all.submit(large);
    auto const small = all.submit("SMALL");
    std::thread reading([&] {
        EXPECT_EQ(all.server.read_command().size(), large.size());
        EXPECT_EQ(all.server.read_command(), "SMALL");
        all.server.say("+1\r\n+2\r\n");
    });
    EXPECT_TRUE(all.wait(small));
    reading.join();
    EXPECT_EQ(one->reply.text, "1");
    EXPECT_EQ(small->reply.text, "2");
}

TEST(lane, goes_on_writing_on_the_reactor_when_nobody_waits) {
    scripted_lane all;
    all.loop->start();
    std::string const large(16U << 20U, 'x');
    auto const one = all.submit(large, false);
    EXPECT_EQ(all.server.read_command().size(), large.size());
    all.server.say("+1\r\n");
    EXPECT_TRUE(test::wait_until([&] { return one->finished(); }));
}

TEST(lane, knows_what_the_system_did_not_take_and_calls_it_unsent) {
    scripted_lane all;
    all.server.hang_up();
    ASSERT_TRUE(test::wait_until([&] {
        all.calls->line().catch_up();
        return !all.why_lost().empty();
    }));
    std::string const large(16U << 20U, 'x');
    auto const one = all.submit(large, false);
    auto const behind_it = all.submit("B", false); // both wait for the connection, and are written to it in one piece
    all.greet();
    ASSERT_TRUE(test::wait_until([&] { return all.connected == 2; }));
    all.calls->line().reconnect("test"); // the server has read nothing: more than half of it is still here
    std::thread server([&] { all.serve("B"); });
    EXPECT_TRUE(all.wait(behind_it));
    server.join();
    EXPECT_TRUE(one->repeated());
    EXPECT_FALSE(behind_it->repeated()) << "not a byte of it has left before";
}

// --- the connection is lost

TEST(lane, repeats_behind_a_predecessor_kill_when_the_server_hangs_up) {
    scripted_lane all;
    auto const one = all.submit("A");
    EXPECT_EQ(all.server.read_command(), "A");
    all.server.hang_up();
    std::thread server([&] { EXPECT_EQ(all.serve("A"), (std::vector<std::string>{scripted_lane::kill(1), "A"})); });
    EXPECT_TRUE(all.wait(one));
    server.join();
    EXPECT_EQ(one->reply.text, "A");
    EXPECT_TRUE(one->repeated());
    EXPECT_FALSE(one->late_copy_possible);
    EXPECT_THAT(all.why_lost(), HasSubstr("closed the connection"));
    EXPECT_TRUE(test::wait_until([&] { return all.connected == 2; }));
}

TEST(lane, makes_a_new_connection_when_the_server_talks_nonsense) {
    for (char const* odd : {"+right\r\n+unasked\r\n+unasked\r\n", "HTTP/1.1 400\r\n", "*2\r\n$-7\r\n"}) {
        scripted_lane all;
        auto const one = all.submit("A");
        auto const two = all.submit("B");
        EXPECT_EQ(all.server.read_commands(2), (std::vector<std::string>{"A", "B"}));
        all.server.say(odd);
        std::thread server([&] { all.serve("LAST"); });
        EXPECT_TRUE(all.wait(one)) << odd;
        EXPECT_TRUE(all.wait(two)) << odd;
        EXPECT_TRUE(test::wait_until([&] { return all.connected == 2; })) << odd;
        EXPECT_TRUE(all.wait(all.submit("LAST"))) << odd;
        server.join();
    }
}

TEST(lane, gives_a_silent_server_up_after_the_timeout) {
    scripted_lane all(30ms);
    auto const one = all.submit("A");
    auto const began = lease_clock::now();
    std::thread server([&] {
        EXPECT_EQ(all.server.read_command(), "A");
        EXPECT_EQ(all.server.read_command(), "end of stream");
        EXPECT_EQ(all.serve("A").front(), scripted_lane::kill(1));
    });
    EXPECT_TRUE(all.wait(one));
    EXPECT_GE(lease_clock::now(), began + 30ms);
    server.join();
    EXPECT_EQ(one->reply.text, "A");
    EXPECT_THAT(all.why_lost(), HasSubstr("did not answer in time"));
}

TEST(lane, counts_silence_from_the_last_byte_and_not_from_the_oldest_call) {
    scripted_lane all;
    auto const one = all.submit("A");
    all.submit("B");
    auto const sent = lease_clock::now();
    EXPECT_LE(all.calls->line().unheard_since(), sent) << "nothing has been heard since";
    EXPECT_EQ(all.server.read_commands(2), (std::vector<std::string>{"A", "B"}));
    auto const answered = lease_clock::now();
    all.server.say("+one\r\n");
    ASSERT_TRUE(all.wait(one));
    EXPECT_GE(all.calls->line().unheard_since(), answered) << "B is as old as A was, but the server is not silent";
}

TEST(lane, does_not_count_as_silent_a_server_that_it_has_never_asked) {
    scripted_server const server;
    auto const loop = std::make_shared<reactor>();
    lane::settings how;
    how.where = server.where();
    call_lane calls(loop, how, {});
    auto const before = lease_clock::now();
    EXPECT_GE(calls.line().silent_since(), before);
    EXPECT_LT(calls.line().unheard_since(), before) << "it has never answered either";
    calls.line().close();
    loop->stop();
}

TEST(lane, gives_a_silent_server_up_also_when_only_the_reactor_listens) {
    scripted_lane all(30ms);
    all.loop->start();
    auto const one = all.submit("A", false);
    EXPECT_EQ(all.server.read_command(), "A");
    EXPECT_EQ(all.server.read_command(), "end of stream");
    EXPECT_EQ(all.serve("A").front(), scripted_lane::kill(1));
    EXPECT_TRUE(test::wait_until([&] { return one->finished(); }));
    EXPECT_EQ(one->reply.text, "A");
}

TEST(lane, notices_on_the_reactor_that_an_idle_connection_was_closed) {
    scripted_lane all;
    all.loop->start();
    auto const one = all.submit("A");
    all.server.say("+done\r\n");
    EXPECT_TRUE(all.wait(one));
    all.server.hang_up();
    all.greet();
    EXPECT_TRUE(test::wait_until([&] { return all.connected == 2; }));
}

TEST(lane, makes_a_new_connection_when_it_is_told_to) {
    scripted_lane all;
    all.calls->line().reconnect("is a replica now");
    EXPECT_EQ(all.server.read_command(), "end of stream");
    all.greet();
    EXPECT_TRUE(test::wait_until([&] { return all.connected == 2; }));
    EXPECT_THAT(all.why_lost(), HasSubstr("is a replica now"));
    EXPECT_EQ(all.calls->line().trouble(), "") << "it is over";
}

TEST(lane, tries_again_until_a_greeting_succeeds) {
    scripted_lane all;
    all.calls->line().reconnect("test");
    for (int i = 0; i < 3; ++i) {
        all.server.accept();
        all.server.break_off();
    }
    all.greet();
    auto const one = all.submit("A");
    EXPECT_EQ(all.server.read_command(), "A");
    all.server.say("+done\r\n");
    EXPECT_TRUE(all.wait(one));
}

TEST(lane, connects_again_without_a_pause_where_the_last_connection_was_of_use) {
    scripted_lane all(20s, 0ms, 1h);
    constexpr int rounds = 12; // with pauses that double the last ones would be longer than a test waits
    for (int round = 1; round <= rounds; ++round) {
        auto const one = all.submit("A");
        EXPECT_EQ(all.server.read_command(), "A");
        all.server.say("+done\r\n");
        ASSERT_TRUE(all.wait(one));
        all.calls->line().reconnect("test");
        all.greet();
        ASSERT_TRUE(test::wait_until([&] { return all.connected == round + 1; }));
    }
}

TEST(lane, pings_an_idle_connection) {
    scripted_lane all(20s, 20ms);
    all.loop->start();
    EXPECT_EQ(all.server.read_command(), "PING");
    all.server.say("+PONG\r\n");
    EXPECT_EQ(all.server.read_command(), "PING");
    all.server.say("+PONG\r\n");
    auto const one = all.submit("A");
    std::string command;
    while ((command = all.server.read_command()) == "PING") all.server.say("+PONG\r\n");
    EXPECT_EQ(command, "A");
    all.server.say("+done\r\n");
    ASSERT_TRUE(all.wait(one));
    EXPECT_EQ(one->reply.text, "done");
}

TEST(lane, loses_a_connection_whose_ping_stays_unanswered) {
    scripted_lane all(20ms, 10ms);
    all.loop->start();
    EXPECT_EQ(all.server.read_command(), "PING");
    all.greet();
    EXPECT_TRUE(test::wait_until([&] { return all.connected >= 2; }));
    EXPECT_THAT(all.why_lost(), HasSubstr("did not answer in time"));
}

// --- the end

TEST(lane, ends_every_wait_when_it_is_closed) {
    scripted_lane all;
    std::vector<std::thread> threads;
    std::atomic<int> submitted{0};
    std::atomic<int> closed{0};
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            auto const one = all.submit("A");
            ++submitted;
            if (all.wait(one) && one->status == call::state::closed) ++closed;
        });
    EXPECT_TRUE(test::wait_until([&] { return submitted == 4; }));
    all.calls->line().close();
    for (auto& one : threads) one.join();
    EXPECT_EQ(closed, 4);
    EXPECT_EQ(all.submit("B")->status, call::state::closed);
    all.calls->line().close();
}

TEST(lane, says_why_it_cannot_connect) {
    scripted_server server;
    server.stop_listening();
    lane::settings how;
    how.where = server.where();
    call_lane calls(std::make_shared<reactor>(), how, {});
    errc reason{};
    std::string problem;
    auto until = lease_clock::now() + test::patience;
    EXPECT_FALSE(calls.line().connect_now(until, reason, problem));
    EXPECT_EQ(reason, errc::disconnected);
    EXPECT_THAT(problem, HasSubstr("the server redis://127.0.0.1:"));
}

} // namespace
} // namespace redlatch::io
