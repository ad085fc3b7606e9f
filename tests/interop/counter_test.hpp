// What the tests of semaphores and latches share: waiters of both languages, how one sees that they wait, and what is left on
// the wire.
#pragma once

#include "interop_test.hpp"

#include <functional>
#include <future>
#include <string>
#include <vector>

namespace redlatch::test {

/// The parameter: whether our requests are executed exactly once. Java sees no difference.
class counter_test : public interop_test, public ::testing::WithParamInterface<bool> {
protected:
    /// Ours asks by itself after 30 s, Java never: whoever wakes within this was woken by the message.
    static constexpr long long woken_by_message = 2'000'000;
    /// For what must not happen to show itself.
    static constexpr std::chrono::milliseconds a_moment{30};

    void SetUp() override;

    /// Which need not wait for the thread that is waiting.
    static std::string ask_java(std::string const& command, java_peer::words const& arguments) {
        return java().value("asked", command, arguments);
    }

    static long long listeners(std::string const& channel);

    /// A Java thread that waits: it has asked, subscribed, and asked again.
    static java_peer::ticket java_waits(std::string const& channel, std::string const& thread,
                                        std::string const& command, java_peer::words const& arguments,
                                        java_peer& peer = java());
    static bool still_waits(java_peer::ticket which, java_peer& peer = java()) {
        return !peer.reply_if_any(which, a_moment);
    }
    /// When it was let through, in microseconds of the wall clock.
    static long long end_of(java_peer::ticket which);

    /// A C++ thread that waits likewise; `wait` shall end within `patience`. The future has the time when it was let through.
    static std::future<long long> cpp_waits(std::string const& channel, std::function<void()> wait);
    static bool still_waits(std::future<long long> const& which) {
        return which.wait_for(a_moment) == std::future_status::timeout;
    }

    /// The number after each step, and then the messages.
    static std::vector<std::string> trace(std::string const& key, std::string const& channel,
                                          std::vector<std::function<void()>> const& steps);
};

/// Of such a test: "exactly_once".
std::string request_form(::testing::TestParamInfo<bool> const& one);

/// Names whose channels are formed in different ways.
inline constexpr char const* counter_names[] = {"orders", "{a}:b", "b:{a}", "a{b", "x}y", "{}", "with space", "注文🔒"};

} // namespace redlatch::test
