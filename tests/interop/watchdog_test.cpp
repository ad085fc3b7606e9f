// A renewed lock stays, on both sides; when its holder dies it goes, for both sides. The peer has a short watchdog timeout.
#include "interop_test.hpp"

namespace redlatch::test {
namespace {

class watchdog : public interop_test {
protected:
    client brief_cpp{config{.address = server().uri(), .lock_watchdog_timeout = brief_watchdog}};
};

TEST_F(watchdog, of_cpp_keeps_java_out_for_longer_than_the_lease) {
    hold held = brief_cpp.get_lock(name).acquire();
    // Four renewals are at least 2 s of a lease of 1.5 s.
    EXPECT_TRUE(renewed(4));
    EXPECT_FALSE(brief_java().yes("a", "tryLock", {name}));
    EXPECT_EQ(held.status(), hold_status::held);
    EXPECT_LE(ttl(), brief_watchdog.count());
    held.release();
    EXPECT_TRUE(brief_java().yes("a", "tryLock", {name}));
    brief_java().value("a", "unlock", {name});
}

TEST_F(watchdog, of_java_keeps_cpp_out_for_longer_than_the_lease) {
    brief_java().value("a", "lock", {name});
    EXPECT_TRUE(renewed(4));
    auto lock = brief_cpp.get_lock(name);
    EXPECT_FALSE(lock.try_lock());
    EXPECT_LE(ttl(), brief_watchdog.count());
    brief_java().value("a", "unlock", {name});
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST_F(watchdog, of_cpp_does_not_bring_back_what_java_force_unlocked) {
    hold const held = brief_cpp.get_lock(name).acquire();
    EXPECT_TRUE(brief_java().yes("a", "forceUnlock", {name}));
    // The next renewal finds it out.
    EXPECT_TRUE(wait_until([&] { return held.status() == hold_status::lost; }));
    EXPECT_FALSE(exists(name));
}

TEST_F(watchdog, lock_of_a_java_process_that_was_killed_comes_to_cpp_after_the_lease) {
    java_peer mortal(built_peer().folder, server().uri(), brief_watchdog);
    mortal.value("a", "lock", {name});
    auto waits = cpp_waits(brief_cpp, name);
    EXPECT_TRUE(renewed(1));
    auto const killed = wall_microseconds();
    mortal.kill();
    auto const waited = waits->acquired_at.get() - killed;
    EXPECT_LT(waited, 10'000'000) << "microseconds; the lease was 1.5 s";
    waits->release.set_value();
}

} // namespace
} // namespace redlatch::test
