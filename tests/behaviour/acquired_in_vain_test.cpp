// What was acquired and never reached its caller has no minimum hold: nobody did anything under it.
#include "behaviour/multi_lock_fixture.hpp"

#include <redlatch/replica_policy.hpp>

namespace redlatch::test {
namespace {

class acquired_in_vain : public multi_lock_fixture {};

TEST_F(acquired_in_vain, one_of_several_locks_is_free_when_the_client_closes) {
    hold in_the_way = other.get_lock(second).acquire();
    client closing(quick(server.uri()));
    multi_lock both({closing.get_lock(first), closing.get_lock(second)}, multi_lock_order::by_name);
    auto waiter = in_thread([&] {
        return outcome_of([&] { (void)both.acquire({.wait = patience, .hold_at_least = 60s, .owner = owner()}); });
    });
    ASSERT_TRUE(wait_until([&] { return exists(first) && somebody_waits(second); }));
    closing.close();
    EXPECT_EQ(waiter.get().reason, errc::closed);
    EXPECT_FALSE(exists(first)) << "nobody can have it for a minute";
    in_the_way.release();
}

TEST_F(acquired_in_vain, a_lock_whose_replicas_are_asked_is_free_when_the_client_closes) {
    client closing(quick(server.uri()));
    auto lock = closing.get_lock(first, {.replicas = replica_policy::at_least(1, 60s)});
    auto waiter = in_thread([&] {
        return outcome_of([&] { (void)lock.acquire({.wait = patience, .hold_at_least = 60s, .owner = owner()}); });
    });
    ASSERT_TRUE(wait_until([&] { return exists(first) && command_counts(server)["wait"] > 0; })) << "there is none";
    closing.close();
    EXPECT_EQ(waiter.get().reason, errc::closed);
    EXPECT_FALSE(exists(first));
}

TEST_F(acquired_in_vain, a_confirmed_lock_has_its_minimum_hold) {
    auto lock = user.get_lock(first, {.replicas = replica_policy::all(60s)}); // all of none
    lock.acquire({.hold_at_least = 60s}).release();
    EXPECT_FALSE(other.get_lock(first).try_acquire());
    EXPECT_TRUE(other.get_lock(first).force_unlock());
}

/// The first lock was acquired earlier than the whole, so its key ends earlier: the rest is kept beyond.
TEST_F(acquired_in_vain, not_when_a_fixed_lease_ends_before_the_minimum_hold_of_the_whole) {
    auto settings = quick(server.uri());
    settings.validity_margin = 500ms; // so much time to keep the rest
    client slow(settings);
    multi_lock both({slow.get_lock(first), slow.get_lock(second)}, multi_lock_order::by_name);
    hold in_the_way = other.get_lock(second).acquire();
    auto waiter =
        in_thread([&] { return both.acquire({.wait = patience, .lease = 2s, .hold_at_least = 2s, .owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return exists(first) && somebody_waits(second); }));
    ASSERT_TRUE(wait_until([&] { return server.run("PTTL", first).integer < 1900; }))
        << "so much earlier does its lease end";
    auto const before_the_whole = test_clock::now(); // when acquire() returns is later than when the hold began
    in_the_way.release();
    auto const mine = waiter.get();
    auto const next = other.get_lock(first).acquire({.wait = patience});
    EXPECT_EQ(mine.status(), hold_status::lost) << "its lease is over";
    EXPECT_GE(since(before_the_whole), 2s);
    EXPECT_TRUE(other.get_lock(second).acquire({.wait = patience}));
}

/// A member that fails before its time costs a moment, not a quarter of the lease.
TEST_F(acquired_in_vain, by_name_is_tried_again_soon_after_a_member_has_said_no) {
    auto const start = test_clock::now();
    client closing(quick(server.uri()));
    replica_policy policy = replica_policy::at_least(1, 20ms); // there is none
    policy.shortage = replica_shortage::give_back;
    multi_lock both({closing.get_lock(first), closing.get_lock(second, {.replicas = policy})},
                    multi_lock_order::by_name);
    auto waiter = in_thread(
        [&] { return outcome_of([&] { (void)both.acquire({.wait = patience, .lease = 100s, .owner = owner()}); }); });
    EXPECT_TRUE(wait_until([&] { return command_counts(server)["wait"] > 10; }));
    EXPECT_LT(since(start), 20s);
    closing.close();
    EXPECT_EQ(waiter.get().reason, errc::closed);
}

} // namespace
} // namespace redlatch::test
