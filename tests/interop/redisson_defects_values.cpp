// Values of a group: counts, renewal, messages, questions.
#include "redisson_defects_test.hpp"
#include "support/lock_helpers.hpp"

namespace redlatch::test {
namespace {

class redisson_defects_values : public redisson_defects_test {
protected:
    std::string with(std::string const& value) const { return name + "|" + value; }
    any_lock ours(client& from, std::string const& value) { return from.get_faster_multi_lock(name, {value}); }
};

TEST_F(redisson_defects_values, java_goes_on_counting_from_a_hold_whose_lease_is_over) {
    hold const beside = ours(cpp, "other").acquire(); // by which the group lives on
    ASSERT_TRUE(java().yes("a", "faster_multi/tryLock", {with("a"), "0", "100"}));
    ASSERT_TRUE(wait_until([&] { return !java().yes("b", "faster_multi/isLocked", {with("a")}); }));
    java().value("a", "faster_multi/lock", {with("a")});
    java().value("a", "faster_multi/unlock", {with("a")});
    EXPECT_TRUE(java().yes("b", "faster_multi/isLocked", {with("a")})) << "locked once, unlocked once";
    java().value("a", "faster_multi/unlock", {with("a")});
}

TEST_F(redisson_defects_values, ours_counts_anew_after_a_hold_whose_lease_is_over) {
    hold const beside = ours(cpp, "other").acquire();
    owner const me;
    hold const first = ours(cpp, "a").acquire({.lease = 100ms, .owner = me});
    ASSERT_TRUE(wait_until([&] { return !ours(cpp, "a").is_locked(); }));
    ours(cpp, "a").acquire({.owner = me}).release();
    EXPECT_FALSE(ours(cpp, "a").is_locked());
}

TEST_F(redisson_defects_values, java_renews_one_of_two_holds_in_a_group) {
    java_peer& peer = brief_java();
    peer.value("a", "faster_multi/lock", {with("a")});
    peer.value("b", "faster_multi/lock", {with("b")});
    hold const got = ours(cpp, "b").acquire({.wait = 10s}); // of a thread that holds it
    EXPECT_FALSE(ours(cpp, "a").try_acquire({.owner = owner()}));
    peer.value("a", "faster_multi/unlock", {with("a")});
    EXPECT_FALSE(peer.ask("b", "faster_multi/unlock", {with("b")}).ok);
}

TEST_F(redisson_defects_values, ours_renews_all_holds_in_a_group) {
    hold const one = ours(brief_cpp, "a").acquire({.owner = owner()});
    hold const two = ours(brief_cpp, "b").acquire({.owner = owner()});
    std::error_code ec;
    EXPECT_FALSE(ours(cpp, "b").acquire({.wait = 2 * brief_watchdog}, ec));
    EXPECT_FALSE(ours(cpp, "a").try_acquire());
    one.ensure_held();
    two.ensure_held();
}

TEST_F(redisson_defects_values, java_wakes_a_waiter_for_another_value_and_lets_the_one_that_could_go_on_sleep) {
    hold first = ours(cpp, "a").acquire({.owner = owner()});
    hold second = ours(cpp, "b").acquire({.owner = owner()});
    auto const for_first = java_waits("a", with("a"), "faster_multi/lock");
    auto const for_second = java_waits("b", with("b"), "faster_multi/lock");
    second.release();
    EXPECT_TRUE(still_waits(for_second));
    EXPECT_FALSE(ours(cpp, "b").is_locked()) << "it is free";
    server().run("PUBLISH", channel_of(name), "1"); // by which all waiters are woken
    EXPECT_TRUE(java().end_of(for_second).ok);
    java().value("b", "faster_multi/unlock", {with("b")});
    first.release();
    EXPECT_TRUE(java().end_of(for_first).ok);
    java().value("a", "faster_multi/unlock", {with("a")});
}

TEST_F(redisson_defects_values, ours_wakes_the_waiter_that_can_go_on) {
    java().value("a", "faster_multi/lock", {with("a")});
    java().value("b", "faster_multi/lock", {with("b")});
    auto for_first = in_thread([&] { return ours(cpp, "a").acquire({.owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return cpp.stats().waiters == 1; }));
    auto for_second = in_thread([&] { return ours(cpp, "b").acquire({.owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return cpp.stats().waiters == 2 && subscribers(name) == 1; }));
    auto const begin = std::chrono::steady_clock::now();
    java().value("b", "faster_multi/unlock", {with("b")});
    for_second.get().release();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s) << "a lease is 30 s";
    java().value("a", "faster_multi/unlock", {with("a")});
    for_first.get().release();
}

TEST_F(redisson_defects_values, java_says_of_a_value_that_anybody_holds_that_each_thread_does) {
    hold const held = ours(cpp, "a").acquire();
    EXPECT_TRUE(java().yes("a", "faster_multi/isHeld", {with("a")}));
}

TEST_F(redisson_defects_values, ours_says_of_a_value_who_holds_it) {
    java().value("a", "faster_multi/lock", {with("a")});
    EXPECT_FALSE(ours(cpp, "a").is_held());
    java().value("a", "faster_multi/unlock", {with("a")});
}

TEST_F(redisson_defects_values, java_fails_to_end_by_force_what_is_held_in_part_and_denies_what_it_has_ended) {
    hold const held = ours(cpp, "a").acquire();
    EXPECT_FALSE(java().ask("a", "faster_multi/forceUnlock", {with("a,b")}).ok) << "b is free";
    EXPECT_FALSE(java().yes("a", "faster_multi/isLocked", {with("a")}))
        << "a is released all the same, and nobody told";
    any_lock both{cpp.get_faster_multi_lock(name, {"a", "b"})};
    hold const again = both.acquire({.owner = owner()});
    EXPECT_FALSE(java().yes("a", "faster_multi/forceUnlock", {with("a,b")}))
        << "it ends two holds, and only one is true";
    EXPECT_FALSE(both.is_locked());
}

TEST_F(redisson_defects_values, ours_ends_by_force_what_is_held_in_part_and_says_so) {
    java().value("a", "faster_multi/lock", {with("a")});
    any_lock both{cpp.get_faster_multi_lock(name, {"a", "b"})};
    EXPECT_TRUE(both.force_unlock());
    EXPECT_FALSE(both.is_locked());
    EXPECT_FALSE(both.force_unlock());
}

} // namespace
} // namespace redlatch::test
