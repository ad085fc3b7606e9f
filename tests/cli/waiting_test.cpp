// Taking a lock, in this process: what a signal or a slow server does at a moment that a real tool would hardly be caught in.
#include "support/byte_proxy.hpp"
#include "support/lock_helpers.hpp"
#include "support/redis_server.hpp"
#include "waiting.hpp"

#include <chrono>
#include <csignal>
#include <gtest/gtest.h>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

class take_lock_test : public testing::Test {
protected:
    take_lock_test() {
        ::pthread_sigmask(SIG_SETMASK, nullptr, &before_);
        block_ending_signals(nothing_ignored);
        options.name = "job";
    }
    ~take_lock_test() override { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

    /// As the tool does.
    client connect(std::string const& address) {
        options.common.server = address;
        return client(choose_server(options));
    }

    static constexpr inherited_signals nothing_ignored{};
    test::redis_server server;
    lock_options options;
    private_server unused{config::from_uri(server.uri())};

private:
    sigset_t before_{};
};

TEST_F(take_lock_test, gives_back_what_it_took_while_a_signal_came) {
    auto owner = connect(server.uri());
    ASSERT_EQ(::raise(SIGTERM), 0); // it is blocked: seen only when the lock has been taken
    auto const outcome = take_lock(owner, unused, options, nothing_ignored, true);
    EXPECT_EQ(outcome.signal, SIGTERM);
    EXPECT_FALSE(outcome.hold);
    EXPECT_TRUE(test::holders(server, "job").empty());
    EXPECT_EQ(owner.stats().acquired, 1U) << "it had been taken";
}

TEST_F(take_lock_test, leaves_a_server_that_does_not_answer_in_time_and_without_a_trace) {
    test::byte_proxy proxy(server.address());
    options.wait = 100ms;
    auto const begin = lease_clock::now();
    {
        auto owner = connect(proxy.uri());
        auto const answer = proxy.hold_reply(test::an_acquisition());
        EXPECT_THROW(static_cast<void>(take_lock(owner, unused, options, nothing_ignored, false)), error)
            << "nobody knows whether it is busy";
        EXPECT_TRUE(answer.wait()) << "the server did take it";
    }
    EXPECT_EQ(proxy.count(test::a_command("SUBSCRIBE")), 0U) << "there was no time left for a wait";
    EXPECT_LT(lease_clock::now() - begin, 1s) << "closing did not wait for the answer that does not come";
    EXPECT_TRUE(test::wait_until([&] { return test::holders(server, "job").empty(); }))
        << "the release followed the acquisition on its connection";
}

} // namespace
} // namespace redlatch::cli
