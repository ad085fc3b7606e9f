// Each side holds while the other waits, and wakes it.
#include "interop_test.hpp"

#include <cstdio>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

/// The lease is 30 s: whoever wakes within this was woken by the message.
constexpr long long woken_by_message = 2'000'000;

class exclusion : public interop_test {};

TEST_F(exclusion, java_does_not_get_what_cpp_holds) {
    auto lock = cpp.get_lock(name);
    hold held = lock.acquire();
    EXPECT_TRUE(java().yes("a", "isLocked", {name}));
    EXPECT_FALSE(java().yes("a", "isHeld", {name}));
    EXPECT_FALSE(java().yes("a", "tryLock", {name}));
    EXPECT_FALSE(java().yes("a", "tryLock", {name, "200", "5000"}));
    held.ensure_held();

    held.release();
    EXPECT_FALSE(java().yes("a", "isLocked", {name}));
    EXPECT_TRUE(java().yes("a", "tryLock", {name}));
    java().value("a", "unlock", {name});
}

TEST_F(exclusion, cpp_does_not_get_what_java_holds) {
    auto lock = cpp.get_lock(name);
    java().value("a", "lock", {name});
    EXPECT_TRUE(lock.is_locked());
    EXPECT_FALSE(lock.is_held());
    EXPECT_FALSE(lock.try_lock());
    std::error_code ec;
    EXPECT_FALSE(lock.try_acquire({}, ec));
    EXPECT_EQ(ec, errc::busy);
    EXPECT_FALSE(lock.try_acquire({.wait = 1s}, ec));
    EXPECT_EQ(ec, errc::timed_out);
    EXPECT_EQ(java().number("a", "holdCount", {name}), 1);

    java().value("a", "unlock", {name});
    EXPECT_FALSE(lock.is_locked());
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST_F(exclusion, release_by_cpp_wakes_java_in_milliseconds) {
    auto lock = cpp.get_lock(name);
    latencies wake;
    for (int round = 0; round < 20; ++round) {
        hold held = lock.acquire();
        auto const waits = java_waits("a", name);
        auto const released = wall_microseconds();
        held.release();
        wake.add(std::stoll(java().end_of(waits).value) - released);
        java().value("a", "unlock", {name});
    }
    std::printf("C++ released -> Java holds: median %.2f ms, largest %.2f ms\n", double(wake.median()) / 1e3,
                double(wake.largest()) / 1e3);
    EXPECT_LT(wake.median(), 50'000);
    EXPECT_LT(wake.largest(), woken_by_message);
}

/// What release_message.hpp can say: Redisson reads each of them as its own zero.
TEST_F(exclusion, each_message_of_a_release_wakes_java) {
    auto const channel = "redisson_lock__channel:{" + name + "}";
    for (std::string const message : {"0", "00", "000", "0000", "000000000000000000", "-0"}) {
        hold held = cpp.get_lock(name).acquire();
        auto const waits = java_waits("a", name);
        auto const released = wall_microseconds();
        server().run("DEL", name);
        EXPECT_EQ(server().run("PUBLISH", channel, message).integer, 1) << "Java alone listens";
        EXPECT_LT(std::stoll(java().end_of(waits).value) - released, woken_by_message) << message;
        java().value("a", "unlock", {name});
        std::error_code lost;
        held.release(lost);
    }
}

TEST_F(exclusion, release_by_java_wakes_cpp_in_milliseconds) {
    latencies wake;
    for (int round = 0; round < 20; ++round) {
        java().value("a", "lock", {name});
        auto waits = cpp_waits(cpp, name);
        auto const released = java().number("a", "unlock", {name});
        wake.add(waits->acquired_at.get() - released);
        waits->release.set_value();
    }
    std::printf("Java released -> C++ holds: median %.2f ms, largest %.2f ms\n", double(wake.median()) / 1e3,
                double(wake.largest()) / 1e3);
    EXPECT_LT(wake.median(), 50'000);
    EXPECT_LT(wake.largest(), woken_by_message);
}

TEST_F(exclusion, waiters_of_both_sides_all_get_their_turn) {
    auto lock = cpp.get_lock(name);
    hold held = lock.acquire();
    auto const first_java = java_waits("a", name);
    auto first_cpp = cpp_waits(cpp, name);
    client other{as_variant(config{.address = server().uri()})};
    auto second_cpp = cpp_waits(other, name);
    first_cpp->release.set_value();
    second_cpp->release.set_value();

    held.release();
    java().end_of(first_java);
    java().value("a", "unlock", {name});
    first_cpp->acquired_at.get();
    second_cpp->acquired_at.get();
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
}

TEST_F(exclusion, fixed_lease_of_java_ends_by_itself_for_cpp) {
    auto const began = lease_clock::now();
    java().value("a", "lock", {name, "600"});
    hold const held = cpp.get_lock(name).acquire();
    auto const waited = lease_clock::now() - began;
    EXPECT_GT(waited, 595ms);
    EXPECT_LT(waited, 15s) << "woken long after the lease of 600 ms";
    auto const late = java().ask("a", "unlock", {name});
    EXPECT_FALSE(late.ok);
    EXPECT_EQ(late.exception_class, "IllegalMonitorStateException");
    EXPECT_TRUE(held);
}

TEST_F(exclusion, fixed_lease_of_cpp_ends_by_itself_for_java) {
    auto const began = lease_clock::now();
    hold held = cpp.get_lock(name).acquire({.lease = 600ms});
    java().value("a", "lock", {name});
    EXPECT_GT(lease_clock::now() - began, 595ms);
    EXPECT_LT(lease_clock::now() - began, 15s) << "woken long after the lease of 600 ms";
    EXPECT_EQ(held.status(), hold_status::lost);
    std::error_code ec;
    held.release(ec);
    EXPECT_EQ(ec, errc::lease_lost);
    EXPECT_EQ(java().number("a", "holdCount", {name}), 1) << "a late release took Java's lock";
    java().value("a", "unlock", {name});
}

TEST_F(exclusion, interrupted_java_waiter_and_cancelled_cpp_waiter_leave_no_trace) {
    auto lock = cpp.get_lock(name);
    hold held = lock.acquire();
    auto const waits = java_waits("a", name, "lockInterruptibly");
    EXPECT_TRUE(java().yes("main", "interrupt", {"a"}));
    EXPECT_EQ(java().end_of(waits).exception_class, "InterruptedException");
    held.release();
    EXPECT_FALSE(exists(name));

    java().value("a", "lock", {name});
    std::stop_source source;
    std::error_code ec;
    std::jthread canceller([&] {
        wait_until([&] { return cpp.stats().waiters > 0 && subscribers(name) > 0; });
        source.request_stop();
    });
    EXPECT_FALSE(lock.acquire({.stop = source.get_token()}, ec));
    EXPECT_EQ(ec, errc::cancelled);
    java().value("a", "unlock", {name});
    EXPECT_FALSE(exists(name));
}

} // namespace
} // namespace redlatch::test
