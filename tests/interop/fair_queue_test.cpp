// One queue for both languages.
#include "behaviour/kinds.hpp"
#include "interop_test.hpp"

namespace redlatch::test {
namespace {

struct fair_queue : interop_test {
    any_lock ours{cpp.get_fair_lock(name)};
    std::string const queue = "redisson_lock_queue:{" + name + "}";

    bool queue_becomes(std::int64_t length) const {
        return wait_until([&] { return server().run("LLEN", queue).integer == length; });
    }
    java_peer::ticket java_queues(std::string const& thread, std::int64_t place) const {
        auto const waits = java().start(thread, "fair/lock", {name});
        EXPECT_TRUE(queue_becomes(place));
        return waits;
    }
    std::future<hold> cpp_queues(std::int64_t place) {
        auto waits = in_thread([&] { return ours.acquire({.owner = owner()}); });
        EXPECT_TRUE(queue_becomes(place));
        return waits;
    }
    static bool has_it(std::future<hold> const& waiter) { return waiter.wait_for(0s) == std::future_status::ready; }
    /// Each has the lock in its turn, and not before: Java's thread "b", C++, Java's thread "c", which keeps it.
    void expect_in_this_order(java_peer::ticket first, std::future<hold>& second, java_peer::ticket third) const {
        EXPECT_TRUE(java().end_of(first).ok);
        EXPECT_FALSE(has_it(second));
        java().value("b", "fair/unlock", {name});
        hold ours_now = second.get();
        EXPECT_FALSE(java().reply_if_any(third, 100ms).has_value());
        ours_now.release();
        EXPECT_TRUE(java().end_of(third).ok);
    }
};

TEST_F(fair_queue, gives_the_lock_to_waiters_of_both_languages_in_the_order_in_which_they_came) {
    hold mine = ours.acquire();
    auto const first = java_queues("b", 1);
    auto second = cpp_queues(2);
    auto const third = java_queues("c", 3);
    auto fourth = cpp_queues(4);
    mine.release();
    expect_in_this_order(first, second, third);
    EXPECT_FALSE(has_it(fourth));
    java().value("c", "fair/unlock", {name});
    EXPECT_TRUE(fourth.get());
}

TEST_F(fair_queue, is_left_by_a_java_waiter_that_gives_up_and_by_one_of_ours) {
    hold mine = ours.acquire();
    auto const java_gives_up = java().start("b", "fair/tryLock", {name, "300", "5000"});
    ASSERT_TRUE(queue_becomes(1));
    auto ours_waits = cpp_queues(2);
    EXPECT_EQ(java().end_of(java_gives_up).value, "false");
    EXPECT_TRUE(queue_becomes(1));
    std::error_code ec;
    EXPECT_FALSE(ours.acquire({.wait = 100ms, .owner = owner()}, ec));
    EXPECT_TRUE(queue_becomes(1));
    auto const java_waits = java_queues("c", 2);
    mine.release();
    ours_waits.get().release();
    EXPECT_TRUE(java().end_of(java_waits).ok);
    java().value("c", "fair/unlock", {name});
    EXPECT_FALSE(exists(name));
    EXPECT_FALSE(exists(queue));
}

/// Whoever was told of the release, it is gone: its place ends a second after the lease that it was told.
TEST_F(fair_queue, is_passed_on_by_java_to_ours_behind_a_java_waiter_that_was_killed) {
    java_peer victim(built_peer().folder, server().uri(), 30s, 1s);
    brief_java().value("a", "fair/lock", {name});
    victim.start("v", "fair/lock", {name});
    ASSERT_TRUE(queue_becomes(1));
    auto ours_waits = cpp_queues(2);
    victim.kill();
    brief_java().value("a", "fair/unlock", {name});
    EXPECT_TRUE(ours_waits.get());
    EXPECT_TRUE(queue_becomes(0));
}

TEST_F(fair_queue, keeps_its_order_behind_a_java_waiter_that_was_killed) {
    java_peer victim(built_peer().folder, server().uri(), 30s, 1s);
    brief_java().value("a", "fair/lock", {name});
    victim.start("v", "fair/lock", {name});
    ASSERT_TRUE(queue_becomes(1));
    auto const first = java_queues("b", 2);
    auto second = cpp_queues(3);
    auto const third = java_queues("c", 4);
    victim.kill();
    brief_java().value("a", "fair/unlock", {name});
    expect_in_this_order(first, second, third);
    java().value("c", "fair/unlock", {name});
    EXPECT_FALSE(exists(queue));
}

} // namespace
} // namespace redlatch::test
