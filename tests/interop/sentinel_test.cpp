// Ours and Redisson on a master that Sentinels watch: who holds keeps the other side out and wakes it, before and after a
// failover.
#include "interop_test.hpp"
#include "support/lock_helpers.hpp"
#include "support/sentinel_set.hpp"

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

struct sentinels_with_java : interop_test {
    sentinel_set all;
    client user{config{.address = all.uri()}};
    /// It does not listen for ends of its holds by force: who listens to their channels is Java.
    client holder{config{.address = all.uri(), .watched_holds = 0}};
    java_peer other_side{built_peer().folder, all.uri(), 30s};
    std::string const lock = unique_name();

    bool somebody_listens(std::size_t server) {
        auto const reply = all.servers()[server].run("PUBSUB", "NUMSUB", channel_of(lock));
        return reply.items.size() == 2 && reply.items[1].integer > 0;
    }
    std::future<hold> in_line() {
        return std::async(std::launch::async,
                          [this] { return user.get_lock(lock).acquire({.wait = patience, .owner = owner()}); });
    }
    /// A Java thread that waits for what `holder` has on the first master: it has asked, subscribed, and asked again.
    java_peer::ticket java_in_line() {
        auto const waits = other_side.start("a", "lock", {lock});
        EXPECT_TRUE(wait_until([&] {
            auto counts = command_counts(all.servers()[0]);
            return counts["eval"] + counts["evalsha"] >= 2 && somebody_listens(0);
        })) << "Java did not begin to wait";
        EXPECT_FALSE(other_side.reply_if_any(waits, 30ms)) << "Java took a lock that C++ holds";
        return waits;
    }
    /// After a failover: it has not been lost, and our release lets Java in.
    void java_gets_it_on(std::size_t server, hold& held, java_peer::ticket waits) {
        EXPECT_TRUE(wait_until([&] { return somebody_listens(server); }, sentinel_set::longest_failover)) << "Java";
        EXPECT_EQ(held.status(), hold_status::held);
        EXPECT_EQ(holders(all.servers()[server], lock).count(held.owner_id()), 1U);
        held.release();
        auto const end = other_side.end_of(waits); // long before the lease of 30 s is over
        EXPECT_TRUE(end.ok) << end.value;
        EXPECT_FALSE(user.get_lock(lock).try_acquire({.owner = owner()}));
        EXPECT_TRUE(other_side.ask("a", "unlock", {lock}).ok);
    }
    void keep_each_other_out_and_wake_each_other_on(std::size_t server) {
        auto held = user.get_lock(lock).acquire({.wait = patience, .owner = owner()});
        // Java may ask the former master for a moment after a failover, which is a replica now.
        EXPECT_TRUE(
            wait_until([&] { return other_side.yes("a", "isLocked", {lock}); }, sentinel_set::longest_failover));
        auto const waits = other_side.start("a", "lock", {lock});
        EXPECT_TRUE(wait_until([&] { return somebody_listens(server); }));
        held.release();
        EXPECT_TRUE(other_side.end_of(waits).ok);
        EXPECT_FALSE(user.get_lock(lock).try_acquire({.owner = owner()}));
        auto waiter = in_line();
        EXPECT_TRUE(wait_until([&] { return user.stats().waiters == 1 && somebody_listens(server); }));
        other_side.value("a", "unlock", {lock});
        EXPECT_EQ(waiter.get().status(), hold_status::held);
    }
};

TEST_F(sentinels_with_java, both_keep_each_other_out_and_wake_each_other_before_and_after_a_failover) {
    keep_each_other_out_and_wake_each_other_on(0);
    auto const now = all.fail_over();
    EXPECT_NE(now, 0U);
    EXPECT_TRUE(wait_until([&] { return other_side.ask("a", "isLocked", {lock}).ok; }, sentinel_set::longest_failover))
        << "once it has found the new master";
    keep_each_other_out_and_wake_each_other_on(now);
}

TEST_F(sentinels_with_java, java_wakes_us_on_the_new_master) {
    other_side.value("a", "lock", {lock});
    auto waiter = in_line();
    EXPECT_TRUE(wait_until([&] { return somebody_listens(0); }));
    EXPECT_TRUE(wait_until([&] { return all.servers().has_replicated(0); }));
    auto const now = all.fail_over();
    EXPECT_TRUE(wait_until([&] { return somebody_listens(now); }, sentinel_set::longest_failover));
    EXPECT_TRUE(wait_until([&] { return other_side.ask("a", "unlock", {lock}).ok; }, sentinel_set::longest_failover))
        << "once it has found the new master";
    EXPECT_EQ(waiter.get().status(), hold_status::held);
}

TEST_F(sentinels_with_java, we_wake_java_on_the_new_master) {
    hold held = holder.get_lock(lock).acquire({.wait = patience, .owner = owner()});
    auto const waits = java_in_line();
    EXPECT_TRUE(wait_until([&] { return all.servers().has_replicated(0); }));
    auto const now = all.fail_over();
    java_gets_it_on(now, held, waits);
}

TEST_F(sentinels_with_java, we_wake_java_after_our_master_was_lost) {
    hold held = holder.get_lock(lock).acquire({.wait = patience, .owner = owner()});
    auto const waits = java_in_line();
    EXPECT_TRUE(wait_until([&] { return all.servers().has_replicated(0); }));
    all.servers()[0].kill9();
    auto const now = all.fail_over();
    java_gets_it_on(now, held, waits);
}

} // namespace
} // namespace redlatch::test
