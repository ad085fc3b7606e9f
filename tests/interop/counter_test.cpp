#include "counter_test.hpp"

#include "support/lock_helpers.hpp"

#include <stdexcept>
#include <utility>

namespace redlatch::test {

namespace {

/// Whoever asks, of either language, reads the number once.
std::uint64_t times_asked(redis_server const& server) {
    return command_counts(server)["get"];
}

} // namespace

void counter_test::SetUp() {
    interop_test::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) server().run("DEL", name);
}

long long counter_test::listeners(std::string const& channel) {
    return server().run("PUBSUB", "NUMSUB", channel).items.at(1).integer;
}

java_peer::ticket counter_test::java_waits(std::string const& channel, std::string const& thread,
                                           std::string const& command, java_peer::words const& arguments,
                                           java_peer& peer) {
    auto const before = times_asked(server());
    auto const ticket = peer.start(thread, command, arguments);
    EXPECT_TRUE(wait_until([&] { return times_asked(server()) >= before + 2 && listeners(channel) > 0; }))
        << "Java did not begin to wait";
    EXPECT_TRUE(still_waits(ticket, peer)) << "Java did not wait";
    return ticket;
}

long long counter_test::end_of(java_peer::ticket which) {
    auto const answer = java().end_of(which);
    if (!answer.ok) throw std::runtime_error("Java: " + answer.exception_class + ": " + answer.value);
    return std::stoll(answer.value);
}

std::future<long long> counter_test::cpp_waits(std::string const& channel, std::function<void()> wait) {
    auto const before = times_asked(server());
    auto waiter = std::async(std::launch::async, [wait = std::move(wait)] {
        wait();
        return wall_microseconds();
    });
    EXPECT_TRUE(wait_until([&] { return times_asked(server()) >= before + 2 && listeners(channel) > 0; }))
        << "C++ did not begin to wait";
    EXPECT_TRUE(still_waits(waiter)) << "C++ did not wait";
    return waiter;
}

std::vector<std::string> counter_test::trace(std::string const& key, std::string const& channel,
                                             std::vector<std::function<void()>> const& steps) {
    raw_client subscriber = server().admin();
    subscriber.command("SUBSCRIBE", channel);
    std::vector<std::string> result;
    for (auto const& step : steps) {
        step();
        auto const number = server().run("GET", key);
        result.push_back(number.is_nil() ? "none" : number.text);
    }
    server().run("PUBLISH", channel, "the end");
    for (auto message = subscriber.receive_if_any(patience); message; message = subscriber.receive_if_any(patience)) {
        if (message->items.back().text == "the end") break;
        result.push_back("message " + message->items.back().text);
    }
    return result;
}

std::string request_form(::testing::TestParamInfo<bool> const& one) {
    return one.param ? "exactly_once" : "sent_once";
}

} // namespace redlatch::test
