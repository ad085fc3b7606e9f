#include "interop_test.hpp"

#include "support/in_ci.hpp"

#include <algorithm>
#include <sstream>

namespace redlatch::test {

namespace {

java_classes build() {
    child_process java({.arguments = {"java", "-version"}});
    if (java.wait(std::chrono::minutes(1)) != 0)
        return {.reason = "Java is missing (package openjdk-17-jre-headless or newer)"};
    child_process builder({.arguments = {REDLATCH_BUILD_PEER, REDLATCH_PEER_CLASSES}});
    // The first time Maven downloads Redisson and what it needs.
    if (builder.wait(std::chrono::minutes(10)) != 0) return {.reason = builder.error_text()};
    return {.folder = REDLATCH_PEER_CLASSES};
}

} // namespace

java_classes const& built_peer() {
    static java_classes const classes = build();
    return classes;
}

void interop_test::SetUp() {
    if (!built_peer().reason.empty()) {
        if (in_ci()) FAIL() << "no Java peer, and CI must have one: " << built_peer().reason;
        GTEST_SKIP() << "interop tests skipped: " << built_peer().reason;
    }
}

redis_server& interop_test::server() {
    // Over TCP, as Java users have it.
    static redis_server only({.over = server_options::transport::tcp});
    return only;
}

java_peer& interop_test::java() {
    static java_peer only(built_peer().folder, server().uri(), std::chrono::seconds(30));
    return only;
}

java_peer& interop_test::brief_java() {
    static java_peer only(built_peer().folder, server().uri(), brief_watchdog);
    return only;
}

bool interop_test::renewed(int times) const {
    auto before = ttl();
    return wait_until([&] {
        auto const now = ttl();
        if (now > before) --times;
        before = now;
        return times == 0;
    });
}

std::string interop_test::channel_of(std::string const& lock_name) {
    bool const has_brace = lock_name.find('{') != std::string::npos;
    return "redisson_lock__channel:" + (has_brace ? lock_name : "{" + lock_name + "}");
}

long long interop_test::subscribers(std::string const& lock_name) {
    return server().run("PUBSUB", "NUMSUB", channel_of(lock_name)).items.at(1).integer;
}

long long interop_test::script_calls() {
    std::istringstream lines(server().run("INFO", "commandstats").text);
    long long calls = 0;
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("cmdstat_eval")) calls += std::stoll(line.substr(line.find('=') + 1));
    return calls;
}

java_peer::ticket interop_test::java_waits(std::string const& thread, std::string const& lock_name,
                                           std::string const& command, java_peer& peer) {
    // A subscription says little: that of an earlier wait may still be there.
    auto const before = script_calls();
    auto const ticket = peer.start(thread, command, {lock_name});
    EXPECT_TRUE(wait_until([&] { return script_calls() >= before + 2; })) << "Java did not begin to wait";
    EXPECT_FALSE(peer.reply_if_any(ticket, std::chrono::milliseconds(30))) << "Java took a lock that C++ holds";
    return ticket;
}

std::unique_ptr<interop_test::waiting> interop_test::cpp_waits(client& by, std::string const& lock_name) {
    auto result = std::make_unique<waiting>();
    auto const before = by.stats().waiters;
    std::promise<long long> acquired;
    result->acquired_at = acquired.get_future();
    result->thread = std::jthread(
        [lock = by.get_lock(lock_name), done = std::move(acquired), go = result->release.get_future()]() mutable {
            try {
                hold const held = lock.acquire();
                done.set_value(wall_microseconds());
                go.wait();
            } catch (...) {
                done.set_exception(std::current_exception());
            }
        });
    EXPECT_TRUE(wait_until([&] { return by.stats().waiters > before && subscribers(lock_name) > 0; }))
        << "C++ did not begin to wait";
    EXPECT_EQ(result->acquired_at.wait_for(std::chrono::milliseconds(30)), std::future_status::timeout)
        << "C++ took a lock that Java holds";
    return result;
}

long long wall_microseconds() {
    auto const now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

long long latencies::median() const {
    auto sorted = microseconds;
    std::ranges::sort(sorted);
    return sorted.at(sorted.size() / 2);
}

long long latencies::largest() const {
    return std::ranges::max(microseconds);
}

} // namespace redlatch::test
