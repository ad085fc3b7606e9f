// The subscriber's lane against a server that the test plays by hand.
#include "io/scripted_server.hpp"
#include "io/subscriber.hpp"
#include "scripted/wake_counter.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <poll.h>
#include <string>
#include <thread>
#include <vector>

namespace redlatch::io {
namespace {

using namespace std::chrono_literals;
using locking::subscription_registry;

/// On a loop that only the test runs: no timer helps unless it is given a turn.
class a_subscriber : public ::testing::Test {
protected:
    void SetUp() override {
        lane::settings how;
        how.where = server.where();
        how.words.identify = false;
        how.ping_interval = 0ms;
        how.timeout = timeout;
        messages = std::make_unique<subscriber>(loop, how, lane::hooks());
        std::thread greeter([&] {
            server.accept();
            EXPECT_EQ(server.read_command(), "PING");
            server.say("+PONG\r\n");
        });
        errc reason{};
        std::string problem;
        auto until = lease_clock::now() + test::patience;
        EXPECT_TRUE(messages->line().connect_now(until, reason, problem)) << problem;
        greeter.join();
    }
    void TearDown() override {
        messages->line().close();
        loop->stop();
    }
    /// The server has heard it; then this thread reads the confirmation and leaves.
    void confirm(locking::channel_ptr const& one) {
        EXPECT_EQ(server.read_command(), "SUBSCRIBE " + one->name);
        server.say("*3\r\n$9\r\nsubscribe\r\n$" + std::to_string(one->name.size()) + "\r\n" + one->name + "\r\n:1\r\n");
        EXPECT_TRUE(messages->line().wait(
            parker::of_this_thread(), [&] { return one->sample().subscribed; }, lease_clock::now() + test::patience));
    }

    /// This thread has listened, and does not any more.
    locking::channel_ptr rest_on_a_channel() {
        auto const me = parker::of_this_thread().as_waker();
        auto one = messages->attach("channel");
        messages->listen(one, me, true, true);
        confirm(one);
        messages->rest(*one, me, false);
        loop->wait_for_work(); // the tick after the last caller has left
        loop->run_ready();
        return one;
    }

    base::milliseconds timeout = test::patience;
    scripted_server server;
    std::shared_ptr<reactor> loop = std::make_shared<reactor>(reactor::driver::user_loop);
    std::unique_ptr<subscriber> messages;
};

TEST_F(a_subscriber, gives_the_oldest_up_at_once_when_too_many_linger) {
    auto const me = parker::of_this_thread().as_waker();
    auto const channel_name = [](std::size_t number) { return "channel" + std::to_string(number); };
    for (std::size_t i = 0; i <= subscription_registry::most_lingering; ++i) {
        auto const one = messages->attach(channel_name(i));
        messages->listen(one, me, true, true);
        confirm(one);
        messages->detach(one, me, false);
    }
    std::string expected = "UNSUBSCRIBE";
    for (std::size_t i = 0; i < subscription_registry::given_up_together; ++i) expected += " " + channel_name(i);
    EXPECT_EQ(server.read_command(), expected);
}

/// A caller has read for everybody and leaves; the others sleep until they are told.
TEST_F(a_subscriber, leaves_the_reading_to_the_loop_when_somebody_sleeps) {
    auto const sleeper = scripted::make_sleeper();
    auto const one = messages->attach("channel");
    messages->listen(one, sleeper, true, false);
    confirm(one);
    auto const told_before = sleeper->times;
    auto const before = messages->sample(*one).count;
    server.say("*3\r\n$7\r\nmessage\r\n$7\r\nchannel\r\n$1\r\n0\r\n");
    ASSERT_TRUE(server.has_been_heard());
    loop->wait_for_work();
    loop->run_ready(); // a tick that comes in this turn only sees to it that the next one reads
    EXPECT_EQ(messages->sample(*one).count, before + 1);
    EXPECT_EQ(sleeper->times, told_before + 1);
    messages->detach(one, sleeper, true);
}

/// Whoever leaves the lock to others for a while looks at the channel then.
TEST_F(a_subscriber, leaves_messages_in_the_kernel_while_nobody_listens) {
    auto const one = rest_on_a_channel();
    auto const before = messages->sample(*one).count;
    server.say("*3\r\n$7\r\nmessage\r\n$7\r\nchannel\r\n$1\r\n0\r\n");
    ASSERT_TRUE(server.has_been_heard());
    pollfd work{loop->descriptor(), POLLIN, 0};
    EXPECT_EQ(::poll(&work, 1, 0), 0) << "nothing that the loop has to do";
    EXPECT_EQ(messages->sample(*one).count, before);
    messages->catch_up();
    EXPECT_EQ(messages->sample(*one).count, before + 1);
    messages->detach(one, parker::of_this_thread().as_waker(), false);
}

TEST_F(a_subscriber, notices_the_end_of_a_connection_that_nobody_reads) {
    auto const one = rest_on_a_channel();
    server.say("*3\r\n$7\r\nmessage\r\n$7\r\nchannel\r\n$1\r\n0\r\n");
    server.hang_up();
    while (messages->line().trouble().empty()) { // the message is read before the end
        loop->wait_for_work();
        loop->run_ready();
    }
    EXPECT_EQ(one->messages, 1U);
    EXPECT_NE(messages->line().trouble().find("closed the connection"), std::string::npos)
        << messages->line().trouble();
    messages->detach(one, parker::of_this_thread().as_waker(), false);
}

/// A thread reads without being owed anything when another one asks for something that is never answered.
class a_reader_of_messages : public a_subscriber {
protected:
    a_reader_of_messages() { timeout = 300ms; }
    void TearDown() override {
        over = true;
        waker->wake();
        reader.join();
        a_subscriber::TearDown();
    }
    void start_reading() {
        reader = std::thread([this] {
            waker = parker::of_this_thread().as_waker();
            auto const ready = [this] {
                ++looks;
                return over.load();
            };
            messages->line().wait(parker::of_this_thread(), ready, base::never);
        });
        wait_for_look(0);
    }
    /// Since it has looked so often it has looked once more, and has begun to read.
    void wait_for_look(int since) {
        EXPECT_TRUE(test::wait_until([&] { return looks > since; }));
        messages->line().with([] {});
    }
    bool run_loop_within(base::milliseconds time) {
        pollfd work{loop->descriptor(), POLLIN, 0};
        if (::poll(&work, 1, static_cast<int>(time.count())) <= 0) return false;
        loop->run_ready();
        return true;
    }

    std::atomic<int> looks{0};
    std::atomic<bool> over{false};
    base::waker waker;
    std::thread reader;
};

TEST_F(a_reader_of_messages, loses_a_connection_on_which_another_caller_gets_no_answer) {
    auto const me = parker::of_this_thread().as_waker();
    auto const one = messages->attach("channel");
    messages->listen(one, me, true, true);
    confirm(one);
    start_reading();
    while (run_loop_within(100ms)) {
    } // ticks end: whoever reads looks after the connection
    int const before = looks;
    server.say("*3\r\n$7\r\nmessage\r\n$7\r\nchannel\r\n$1\r\n0\r\n");
    wait_for_look(before);
    auto const other = messages->attach("other");
    messages->listen(other, me, true, false);
    while (messages->line().trouble().empty()) ASSERT_TRUE(run_loop_within(test::patience)) << "nobody notices";
    EXPECT_NE(messages->line().trouble().find("did not answer in time"), std::string::npos)
        << messages->line().trouble();
    messages->detach(other, me, true);
    messages->detach(one, me, false);
}

} // namespace
} // namespace redlatch::io
