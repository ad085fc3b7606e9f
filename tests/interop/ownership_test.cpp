// Re-entry, unlock by others and force unlock, across the two sides.
#include "interop_test.hpp"

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class ownership : public interop_test {};

TEST_F(ownership, java_stays_out_until_cpp_has_unlocked_as_often_as_it_locked) {
    auto lock = cpp.get_lock(name);
    lock.lock();
    lock.lock();
    lock.lock();
    EXPECT_EQ(lock.hold_count(), 3);
    lock.unlock();
    lock.unlock();
    EXPECT_FALSE(java().yes("a", "tryLock", {name}));
    lock.unlock();
    EXPECT_TRUE(java().yes("a", "tryLock", {name}));
    java().value("a", "unlock", {name});
}

TEST_F(ownership, cpp_stays_out_until_java_has_unlocked_as_often_as_it_locked) {
    auto lock = cpp.get_lock(name);
    java().value("a", "lock", {name});
    java().value("a", "lock", {name});
    EXPECT_EQ(java().number("a", "holdCount", {name}), 2);
    auto const info = lock.inspect();
    ASSERT_EQ(info.owners.size(), 1U);
    EXPECT_EQ(info.owners[0].client, java().value("main", "id"));
    EXPECT_EQ(info.owners[0].holder, java().value("a", "threadId"));
    EXPECT_EQ(info.owners[0].count, 2);
    EXPECT_EQ(info.type, "reentrant");

    java().value("a", "unlock", {name});
    EXPECT_FALSE(lock.try_lock());
    java().value("a", "unlock", {name});
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST_F(ownership, unlock_by_java_of_what_cpp_holds_is_refused_and_changes_nothing) {
    auto lock = cpp.get_lock(name);
    hold const held = lock.acquire();
    auto const refused = java().ask("a", "unlock", {name});
    EXPECT_FALSE(refused.ok);
    EXPECT_EQ(refused.exception_class, "IllegalMonitorStateException");
    EXPECT_TRUE(held);
    EXPECT_EQ(lock.inspect().owners.at(0).owner, held.owner_id());
}

TEST_F(ownership, unlock_by_cpp_of_what_java_holds_is_refused_and_changes_nothing) {
    auto lock = cpp.get_lock(name);
    java().value("a", "lock", {name});
    try {
        lock.unlock();
        FAIL() << "unlocked what Java holds";
    } catch (error const& problem) {
        EXPECT_EQ(problem.reason(), errc::not_owner);
        EXPECT_NE(std::string_view(problem.what()).find(name), std::string_view::npos) << problem.what();
    }
    EXPECT_EQ(java().number("a", "holdCount", {name}), 1);
    java().value("a", "unlock", {name});
}

TEST_F(ownership, java_thread_with_the_number_of_a_cpp_holder_is_still_a_stranger) {
    auto lock = cpp.get_lock(name);
    hold const held = lock.acquire();
    auto const number = lock.inspect().owners.at(0).holder;
    EXPECT_FALSE(java().yes("main", "isHeldBy", {name, number}));
    auto const refused = java().ask("a", "unlockAsync", {name, number});
    EXPECT_FALSE(refused.ok);
    EXPECT_TRUE(held);
    EXPECT_TRUE(exists(name));
}

TEST_F(ownership, force_unlock_by_java_ends_a_cpp_hold_and_wakes_a_cpp_waiter) {
    auto lock = cpp.get_lock(name);
    client other{as_variant(config{.address = server().uri()})};
    hold held = lock.acquire();
    auto waits = cpp_waits(other, name);
    EXPECT_TRUE(java().yes("a", "forceUnlock", {name}));
    EXPECT_EQ(waits->acquired_at.wait_for(10s), std::future_status::ready) << "not woken by Java's force unlock";
    std::error_code ec;
    held.release(ec);
    EXPECT_EQ(ec, errc::lease_lost);
    EXPECT_TRUE(exists(name)) << "the release of a lost hold took the next holder's lock";
    waits->release.set_value();
    waits->thread.join();
    EXPECT_FALSE(java().yes("a", "forceUnlock", {name}));
}

TEST_F(ownership, force_unlock_by_cpp_ends_a_java_hold_and_wakes_a_java_waiter) {
    auto lock = cpp.get_lock(name);
    java().value("a", "lock", {name});
    auto const waits = java_waits("b", name);
    EXPECT_TRUE(lock.force_unlock());
    EXPECT_TRUE(java().end_of(waits, 10s).ok);
    EXPECT_FALSE(java().yes("a", "isHeld", {name}));
    EXPECT_FALSE(java().ask("a", "unlock", {name}).ok);
    EXPECT_EQ(java().number("b", "holdCount", {name}), 1);
    java().value("b", "unlock", {name});
    EXPECT_FALSE(lock.force_unlock());
}

} // namespace
} // namespace redlatch::test
